// Command demo shows a session at an audio bench as a person would have it: each
// question, the calls with policy's verdict, the results, the answer and what it
// cost, on the simulated board, with the shipped lab policy and a model on a real
// Ollama. test/demo/run sets that up and calls it; "make demo" calls run.
//
// It owns the questions and the sample workspace beside it and decides nothing:
// every turn is one run of the built program. Where only the scripted model can
// be had, it says so and then lets a small real model try the same questions,
// and reports what that did, right or wrong.
package main
