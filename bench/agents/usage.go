//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of this process, without its children.
func processorTime() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
