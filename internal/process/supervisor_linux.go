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
	watched bool // a death will be told
	watch   chan struct{}
	deaths  chan struct{}
}

// superviseMain is the life of a supervisor. It returns an exit code.
func superviseMain() int {
	runtime.LockOSThread() // the command dies with the thread that has started it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1
	}
	unix.CloseOnExec(supervisorSocket)
	_ = os.WriteFile("/proc/self/comm", []byte("dougu-supervise"), 0) // a name is cut to 15 bytes
	s := &supervisor{watch: make(chan struct{}), deaths: make(chan struct{})}
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM} {
		if !signal.Ignored(sig) { // commands inherit that
			signal.Notify(signals, sig)
		}
	}
	type message struct {
		order
		files []int
	}
	orders := make(chan message)
	var work group.Group
	work.Go(func() {
		defer close(orders)
		var w wire
		for in := json.NewDecoder(&w); ; {
			var m message
			if in.Decode(&m.order) != nil {
				return
			}
			if len(m.Path) > 0 { // the input may begin with a signal for the command before
				m.files, w.files = w.files, nil
			}
			orders <- m
		}
	})
	work.Go(s.await)
	for {
		select {
		case m, open := <-orders:
			switch {
			case !open: // the program has ended
				s.end()
				return 0
			case len(m.Path) > 0:
				s.start(m.order, m.files)
			default:
				s.signal(syscall.Signal(m.Signal))
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

// await tells when a child has ended, each time that it is asked to. The main goroutine alone reaps, so that it never
// signals a number that is another process's.
func (s *supervisor) await() {
	for range s.watch {
		for {
			err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		s.deaths <- struct{}{}
	}
}

func (s *supervisor) rearm() {
	if s.busy && !s.watched {
		s.watched = true
		s.watch <- struct{}{}
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
		s.report(r)
		return
	}
	s.command, s.busy = pid, true
	s.report(report{PID: pid})
	s.rearm()
}

func words(all [][]byte) []string {
	texts := make([]string, len(all))
	for i, b := range all {
		texts[i] = string(b)
	}
	return texts
}

// report tells the program something. A program that has ended does not read it.
func (s *supervisor) report(r report) {
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
		s.report(report{Exit: exit, Clean: !s.busy})
	}
	return s.busy
}

// end kills all descendants. Processes of other users cannot be killed, and are left.
func (s *supervisor) end() {
	for pause := time.Millisecond; s.reap(); pause = min(2*pause, time.Second) {
		found := freeze()
		if denied := signalAll(found, unix.SIGKILL); denied > 0 && denied == len(found) {
			return
		}
		time.Sleep(pause)
	}
}

// freezeRounds bounds the searches for new descendants before the known ones are killed.
const freezeRounds = 50

// freeze stops all descendants, so that none starts others while they are killed one by one, and returns them.
func freeze() []procStat {
	type identity struct {
		pid   int
		start uint64
	}
	stopped := make(map[identity]bool)
	var found []procStat
	for range freezeRounds {
		var err error
		if found, err = (family{root: os.Getpid()}).find(); err != nil {
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
