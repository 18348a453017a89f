package treesitter

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock returns a function that reads the processor time of the calling thread from any other
// thread. ok is false if the kernel does not offer the clock. The caller locks its goroutine to its
// thread. The clock id is computed as in pthread_getcpuclockid(3).
func threadClock() func() (spent time.Duration, ok bool) {
	const perThread, sched = 4, 2
	id := int32(^unix.Gettid()<<3 | perThread | sched)
	return func() (time.Duration, bool) {
		var now unix.Timespec
		err := unix.ClockGettime(id, &now)
		return time.Duration(now.Nano()), err == nil
	}
}
