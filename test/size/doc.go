// Package size holds the binary that is shipped to its budget: small, static,
// with nothing linked in that does not belong there. It holds tests only.
package size
