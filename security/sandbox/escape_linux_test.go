package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security/sandbox"
)

// tool is the helper of escapes beside the programs of a shell. It returns the exit code.
func tool(name string, args []string) int {
	var err error
	switch name {
	case "connect": // NETWORK ADDRESS
		var conn net.Conn
		if conn, err = net.DialTimeout(args[0], args[1], 5*time.Second); err == nil {
			_, err = bufio.NewReader(conn).ReadString('\n')
		}
	case "socket": // FAMILY TYPE
		family, _ := strconv.Atoi(args[0])
		kind, _ := strconv.Atoi(args[1])
		_, err = unix.Socket(family, kind, 0)
	case "call":
		err = call(args[0])
	case "leave": // KIND DIR
		err = leave(sandbox.Kind(args[0]), args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name, args, err)
		return 1
	}
	return 0
}

// leave is a program whose command has ended and has left a process, which holds the output. It ends with its input.
func leave(kind sandbox.Kind, dir string) error {
	s, err := sandbox.New(context.Background(), sandbox.Options{Helper: helper, Kinds: []sandbox.Kind{kind}, Dirs: []string{dir}})
	if err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", "-c", "env -i setsid -f sleep 3600")
	cmd.Dir, cmd.Env, cmd.Stdout = dir, append(os.Environ(), s.Environ()...), os.Stdout
	if err := errors.Join(s.Wrap(cmd), cmd.Run()); err != nil {
		return err
	}
	fmt.Println("ended")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// A process that a command has left behind ends with the program, however that ends.
func TestSandbox_KilledProgram(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		if kind == sandbox.Landlock {
			return // it has no helper inside
		}
		dir := realDir(t)
		open(t, kind, sandbox.Options{Dirs: []string{dir}}) // or the test is skipped
		cmd := exec.CommandContext(t.Context(), os.Args[0], "tool", "leave", string(kind), dir)
		_, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewReader(out)
		if line, err := said.ReadString('\n'); line != "ended\n" {
			t.Errorf("the program says %q, %v", line, err)
		}
		_ = cmd.Process.Kill()
		if rest, err := io.ReadAll(said); err != nil || len(rest) > 0 { // the end comes with that of the process that was left
			t.Errorf("it goes on with %q, %v", rest, err)
		}
		_ = cmd.Wait()
	})
}

// call makes a system call in a way that succeeds outside, or fails there for another reason than a lack of permission.
func call(name string) error {
	var errno unix.Errno
	switch name {
	case "userfaultfd":
		_, _, errno = unix.Syscall(unix.SYS_USERFAULTFD, 1, 0, 0) // for faults of user space alone
	case "io_uring":
		var params [120]byte
		_, _, errno = unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	case "keyctl":
		_, _, errno = unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(2)+1, 1) // that of the session
	case "add_key":
		_, err := unix.AddKey("user", "dougu-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	case "fsopen":
		_, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
		return err
	case "clone":
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &unix.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return cmd.Run()
	case "setns":
		fd, err := unix.Open("/proc/self/ns/uts", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWUTS)
	case "bpf":
		attr := [16]uint32{2, 4, 8, 1} // an array of one element
		_, _, errno = unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	case "setuid":
		return setuid()
	case "handle":
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, ".", 0)
		if err != nil {
			return err
		}
		_ = mount
		dir, err := unix.Open(".", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_PATH)
		return err
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// setuid makes a program that runs with the rights of its owner, by the first call that does so.
func setuid() error {
	const mode = unix.S_ISUID | 0o755
	fd, err := unix.Openat(unix.AT_FDCWD, "setuid1", unix.O_CREAT|unix.O_RDWR, mode)
	if err == nil {
		return unix.Close(fd)
	}
	if fd, err = unix.Openat2(unix.AT_FDCWD, "setuid2", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_RDWR, Mode: mode}); err == nil {
		return unix.Close(fd)
	}
	if fd, err = unix.Openat(unix.AT_FDCWD, "setuid3", unix.O_CREAT|unix.O_RDWR, 0o755); err != nil {
		return nil // an ordinary file must work
	}
	defer unix.Close(fd)
	for _, call := range []func() error{
		func() error { return unix.Fchmod(fd, mode) },
		func() error { return unix.Fchmodat(unix.AT_FDCWD, "setuid3", mode, 0) },
		func() error { return unix.Fchmodat(unix.AT_FDCWD, "setuid3", mode, unix.AT_SYMLINK_NOFOLLOW) },
		func() error { return unix.Mknod("setuid4", unix.S_IFREG|mode, 0) },
		func() error { return unix.Chmod("setuid3", unix.S_ISGID|0o755) },
	} {
		if err = call(); err == nil {
			return nil
		}
	}
	return err
}

