package sandbox

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/descriptor"
	"github.com/dougu-go/dougu/internal/group"
)

const (
	// helperName is the name under which this program enters a sandbox.
	helperName = "dougu-sandbox"
	// envPrefix hides the variables of the command from the programs that make the sandbox: LD_PRELOAD, say, would let code of the
	// project run outside.
	envPrefix = "DOUGU_SANDBOX_"
	// failed is the exit code if the sandbox cannot be made; notFound and notExecutable are codes of shells.
	failed, notFound, notExecutable = 125, 127, 126
)

// spec is a sandbox for one command, as the helper gets it.
type spec struct {
	Kind     Kind
	Mounts   []mount
	Dir      string
	Network  Network
	Landlock rules
	Program  string
}

// planInFile is the argument in place of the path of a plan that is open as planFD.
const planInFile = "-"

// readPlan reads a plan, and removes it: the command must not see which paths are hidden from it.
func readPlan(path string) (s spec, err error) {
	file := os.NewFile(planFD, "plan")
	if path != planInFile {
		if file, err = os.Open(path); err != nil {
			return s, err
		}
		if err := os.Remove(path); err != nil {
			return s, errors.Join(err, file.Close())
		}
	}
	return s, errors.Join(gob.NewDecoder(file).Decode(&s), file.Close())
}

// memoryFile is an open file without a name that holds data.
func memoryFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	if _, err := file.Write(data); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Main runs this program as a helper that enters a sandbox, if it was started as one, and does not return then. A program that makes
// sandboxes calls it first in its function main, and gives New the result.
func Main() Helper {
	if filepath.Base(os.Args[0]) != helperName || len(os.Args) < 4 {
		return newHelper()
	}
	s, err := readPlan(os.Args[2])
	args, code := os.Args[3:], failed
	switch {
	case err != nil:
		err = fmt.Errorf("read what is to be made: %w", err)
	case os.Args[1] == "outer" && s.Kind == Landlock:
		code, err = s.replace(args)
	case os.Args[1] == "outer":
		code, err = s.outer(args)
	default:
		code, err = s.inner(args)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", helperName, err)
	}
	syscall.Exit(code) // without exit hooks: that of a program with coverage writes among the output of the command
	return Helper{}
}

// environ is the environment of the command.
func environ() []string {
	var env []string
	for _, variable := range os.Environ() {
		if v, ok := strings.CutPrefix(variable, envPrefix); ok {
			env = append(env, v)
		}
	}
	return env
}

// hideEnviron is the environment in which the helper runs for a command.
func hideEnviron(env []string) []string {
	var all []string
	for _, variable := range env {
		if strings.HasPrefix(variable, "DOUGU_PROCESS=") { // by which the processes of a tree are found
			all = append(all, variable)
		}
		all = append(all, envPrefix+variable)
	}
	return all
}

// ending is how the command ended, or why it was not started.
type ending struct {
	Status syscall.WaitStatus `json:"status"`
	Code   int                `json:"code,omitempty"`
	Error  string             `json:"error,omitempty"`
	// Last says that no other process is left inside.
	Last bool `json:"last,omitempty"`
}

// File descriptors of the inner helper.
const (
	controlFD = 3  // to the outer helper
	streamsFD = 4  // the three standard streams of the command
	planFD    = 7  // the plan
	programFD = 8  // the program itself, for bubblewrap alone
	argsFD    = 9  // the arguments of bubblewrap
	ownerFD   = 10 // a pidfd of the process that has started the outer helper; not open before Linux 5.3
)

// outer starts the process that becomes the first one inside, and ends as the command does. Processes that the command has left
// behind go on without it.
func (s spec) outer(args []string) (int, error) {
	runtime.LockOSThread()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return failed, fmt.Errorf("make the connection to the sandbox: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	said, says, err := os.Pipe()
	if err != nil {
		return failed, err
	}
	cmd, more, err := s.inside(args)
	if err != nil {
		return failed, err
	}
	// The streams are passed beside the standard ones, so that the programs that make the sandbox do not hold them.
	cmd.Stderr = says
	cmd.ExtraFiles = append([]*os.File{theirs, os.Stdin, os.Stdout, os.Stderr}, more...)
	cmd.Env = os.Environ()
	if fd, err := unix.PidfdOpen(os.Getppid(), 0); err == nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, make([]*os.File, ownerFD-controlFD-len(cmd.ExtraFiles))...)
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "owner"))
	}
	// The command gets the signals of the terminal and of the group itself.
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	if err := cmd.Start(); err != nil {
		return failed, fmt.Errorf("start the sandbox: %w", err)
	}
	_, _ = theirs.Close(), says.Close()
	var end ending
	if err := json.NewDecoder(ours).Decode(&end); err != nil {
		words, _ := io.ReadAll(io.LimitReader(said, 4<<10))
		return failed, fmt.Errorf("make the sandbox: %w: %s", err, strings.TrimSpace(string(words)))
	}
	if end.Error != "" {
		return end.Code, errors.New(end.Error)
	}
	if end.Last { // so that nothing seems to be left behind
		_ = cmd.Wait()
	}
	if end.Status.Signaled() {
		exitBySignal(end.Status.Signal())
	}
	return end.Status.ExitStatus(), nil
}

