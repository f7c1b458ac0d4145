// Package board holds the tools that reach the hardware.
//
//	sensors.go  what the board measures
//
// It refuses to know drivers: it is given a Board.
package board