// escape is something that a command must not be able to do.
type escape struct {
	script string
	check  string // a script that is run outside afterwards, and succeeds if it has worked
	root   bool   // it works outside for root alone
	open   bool   // Landlock alone does not prevent it
}

// $P is the project, $O another one, $H the home directory, $R a directory for services, $PID a process outside and $T the tool.
func escapes() []escape {
	return []escape{
		// Files of the project that make other programs run code.
		{script: "echo x >>$P/.git/config", open: true},
		{script: "cp $P/.git/config $P/c && mv -f $P/c $P/.git/config", open: true},
		{script: "rm -f $P/.git/config", open: true},
		{script: "echo x >$P/.git/hooks/pre-commit", open: true},
		{script: "mv $P/.git/hooks $P/.git/h && mkdir $P/.git/hooks", open: true},
		{script: "mv $P/.git $P/g && mkdir $P/.git", open: true},
		{script: "echo x >>$P/.git/modules/sub/config", open: true},
		{script: "mv $P/.git/modules/sub $P/.git/modules/sub2", open: true},
		{script: "ln $P/.git/config $P/l && echo x >>$P/l", open: true},
		{script: "ln -s .git/config $P/l && echo x >>$P/l", open: true},
		{script: "echo x >>$P/.vscode/tasks.json", open: true},
		{script: "echo x >$P/.vscode/settings.json", open: true},
		{script: "mv $P/.vscode $P/v && mkdir $P/.vscode", open: true},
		{script: "echo x >>$P/.cursor/mcp.json", open: true},
		{script: "mv $P/.cursor $P/c && mkdir $P/.cursor", open: true},
		{script: "cp $P/.mcp.json $P/m && mv -f $P/m $P/.mcp.json", open: true},
		{script: "echo x >>$P/.envrc", open: true},
		{script: "echo x >>$P/kuromajutsu.config.yaml", open: true},
		{script: "echo x >>$P/.cursorcli-mcp/config.json", open: true},
		// The audit log and the state of the server.
		{script: ": >$P/logs/audit.log", check: "! grep -q entry $P/logs/audit.log", open: true},
		{script: "grep entry $P/logs/audit.log", open: true},
		{script: "rm -f $P/logs/audit.log", check: "! test -e $P/logs/audit.log", open: true},
		{script: "mv $P/logs $P/l && mkdir $P/logs && echo forged >$P/logs/audit.log", open: true},
		{script: "cat $R/state/lock"},
		// Other files of the user.
		{script: "cat $O/file"},
		{script: "ls $O"},
		{script: "echo x >>$O/file", check: "grep x $O/file"},
		{script: "ln -s $O/file $P/l && cat $P/l"},
		{script: "cat $H/.ssh/id"},
		{script: "echo x >>$H/.ssh/authorized_keys", check: "grep x $H/.ssh/authorized_keys"},
		{script: "cat $H/.aws/credentials"},
		{script: "cat $H/.netrc"},
		{script: "cat $H/.config/gh/hosts.yml"},
		{script: "cat $H/.bash_history"},
		{script: "grep hunter2 $H/.gitconfig ~/.gitconfig"},
		{script: "echo x >>$H/.bashrc", check: "grep x $H/.bashrc"},
		{script: "echo x >>~/.gitconfig", check: "grep x $H/.gitconfig"},
		{script: "echo x >$H/.local/bin/ls", check: "test -e $H/.local/bin/ls"},
		{script: "mkdir -p $H/.config/autostart && echo x >$H/.config/autostart/x.desktop", check: "test -e $H/.config/autostart/x.desktop"},
		{script: "echo x >$H/go/pkg/mod/cache/poison", check: "test -e $H/go/pkg/mod/cache/poison"},
		// The system.
		{script: "echo x >/var/tmp/dougu-$PID", check: "test -e /var/tmp/dougu-$PID && rm /var/tmp/dougu-$PID"},
		{script: "echo x >/dev/shm/dougu-$PID", check: "test -e /dev/shm/dougu-$PID && rm /dev/shm/dougu-$PID"},
		{script: "grep root /etc/shadow", root: true},
		{script: "echo x >/etc/dougu-$PID && rm /etc/dougu-$PID", root: true},
		{script: "echo x >/usr/bin/dougu-$PID && rm /usr/bin/dougu-$PID", root: true},
		{script: "v=$(cat /proc/sys/vm/swappiness) && echo $v >/proc/sys/vm/swappiness", root: true},
		{script: "mknod $P/disk b 7 0", root: true},
		{script: "chroot / true", root: true},
		{script: "unshare -m true", root: true},
		{script: "unshare -Ur true"},
		{script: "nsenter -t $PID -m true", root: true},
		{script: "$T tool call clone"},
		{script: "$T tool call setns", root: true},
		{script: "$T tool call handle", root: true},
		{script: "$T tool call bpf", root: true},
		{script: "$T tool call fsopen", root: true},
		{script: "$T tool call io_uring"},
		{script: "cp /bin/true $P/t && chmod 4755 $P/t"},
		{script: "cd $P && $T tool call setuid"},
		{script: "$T tool call keyctl"},
		{script: "$T tool call add_key"},
		{script: "$T tool socket 17 2", root: true}, // packets
		{script: "$T tool socket 40 1"},             // of virtual machines
		{script: "$T tool socket 38 5"},             // cryptography of the kernel
		// Processes and services.
		{script: "tr '\\0' '\\n' </proc/$PID/environ | grep SECRET"},
		{script: "kill -0 $PID"},
		{script: "ls /proc/$PID/root/"},
		{script: "ls /proc/$PID", open: true},
		{script: "cat /proc/$PID/cmdline | grep sleep", open: true},
		{script: "$T tool connect unix $R/socket", open: true},
		{script: "$T tool connect unix @dougu-$PID"},
	}
}

