// Package bench measures the built program as a person meets it: how long from
// the Enter key to the first request, how much memory beside the model. The
// figures go to docs/performance.md; "make bench" repeats them. The model server
// is a fake one, so that only our own cost is counted.
package bench