// inside is the command of the first process inside, and the files from planFD on that it gets.
func (s spec) inside(args []string) (_ *exec.Cmd, files []*os.File, err error) {
	inner := append([]string{helperName, "inner", planInFile}, args...)
	steps := s.bubblewrap()
	if s.Kind == Bubblewrap {
		s.Mounts = nil
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(s); err != nil {
		return nil, nil, err
	}
	plan, err := memoryFile("plan", text.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("pass the plan of the sandbox: %w", err)
	}
	files = []*os.File{plan}
	if s.Kind == Bubblewrap {
		fd, err := unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("open the helper: %w", err)
		}
		list, err := memoryFile("arguments", []byte(strings.Join(steps, "\x00")+"\x00"))
		if err != nil {
			return nil, nil, fmt.Errorf("pass the arguments of bubblewrap: %w", err)
		}
		inner[0] = bubblewrapHelper
		own := []string{"--args", strconv.Itoa(argsFD), "--"}
		return exec.Command(bubblewrapProgram(), append(own, inner...)...), append(files, os.NewFile(uintptr(fd), "helper"), list), nil
	}
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: inner}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC}
	if s.Network != NetworkOn {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		// Without these, other users than root would have no capabilities after the start of the program.
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN}
		return cmd, files, nil
	}
	// Root keeps all numbers, so that files of other users have their owners.
	cmd.SysProcAttr.GidMappingsEnableSetgroups = true
	if cmd.SysProcAttr.UidMappings, err = idMap("/proc/self/uid_map"); err == nil {
		cmd.SysProcAttr.GidMappings, err = idMap("/proc/self/gid_map")
	}
	return cmd, files, err
}

// idMap is the identity for all numbers that exist here.
func idMap(file string) ([]syscall.SysProcIDMap, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(data)) {
		var inside, outside, size int
		if _, err := fmt.Sscan(line, &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return all, nil
}

// exitBySignal ends this process by a signal, without a core dump. It returns if the signal does not do that.
func exitBySignal(sig syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	var usual [4]uint64 // a struct sigaction with SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&usual)), 0, 8, 0, 0)
	_ = unix.Kill(os.Getpid(), sig)
	_ = unix.Nanosleep(&unix.Timespec{Nsec: 100e6}, nil)
	os.Exit(128 + int(sig))
}

// inner is the first process inside. It finishes the sandbox, starts the command, reports its end, and stays until every process
// inside has ended, but not longer than the process that has started the outer helper. Its own end ends them all.
func (s spec) inner(args []string) (int, error) {
	runtime.LockOSThread() // the restrictions below hold for a thread
	control := os.NewFile(controlFD, "control")
	for fd := controlFD; fd <= ownerFD; fd++ {
		unix.CloseOnExec(fd)
	}
	pid, code, err := s.begin(args)
	if err != nil {
		return code, json.NewEncoder(control).Encode(ending{Code: code, Error: err.Error()})
	}
	var ended atomic.Bool
	var watch group.Group
	watch.Go(func() {
		_, _ = control.Read(make([]byte, 1))
		if !ended.Load() { // the outer helper was killed
			os.Exit(failed)
		}
	})
	watch.Go(func() {
		if awaitExit(ownerFD) { // the outer helper may have ended before
			os.Exit(failed)
		}
	})
	for {
		var status syscall.WaitStatus
		child, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // no process is left
			return 0, nil
		case child == pid:
			ended.Store(true)
			for fd := range planFD { // the readers of the streams need not wait for processes that are left
				if fd != controlFD {
					_ = unix.Close(fd)
				}
			}
			if err := json.NewEncoder(control).Encode(ending{Status: status, Last: !reap()}); err != nil {
				return failed, err
			}
		}
	}
}

// begin finishes the sandbox and starts the command.
func (s spec) begin(args []string) (pid, code int, err error) {
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	if s.Kind == Namespaces {
		if err := makeRoot(s.Mounts); err != nil {
			return 0, failed, fmt.Errorf("make the file system of the sandbox: %w", err)
		}
		if s.Network == NetworkLoopback {
			if err := loopbackUp(); err != nil {
				return 0, failed, fmt.Errorf("start the loopback interface: %w", err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, failed, fmt.Errorf("hide the helper: %w", err)
	}
	if err := s.restrict(); err != nil {
		return 0, failed, err
	}
	if err := unix.Chdir(s.Dir); err != nil {
		return 0, failed, fmt.Errorf("enter %s in the sandbox: %w", s.Dir, err)
	}
	descriptor.CloseOnExec()
	pid, err = syscall.ForkExec(s.Program, args, &syscall.ProcAttr{Env: environ(), Files: []uintptr{streamsFD, streamsFD + 1, streamsFD + 2}})
	if err != nil {
		return 0, exitCode(err), fmt.Errorf("start %s in the sandbox: %w", s.Program, err)
	}
	return pid, 0, nil
}

func exitCode(err error) int {
	if errors.Is(err, os.ErrNotExist) {
		return notFound
	}
	return notExecutable
}

// restrict takes from this thread, and from its children, the rights that namespaces leave.
func (s spec) restrict() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := dropCapabilities(s.Kind); err != nil {
		return err
	}
	if err := s.Landlock.apply(s.Kind); err != nil {
		return err
	}
	return filterSystemCalls(s.Network)
}

// replace becomes the command, with the restrictions of Landlock.
func (s spec) replace(args []string) (int, error) {
	runtime.LockOSThread()
	if err := s.restrict(); err != nil {
		return failed, err
	}
	descriptor.CloseOnExec()
	err := unix.Exec(s.Program, args, environ())
	return exitCode(err), fmt.Errorf("start %s: %w", s.Program, err)
}