// outside is a machine with a project, and with things that commands must not reach.
type outside struct {
	dir string
	env []string
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	w := &outside{dir: realDir(t)}
	w.reset(t)
	sleeper := exec.Command("sleep", "1000")
	sleeper.Env = append(os.Environ(), "SECRET=1")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleeper.Process.Kill()
		_ = sleeper.Wait()
	})
	pid := strconv.Itoa(sleeper.Process.Pid)
	for _, address := range []string{w.path("run/socket"), "@dougu-" + pid} {
		listener, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		greet(t, listener)
	}
	w.env = []string{
		"P=" + w.path("project"), "O=" + w.path("other"), "H=" + w.path("home"), "R=" + w.path("run"), "PID=" + pid,
		"T=" + executable(t), "HOME=" + w.path("home"), "LC_ALL=C",
	}
	return w
}

func executable(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (w *outside) path(name string) string { return filepath.Join(w.dir, name) }

// reset makes all files as they were.
func (w *outside) reset(t testing.TB) {
	t.Helper()
	for _, name := range []string{"project", "other", "home"} {
		if err := os.RemoveAll(w.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	files := make(map[string]string)
	for _, name := range []string{
		"project/.git/config", "project/.git/hooks/x.sample", "project/.git/modules/sub/config", "project/.git/HEAD", "project/.vscode/tasks.json",
		"project/.cursor/mcp.json", "project/.cursor/rules/a.md", "project/.mcp.json", "project/.envrc", "project/kuromajutsu.config.yaml",
		"project/.cursorcli-mcp/config.json", "project/logs/audit.log", "project/file", "other/file", "home/.ssh/id", "home/.aws/credentials",
		"home/.netrc", "home/.config/gh/hosts.yml", "home/.bash_history", "home/.bashrc", "home/.local/bin/program", "home/go/pkg/mod/cache/download/x",
		"run/state/lock",
	} {
		files[w.path(name)] = "entry\n"
	}
	files[w.path("home/.gitconfig")] = "[user]\n\tname = N\n\temail = n@example.org\n[http \"https://example.org\"]\n\textraHeader = Authorization: Basic hunter2\n"
	write(t, files)
}

// options are the options of a server for the project.
func (w *outside) options(t testing.TB) sandbox.Options {
	return sandbox.Options{
		Dirs: []string{w.path("project")}, Home: w.path("home"), Hidden: []string{w.path("project/logs/audit.log*")},
		Read: []string{executable(t)},
	}
}

// works runs an escape outside, or in a sandbox.
func (w *outside) works(t testing.TB, s *sandbox.Sandbox, e escape) (worked bool, output string) {
	t.Helper()
	w.reset(t)
	output, code := run(t, s, w.path("project"), e.script, w.env...)
	if code == 0 && e.check != "" {
		var out string
		out, code = run(t, nil, w.path("project"), e.check, w.env...)
		output += out
	}
	return code == 0, output
}

func TestSandbox_Escapes(t *testing.T) {
	w := newOutside(t)
	var able []escape
	for i, e := range escapes() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		if e.root && os.Geteuid() != 0 {
			continue
		}
		if worked, out := w.works(t, nil, e); !worked {
			// A kernel without a feature, or a container, may prevent some of them.
			t.Logf("outside, this does not work either: %s: %s", e.script, strings.TrimSpace(out))
			continue
		}
		able = append(able, e)
	}
	if !testing.Short() && len(able) < 40 {
		t.Errorf("only %d escapes work outside", len(able))
	}
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		s := open(t, kind, w.options(t))
		held := 0
		for _, e := range able {
			worked, out := w.works(t, s, e)
			if !worked {
				held++
			}
			if expected := kind == sandbox.Landlock && e.open; worked != expected {
				t.Errorf("%s: worked: %v, want %v: %s", e.script, worked, expected, out)
			}
		}
		t.Logf("%d of %d escapes are prevented", held, len(able))
	})
}

