// Package audit says what a line of the audit holds and how lines are chained, so that
// whoever writes them and whoever verifies them agree. It stores nothing and decides
// nothing.
package audit
