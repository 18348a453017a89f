//go:build !linux

package treesitter

import "time"

// threadClock returns a function whose ok is false: these systems have no clocks of threads that
// other threads read. The limit of wall time applies alone.
func threadClock() func() (spent time.Duration, ok bool) {
	return func() (time.Duration, bool) { return 0, false }
}