// greet writes a line to every connection of a listener, until the test ends.
func greet(t *testing.T, listener net.Listener) {
	var serving group.Group
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("hello\n"))
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
}

func TestSandbox_Network(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	greet(t, listener)
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir := realDir(t)
		for network, reaches := range map[sandbox.Network]bool{sandbox.NetworkOn: true, sandbox.NetworkLoopback: false, sandbox.NetworkOff: false} {
			if kind == sandbox.Landlock && network == sandbox.NetworkLoopback {
				continue
			}
			s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Network: network, Read: []string{executable(t)}})
			out, code := run(t, s, dir, executable(t)+" tool connect tcp "+listener.Addr().String())
			if (code == 0) != reaches {
				t.Errorf("%s: exit code %d: %s", network, code, out)
			}
			if out, code := run(t, s, dir, executable(t)+" tool socket 2 1"); (code == 0) != (network != sandbox.NetworkOff) {
				t.Errorf("%s: an Internet socket: exit code %d: %s", network, code, out)
			}
		}
	})
}

// A directory that the parent of the program has left open leads out of the sandbox.
func TestEscape_InheritedDescriptor(t *testing.T) {
	outside := realDir(t)
	write(t, map[string]string{filepath.Join(outside, "secret"): "secret"})
	left, err := os.Open(outside)
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	const fd = 40
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir := realDir(t)
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}})
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", fmt.Sprintf("cat /proc/self/fd/%d/secret; echo x >/proc/self/fd/%[1]d/new; ls /proc/self/fd", fd))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), s.Environ()...)
		cmd.ExtraFiles = make([]*os.File, fd-2)
		cmd.ExtraFiles[fd-3] = left
		if err := s.Wrap(cmd); err != nil {
			t.Fatal(err)
		}
		out, err := cmd.Output()
		if err != nil || string(out) != "0\n1\n2\n3\n" { // the last one is that of ls
			t.Errorf("the command sees %q, %v", out, err)
		}
		if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
			t.Error("the command has written outside")
		}
	})
}

// No command makes a program that runs with the rights of its owner.
func TestSandbox_Setuid(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir := realDir(t)
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Read: []string{executable(t)}})
		if out, code := run(t, s, dir, executable(t)+" tool call setuid || test -u setuid3 || chmod 4755 setuid3"); code == 0 {
			t.Errorf("it works: %s", out)
		}
		if out, code := run(t, s, dir, "chmod 755 setuid3 && mkdir -m 1777 d && cp -p setuid3 other"); code != 0 {
			t.Error(out)
		}
	})
}
