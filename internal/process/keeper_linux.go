package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/group"
)

// keeper is the parent of the supervisors of a program. It adopts the descendants of a supervisor that was killed, and kills them.
// Its other children are supervisors alone, so that each orphan is one of theirs. The program itself cannot do that: it has children
// for which other code waits.
type keeper struct {
	supervisors map[int]bool // by process id
	deathWatch
}

// keepMain is the life of a keeper. It returns an exit code.
func keepMain() int {
	runtime.LockOSThread() // supervisors are told the end of the thread that has started them
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1
	}
	_ = os.WriteFile("/proc/self/comm", []byte("dougu-keeper"), 0)
	k := &keeper{supervisors: make(map[int]bool), deathWatch: newDeathWatch()}
	signals := catchSignals()
	var work group.Group
	orders := receive(&work, func(keeperOrder) bool { return true })
	work.Go(k.await)
	for {
		select {
		case m, open := <-orders:
			switch {
			case !open: // the program has ended
				k.end()
				return 0
			case m.order.Sweep != 0:
				ended := k.awaitSupervisor(m.order.Sweep)
				sendReport(report{Clean: k.sweep() && ended})
			default:
				sendReport(k.start(m.files))
			}
		case <-k.deaths:
			k.watched = false
			k.sweep()
		case <-signals: // the program decides when the keeper ends
		}
		if len(k.supervisors) > 0 {
			k.arm()
		}
	}
}

// start starts a supervisor with its socket.
func (k *keeper) start(files []int) report {
	attr := &syscall.ProcAttr{Dir: "/", Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}}
	for _, fd := range files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	pid, err := syscall.ForkExec(selfExecutable, []string{supervisorName}, attr)
	for _, fd := range files {
		_ = unix.Close(fd)
	}
	if err != nil {
		errno := syscall.EINVAL
		errors.As(err, &errno)
		return report{Op: "fork/exec", Errno: int(errno)}
	}
	k.supervisors[pid] = true
	return report{PID: pid}
}

// awaitSupervisor waits for the end of a supervisor that was killed, and reports whether it has ended.
func (k *keeper) awaitSupervisor(pid int) bool {
	deadline := time.Now().Add(killTimeout)
	for pause := time.Millisecond; k.reap() && k.supervisors[pid] && time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
	}
	return !k.supervisors[pid]
}

// reap removes children that have ended, and reports whether others are left.
func (k *keeper) reap() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case pid == 0:
			return true
		default:
			delete(k.supervisors, pid)
		}
	}
}

// sweep kills all descendants that have no supervisor, and reports whether none is left. Processes of other users cannot be killed, and
// are left; so is a process that the system does not end within killTimeout.
func (k *keeper) sweep() bool {
	deadline := time.Now().Add(killTimeout)
	for pause := time.Millisecond; k.reap(); pause = min(2*pause, time.Second) {
		found := freeze(family{root: os.Getpid(), except: k.supervisors})
		if denied := signalAll(found, unix.SIGKILL); denied == len(found) || time.Now().After(deadline) {
			return len(found) == 0
		}
		time.Sleep(pause)
	}
	return true
}

// end waits until the supervisors have ended, which notice the end of the program themselves. One that was stopped goes on.
func (k *keeper) end() {
	deadline := time.Now().Add(killTimeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		k.sweep()
		if len(k.supervisors) == 0 {
			return
		}
		sig := unix.SIGCONT
		if time.Now().After(deadline) {
			sig = unix.SIGKILL
		}
		for pid := range k.supervisors {
			_ = unix.Kill(pid, sig)
		}
		time.Sleep(pause)
	}
}

// keeperPatience bounds the time until the keeper answers. A keeper that was stopped is replaced.
const keeperPatience = 10 * time.Second

// keeperClient is this program's side of its keeper.
type keeperClient struct {
	cmd     *exec.Cmd
	conn    *net.UnixConn
	reports *json.Decoder
}

// keeperOrder is a message to the keeper: start a supervisor, whose socket comes with the message, or wait for the descendants
// of one. The keeper answers with a report.
type keeperOrder struct {
	Sweep int `json:",omitempty"` // the process id; 0: a supervisor is to be started
}

func startKeeper() (*keeperClient, error) {
	conn, theirs, err := connectSupervisor()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	k := &keeperClient{conn: conn, reports: json.NewDecoder(conn)}
	k.cmd = &exec.Cmd{
		Path: selfExecutable, Args: []string{keeperName}, Dir: "/", ExtraFiles: []*os.File{theirs},
		// Commands have their environment from their orders. This one keeps the keeper and the supervisors small.
		Env: []string{"GOMAXPROCS=3", "GOGC=25"},
		// Signals for our group or terminal are not for it. If it was stopped, it goes on at our end, to end the commands.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT},
	}
	if err := k.cmd.Start(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return k, nil
}

// order sends an order with its files, and returns the answer.
func (k *keeperClient) order(o keeperOrder, files ...*os.File) (r report, err error) {
	message, err := json.Marshal(o)
	if err != nil {
		return r, err
	}
	var fds []int
	for _, file := range files {
		fds = append(fds, int(file.Fd()))
	}
	err = k.conn.SetDeadline(time.Now().Add(keeperPatience))
	if err == nil {
		_, _, err = k.conn.WriteMsgUnix(message, unix.UnixRights(fds...), nil)
		runtime.KeepAlive(files)
	}
	if err == nil {
		err = k.reports.Decode(&r)
	}
	if err != nil {
		return r, fmt.Errorf("the keeper of the supervisors does not answer: %w", err)
	}
	return r, nil
}

// close kills the keeper. Its supervisors go on.
func (k *keeperClient) close() {
	_ = k.cmd.Process.Kill()
	_ = k.cmd.Wait()
	_ = k.conn.Close()
}
