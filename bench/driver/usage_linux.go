package driver

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
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

// memory returns what a running process has of memory. The figure in the rusage
// of a child that ended will not do for the peak: on Linux it is never below
// what its parent had when it forked.
func memory(pid int) (resident, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return resident{}, err
	}
	var r resident
	for name, field := range map[string]*int64{"VmRSS:": &r.now, "VmHWM:": &r.peak, "RssAnon:": &r.owned} {
		_, rest, found := bytes.Cut(status, []byte("\n"+name))
		number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
		kilobytes, err := strconv.ParseInt(string(number), 10, 64)
		if !found || err != nil {
			return resident{}, fmt.Errorf("read %s in the status of process %d: %w", name, pid, err)
		}
		*field = kilobytes << 10
	}
	return r, nil
}

// openFiles returns how many files this process may have open, as may those
// that it starts.
func openFiles() (int, error) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return int(min(limit.Max, 1<<30)), err
}

// hungUp reports whether the other end has closed the connection, even if there
// is something left to read.
func hungUp(conn net.Conn) bool {
	const established = 1
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return true
	}
	state := uint8(0)
	err = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			state = info.State
		}
	})
	return err != nil || state != established
}
