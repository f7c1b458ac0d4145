package hw

// Wired is a board that tells which buses it has.
type Wired interface {
	// Buses are the names of the kernel's nodes, sorted: i2c-7, spidev0.0, ttyTHS1.
	Buses() []string
}

// Buses are the buses of a board, by the names of their nodes. A board that does not
// tell has none, and so has a nil one.
func Buses(b Board) []string {
	if w, ok := b.(Wired); ok {
		return w.Buses()
	}
	return nil
}
