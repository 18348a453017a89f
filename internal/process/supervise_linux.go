package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/descriptor"
)

// Supervise makes this program its own supervisor of child processes. A program calls it first thing in main.
//
// Started under the name of a supervisor, the program becomes one and Supervise does not return. Otherwise every
// child that is started afterwards runs below a supervisor: this program, executed once more. A supervisor
// adopts all orphans among the descendants of its child, and kills all of them when it is told to or when this
// program has ended, however that happened. The parent of the supervisors is a keeper, this program as well, which
// does the same for the descendants of a supervisor that was killed.
//
// Files that the parent of this program has left open do not reach the children, see descriptor.CloseOnExec.
func Supervise() {
	descriptor.CloseOnExec()
	if len(os.Args) > 0 {
		switch os.Args[0] {
		case keeperName:
			os.Exit(keepMain())
		case supervisorName:
			os.Exit(superviseMain())
		}
	}
	if _, err := os.Stat(selfExecutable); err == nil {
		supervisors.enable()
	}
}

const (
	supervisorName = "dougu-supervisor"
	selfExecutable = "/proc/self/exe" // this very program, even if its file has been replaced
	keeperName     = "dougu-keeper"
	// supervisorSocket is the descriptor of the supervisor's end of its connection.
	supervisorSocket = 3
	// maxIdleSupervisors bounds the supervisors that wait for the next command.
	maxIdleSupervisors = 2
	// defaultStartPatience bounds the time from an order to the report that the command runs. A command can stop its supervisor
	// in between.
	defaultStartPatience = 20 * time.Second
)

// supervisors is the pool of this process. All code that starts children shares it, like the process itself.
var supervisors supervisorPool

// order is a message to a supervisor: a command to start, or a signal for the one that runs. The files of a command,
// standard input first, come with the message.
type order struct {
	Path   []byte   `json:",omitempty"` // empty: Signal is meant
	Args   [][]byte `json:",omitempty"` // bytes, since JSON has no other strings than UTF-8
	Env    [][]byte `json:",omitempty"`
	Dir    []byte   `json:",omitempty"`
	Leader bool     `json:",omitempty"` // of a session, not only of a process group
	TTY    bool     `json:",omitempty"` // standard input is the controlling terminal
	Signal int      `json:",omitempty"` // for the group; SIGKILL: for all descendants
}

// report is a message from a supervisor.
type report struct {
	PID int `json:",omitempty"` // the command runs
	// Op and Errno say that it could not be started.
	Op    string `json:",omitempty"`
	Errno int    `json:",omitempty"`
	// Exit is the wait status of the command, which has ended.
	Exit *int `json:",omitempty"`
	// Clean says that the supervisor has no descendant left.
	Clean bool `json:",omitempty"`
}

// supervisorPool keeps supervisors that have nothing to do.
type supervisorPool struct {
	mu       sync.Mutex
	enabled  bool
	idle     []*supervisorClient
	patience time.Duration // 0: defaultStartPatience

	keeping sync.Mutex
	keeper  *keeperClient // guarded by keeping; nil: none runs
}

func (p *supervisorPool) enable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enabled = true
}

// isEnabled reports whether this program becomes a supervisor when it is executed as one.
func (p *supervisorPool) isEnabled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.enabled
}

// take returns an idle supervisor, or nil.
func (p *supervisorPool) take() *supervisorClient {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s
}

// put keeps a supervisor for the next command, or ends it if enough are kept.
func (p *supervisorPool) put(s *supervisorClient) {
	p.mu.Lock()
	full := len(p.idle) >= maxIdleSupervisors
	if !full {
		p.idle = append(p.idle, s)
	}
	p.mu.Unlock()
	if full {
		s.close()
	}
}

// run starts a command below an idle supervisor, or below a new one. The token is the mark of the command's family. It returns the
// process id of the command.
func (p *supervisorPool) run(o order, files []*os.File, token string) (*supervisorClient, int, error) {
	p.mu.Lock()
	patience := cmp.Or(p.patience, defaultStartPatience)
	p.mu.Unlock()
	for {
		s, isNew := p.take(), false
		if s == nil {
			var err error
			if s, err = p.start(); err != nil {
				return nil, 0, fmt.Errorf("starting a supervisor: %w", err)
			}
			isNew = true
		}
		pid, err := s.run(o, files, patience)
		switch {
		case err == nil:
			return s, pid, nil
		case errors.As(err, new(*fs.PathError)): // the command's error
			p.put(s)
		case errors.Is(err, os.ErrDeadlineExceeded): // the command may run
			return nil, 0, errors.Join(err, s.abandon(token))
		default:
			s.close()
			if !isNew {
				continue // it has died while it waited
			}
		}
		return nil, 0, err
	}
}

// supervisorClient is this program's side of a supervisor.
type supervisorClient struct {
	process *os.Process   // a child of the keeper
	conn    *net.UnixConn // whose end is the end of this program, for the supervisor
	reports *json.Decoder
}

// connectSupervisor makes the connection to a supervisor or keeper that is to be started with theirs.
func connectSupervisor() (conn *net.UnixConn, theirs *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "supervisor"), os.NewFile(uintptr(ends[1]), "supervisor")
	c, err := net.FileConn(ours)
	_ = ours.Close()
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	return c.(*net.UnixConn), theirs, nil
}

