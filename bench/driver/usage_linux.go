package driver

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time, in user and in kernel mode, that all
// threads of a process have had, those that have ended included.
//
// It reads the process's own CPU clock, which counts nanoseconds; utime and
// stime in /proc/PID/stat count ticks of 10 ms. The number of that clock is
// what clock_getcpuclockid(3) computes.
func cpuTime(pid int) (time.Duration, error) {
	const sched = 2
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &now); err != nil {
		return 0, fmt.Errorf("read the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(now.Nano()), nil
}

// peakRSS returns the largest resident set that a running process has had, in
// bytes. The figure in the rusage of a child that ended will not do: on Linux
// it is never below what its parent had when it forked.
func peakRSS(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			number, _, _ := bytes.Cut(bytes.TrimSpace(value), []byte(" "))
			kilobytes, err := strconv.ParseInt(string(number), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("the status of process %d has no VmHWM", pid)
}
