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

// cpuTime returns the user and system time of all threads of a process, including ended ones.
//
// It reads the CPU clock of the process, which has nanoseconds; utime and stime in /proc/PID/stat have ticks of 10 ms. The clock id
// is computed as in clock_getcpuclockid(3).
func cpuTime(pid int) (time.Duration, error) {
	const sched = 2
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &now); err != nil {
		return 0, fmt.Errorf("read the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(now.Nano()), nil
}

// memory returns the memory of a running process. The maximum in the rusage of an ended child is useless: on Linux it is at least
// the memory of the parent at the fork.
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

// openFiles returns the limit of open files of this process and its children.
func openFiles() (int, error) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return int(min(limit.Max, 1<<30)), err
}

// hungUp reports whether the peer has closed the connection, even if there is unread data.
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
