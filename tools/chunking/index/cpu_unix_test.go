//go:build unix

package index_test

import (
	"syscall"
	"time"
)

// cpu is the time that the process has had.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