// start starts a supervisor below the keeper, and before it the keeper, if none runs.
func (p *supervisorPool) start() (*supervisorClient, error) {
	conn, theirs, err := connectSupervisor()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	p.keeping.Lock()
	defer p.keeping.Unlock()
	for range 2 { // the keeper may have been killed
		if p.keeper == nil {
			if p.keeper, err = startKeeper(); err != nil {
				break
			}
		}
		var r report
		if r, err = p.keeper.order(keeperOrder{}, theirs); err == nil {
			if r.Errno != 0 {
				err = syscall.Errno(r.Errno)
				break
			}
			process, _ := os.FindProcess(r.PID) // on Unix there is no error
			return &supervisorClient{process: process, conn: conn, reports: json.NewDecoder(conn)}, nil
		}
		p.keeper.close()
		p.keeper = nil
	}
	_ = conn.Close()
	return nil, err
}

// sweep waits until the descendants of a supervisor that was killed have ended.
func (p *supervisorPool) sweep(pid int) {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	if p.keeper == nil {
		return
	}
	if _, err := p.keeper.order(keeperOrder{Sweep: pid}); err != nil {
		p.keeper.close()
		p.keeper = nil
	}
}

// run has the supervisor start a command. An error of the command is a *fs.PathError, and a supervisor that does not answer in time
// os.ErrDeadlineExceeded.
func (s *supervisorClient) run(o order, files []*os.File, patience time.Duration) (pid int, err error) {
	message, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	fds := make([]int, len(files))
	for i, file := range files {
		fds[i] = int(file.Fd())
	}
	n, _, err := s.conn.WriteMsgUnix(message, unix.UnixRights(fds...), nil)
	if err == nil && n < len(message) {
		_, err = s.conn.Write(message[n:])
	}
	if err != nil {
		return 0, fmt.Errorf("ordering a command: %w", err)
	}
	if err := s.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, fmt.Errorf("ordering a command: %w", err)
	}
	var r report
	switch err := errors.Join(s.reports.Decode(&r), s.conn.SetReadDeadline(time.Time{})); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, fmt.Errorf("the supervisor has not answered, perhaps since the command has stopped it: %w", err)
	case err != nil:
		return 0, fmt.Errorf("the supervisor has ended: %w", err)
	case r.Errno != 0:
		path := o.Path
		if r.Op == "chdir" {
			path = o.Dir
		}
		return 0, &fs.PathError{Op: r.Op, Path: string(path), Err: syscall.Errno(r.Errno)}
	}
	return r.PID, nil
}

func (s *supervisorClient) signal(sig syscall.Signal) error {
	message, err := json.Marshal(order{Signal: int(sig)})
	if err == nil {
		_, err = s.conn.Write(message)
	}
	return err
}

// close ends the supervisor with all that it has, and waits for that.
func (s *supervisorClient) close() {
	_ = s.conn.CloseWrite()
	if !s.endedWithin(killTimeout) { // it was stopped
		_ = s.process.Kill()
		s.endedWithin(killTimeout)
	}
	_ = s.conn.Close()
	_ = s.process.Release()
}

// endedWithin waits for the end of the supervisor, which alone has the other end of the connection.
func (s *supervisorClient) endedWithin(d time.Duration) bool {
	if s.conn.SetReadDeadline(time.Now().Add(d)) != nil {
		return true
	}
	_, err := io.Copy(io.Discard, s.conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// abandon kills a supervisor that does not answer, and the family of its command.
func (s *supervisorClient) abandon(token string) error {
	pid := s.process.Pid
	_ = s.process.Kill()
	s.close()
	supervisors.sweep(pid)
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	return family{token: token}.kill(ctx) // the keeper may have been killed as well
}

// supervise starts a command below a supervisor. It returns nil if there is to be none.
func supervise(cmd *exec.Cmd, token string) (life, error) {
	if !supervisors.isEnabled() || !isPlain(cmd.SysProcAttr) {
		return nil, nil
	}
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	dir := cmd.Dir
	if absolute, err := filepath.Abs(dir); err == nil { // the supervisor has another working directory
		dir = absolute
	}
	o := order{Path: []byte(cmd.Path), Args: texts(cmd.Args), Env: texts(cmd.Env), Dir: []byte(dir)}
	if a := cmd.SysProcAttr; a != nil {
		o.Leader, o.TTY = a.Setsid, a.Setctty
	}
	files := []*os.File{cmd.Stdin.(*os.File), cmd.Stdout.(*os.File), cmd.Stderr.(*os.File)}
	s, pid, err := supervisors.run(o, append(files, cmd.ExtraFiles...), token)
	if err != nil {
		return nil, err
	}
	p := &supervised{pid: pid, token: token, supervisor: s, done: make(chan struct{}), gone: make(chan struct{})}
	p.watch.Go(p.follow)
	return p, nil
}

// isPlain reports whether a supervisor can set the attributes of a command.
func isPlain(a *syscall.SysProcAttr) bool {
	if a == nil {
		return true
	}
	rest := *a
	rest.Setsid, rest.Setctty, rest.Setpgid, rest.Pdeathsig = false, false, false, 0
	return reflect.ValueOf(rest).IsZero()
}

func texts(all []string) [][]byte {
	bytes := make([][]byte, len(all))
	for i, s := range all {
		bytes[i] = []byte(s)
	}
	return bytes
}
