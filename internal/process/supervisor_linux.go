package process

import (
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/group"
)

// supervisor is a process that runs one command after the other, and adopts and ends their descendants.
// All but reading orders and waiting happens on its main goroutine.
type supervisor struct {
	command int  // its process id; 0: it has ended
	busy    bool // there may be descendants
	deathWatch
}

// superviseMain is the life of a supervisor. It returns an exit code.
func superviseMain() int {
	runtime.LockOSThread() // the command dies with the thread that has started it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1
	}
	_ = os.WriteFile("/proc/self/comm", []byte("dougu-supervise"), 0) // a name is cut to 15 bytes
	s := &supervisor{deathWatch: newDeathWatch()}
	signals := catchSignals()
	var work group.Group
	// The input may begin with a signal for the command before.
	orders := receive(&work, func(o order) bool { return len(o.Path) > 0 })
	work.Go(s.await)
	for {
		select {
		case m, open := <-orders:
			switch {
			case !open: // the program has ended
				s.end()
				return 0
			case len(m.order.Path) > 0:
				s.start(m.order, m.files)
			default:
				s.signal(syscall.Signal(m.order.Signal))
			}
		case <-s.deaths:
			s.watched = false
			s.reap()
			s.rearm()
		case <-signals:
			s.end()
		}
	}
}

// catchSignals returns the signals that would end this process, except for ignored ones: commands inherit that.
func catchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	return signals
}

// deathWatch tells the main goroutine when a child has ended. That goroutine alone reaps, so that it never signals a number
// that is another process's.
type deathWatch struct {
	watched bool // a death will be told
	watch   chan struct{}
	deaths  chan struct{}
}

func newDeathWatch() deathWatch {
	return deathWatch{watch: make(chan struct{}), deaths: make(chan struct{})}
}

// await tells when a child has ended, each time that it is asked to.
func (w *deathWatch) await() {
	for range w.watch {
		for {
			err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		w.deaths <- struct{}{}
	}
}

// arm asks for the next death. Without children it comes at once.
func (w *deathWatch) arm() {
	if !w.watched {
		w.watched = true
		w.watch <- struct{}{}
	}
}

func (s *supervisor) rearm() {
	if s.busy {
		s.arm()
	}
}

// start starts a command, and leaves its files to it.
func (s *supervisor) start(o order, files []int) {
	attr := &syscall.ProcAttr{Dir: string(o.Dir), Env: words(o.Env), Sys: &syscall.SysProcAttr{
		Setsid: o.Leader, Setctty: o.TTY, Setpgid: !o.Leader, Pdeathsig: syscall.SIGKILL,
	}}
	for _, fd := range files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	pid, err := syscall.ForkExec(string(o.Path), words(o.Args), attr)
	for _, fd := range files {
		_ = unix.Close(fd)
	}
	if err != nil {
		r := report{Op: "fork/exec", Errno: int(syscall.EINVAL)}
		if _, missing := os.Stat(attr.Dir); attr.Dir != "" && missing != nil {
			r.Op, err = "chdir", missing
		}
		errno := syscall.Errno(0)
		if errors.As(err, &errno) {
			r.Errno = int(errno)
		}
		sendReport(r)
		return
	}
	s.command, s.busy = pid, true
	sendReport(report{PID: pid})
	s.rearm()
}

func words(all [][]byte) []string {
	texts := make([]string, len(all))
	for i, b := range all {
		texts[i] = string(b)
	}
	return texts
}

// sendReport sends the program a report. A program that has ended does not read it.
func sendReport(r report) {
	message, err := json.Marshal(r)
	for err == nil && len(message) > 0 {
		var n int
		if n, err = unix.Write(supervisorSocket, message); errors.Is(err, unix.EINTR) {
			err = nil
			continue
		}
		message = message[max(n, 0):]
	}
}

// signal signals the group of the command, or if it has ended, all that it has left behind.
func (s *supervisor) signal(sig syscall.Signal) {
	switch {
	case sig == syscall.SIGKILL:
		s.end()
	case s.command != 0:
		_ = syscall.Kill(-s.command, sig)
	case s.busy:
		found, _ := family{root: os.Getpid()}.find()
		signalAll(found, sig)
	}
}

// reap removes descendants that have ended, and reports whether others are left.
func (s *supervisor) reap() bool {
	if !s.busy {
		return false
	}
	var exit *int
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil: // no child is left, and so no descendant
			s.busy = false
		case pid == 0: // the others are alive
		default:
			if pid == s.command {
				s.command = 0
				code := int(status)
				exit = &code
			}
			continue
		}
		break
	}
	if exit != nil || !s.busy {
		sendReport(report{Exit: exit, Clean: !s.busy})
	}
	return s.busy
}

// end kills all descendants. Processes of other users cannot be killed, and are left.
func (s *supervisor) end() {
	for pause := time.Millisecond; s.reap(); pause = min(2*pause, time.Second) {
		found := freeze(family{root: os.Getpid()})
		if denied := signalAll(found, unix.SIGKILL); denied > 0 && denied == len(found) {
			return
		}
		time.Sleep(pause)
	}
}

// freezeRounds bounds the searches for new descendants before the known ones are killed.
const freezeRounds = 50

// freeze stops all processes of a family, so that none starts others while they are killed one by one, and returns them.
func freeze(f family) []procStat {
	type identity struct {
		pid   int
		start uint64
	}
	stopped := make(map[identity]bool)
	var found []procStat
	for range freezeRounds {
		var err error
		if found, err = f.find(); err != nil {
			return found
		}
		var running []procStat
		for _, p := range found {
			if id := (identity{p.pid, p.start}); !stopped[id] {
				stopped[id] = true
				running = append(running, p)
			}
		}
		if len(running) == 0 {
			break
		}
		signalAll(running, unix.SIGSTOP)
	}
	return found
}
