//go:build !linux

package driver

import "time"

// cpuTime is known on Linux alone. Without it, costs are wall time.
func cpuTime(int) (time.Duration, error) { return 0, nil }

// peakRSS is known on Linux alone.
func peakRSS(int) (int64, error) { return 0, nil }
