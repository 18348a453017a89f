package process_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// form is one way in which a command can start a process.
type form struct {
	name, script string
	program      string // without which the form is left out
	terminal     bool   // it gets a pseudo-terminal
}

// quiet lets go of the streams of a command.
const quiet = ` >/dev/null 2>&1 </dev/null`

// forms are lines of shell in which S stands for a program that runs for an hour.
func forms() []form {
	const daemon = `import os,sys
if os.fork(): sys.exit()
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/")
os.environ.clear()
os.closerange(0, 3)
os.execvp("sleep", ["sleep", sys.argv[1]])`
	return []form{
		{name: "foreground", script: `S`},
		{name: "replaced shell", script: `exec S`},
		{name: "background", script: `S & wait`},
		{name: "background, left", script: `S` + quiet + ` &`},
		{name: "background, output held", script: `S &`},
		{name: "nohup", script: `nohup S` + quiet + ` & wait`},
		{name: "nohup, left", script: `nohup S` + quiet + ` &`},
		{name: "setsid", script: `setsid S & wait`},
		{name: "setsid, left", script: `setsid S` + quiet + ` &`},
		{name: "setsid --fork", script: `setsid --fork S` + quiet},
		{name: "setsid --wait", script: `setsid --fork --wait S`},
		{name: "nohup setsid", script: `nohup setsid S` + quiet + ` &`},
		{name: "double fork", script: `( (S` + quiet + ` &) &)`},
		{name: "double fork, setsid", script: `(setsid sh -c 'S` + quiet + ` &' &)`},
		{name: "triple fork, setsid twice", script: `(setsid sh -c '(setsid S` + quiet + ` &) &' &)`},
		{name: "no environment", script: `env -i S`},
		{name: "no environment, setsid", script: `env -i setsid S & wait`},
		{name: "no environment, setsid, left", script: `env -i setsid S` + quiet + ` &`},
		{name: "no environment, double fork", script: `(env -i setsid sh -c 'S` + quiet + ` &' &)`},
		{name: "no environment, below another", script: `env -i setsid sh -c 'S & S & wait' & wait`},
		{name: "pipeline", script: `S | cat`},
		{name: "long pipeline", script: `S | cat | cat | (setsid cat) | S`},
		{name: "background pipeline", script: `(S | cat) & wait`},
		{name: "nested shells", script: `sh -c "sh -c 'sh -c \"S; true\"; true'; true"`},
		{name: "signals ignored", script: `trap "" HUP INT QUIT TERM; S; true`},
		{name: "signals ignored, setsid", script: `setsid sh -c 'trap "" HUP INT QUIT TERM; S; true' & wait`},
		{name: "signals ignored, respawning", script: `setsid sh -c 'trap "" HUP INT QUIT TERM; while :; do S; done'` + quiet + ` &`},
		{name: "stopped", script: `S & kill -STOP $!; wait`},
		{name: "stopped, setsid", script: `setsid sh -c 'kill -STOP $$; S'` + quiet + ` & S`},
		{name: "respawning", script: `while :; do S; done`},
		{name: "many", script: `for i in 1 2 3 4 5 6 7 8 9 10; do S & done; wait`},
		{name: "many, left", script: `for i in 1 2 3 4 5 6 7 8 9 10; do setsid S` + quiet + ` & done`},
		{name: "closed streams", script: `(exec <&- >&- 2>&-; S) & wait`},
		{name: "another directory", script: `cd / && setsid S & wait`},
		{name: "input from a pipe", script: `mkfifo "$D/fifo"; S <"$D/fifo" & S >"$D/fifo"`},
		{name: "xargs", script: `echo 1 2 3 | tr " " "\n" | xargs -P 3 -I{} sh -c 'S; true'`},
		{name: "find -exec", script: `find / -maxdepth 0 -exec S \;`},
		{name: "timeout", script: `timeout 3000 S`},
		{name: "nice", script: `nice -n 5 nohup S` + quiet + ` &`},
		{name: "lock", script: `flock "$D/lock" S`, program: "flock"},
		{name: "terminal", script: `S`, terminal: true},
		{name: "terminal, background", script: `S & wait`, terminal: true},
		{name: "terminal, setsid", script: `setsid S` + quiet + ` & wait`, terminal: true},
		{name: "terminal, job control", script: `set -m; S & S & wait`, terminal: true},
		{name: "terminal in a terminal", script: `script -qc 'S' /dev/null`, program: "script"},
		{name: "disown", script: `bash -c 'S` + quiet + ` & disown -a'`, program: "bash"},
		{name: "coprocess", script: `bash -c 'coproc S; wait'`, program: "bash"},
		{name: "process substitution", script: `bash -c 'cat <(S)'`, program: "bash"},
		{name: "interactive shell", script: `echo 'S & S' | bash --norc -i`, program: "bash", terminal: true},
		{name: "daemon", script: `python3 -c '` + daemon + `' N`, program: "python3"},
		{name: "daemon of a daemon", script: `setsid sh -c "python3 -c '` + strings.ReplaceAll(daemon, `"`, `\"`) + `' N" &`, program: "python3"},
	}
}

// server is a program that runs all forms until something ends it: the part of a test that is ended.
func server() {
	sleep, dir, way := os.Getenv("DOUGU_TEST_SLEEP"), os.Getenv("DOUGU_TEST_DIR"), os.Getenv("DOUGU_TEST_WAY")
	started := 0
	for i, f := range forms() {
		if f.program != "" {
			if _, err := exec.LookPath(f.program); err != nil {
				continue
			}
		}
		if _, err := process.Capture(f.command(fmt.Sprint(sleep, i+10), dir), f.options()); err != nil {
			panic(err)
		}
		started++
	}
	fmt.Println(started)
	_, _ = io.Copy(io.Discard, os.Stdin)
	switch way {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("the end")
	}
}

func (f form) command(sleep, dir string) *exec.Cmd {
	script := strings.NewReplacer("S;", "sleep "+sleep+";", "S", "sleep "+sleep, "' N", "' "+sleep).Replace(strings.ReplaceAll(f.script, "STOP", "19"))
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), "D="+dir)
	return cmd
}

func (f form) options() process.CaptureOptions {
	o := process.CaptureOptions{Mark: "mark-of-a-form"}
	if f.terminal {
		o.Terminal = terminal(24, 80)
	}
	return o
}

// survivors are the command lines of living processes that hold a text.
func survivors(t testing.TB, text string) (found []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		line, err := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && bytes.Contains(line, []byte(text)) && alive(pid) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// unique is the beginning of a number of seconds that no other process sleeps.
func unique() string { return fmt.Sprintf("3600.%09d", rand.IntN(1e9)) }

func TestSupervise_NothingOutlivesTheProgram(t *testing.T) {
	signals := map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT}
	ways := []string{"SIGKILL", "return", "SIGTERM", "SIGHUP", "SIGINT", "exit", "panic"}
	if testing.Short() {
		ways = ways[:1]
	}
	// Below nohup, or in the background of some shells, a program ignores signals. Programs that this one starts while it catches the
	// signals do not.
	caught := make(chan os.Signal, len(signals))
	for _, sig := range signals {
		signal.Notify(caught, sig) // SIGKILL cannot be caught, which does not matter
	}
	defer signal.Stop(caught)
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			sleep := unique()
			program := exec.Command(os.Args[0])
			program.Env = append(os.Environ(), childVariable+"=server", "DOUGU_TEST_SLEEP="+sleep, "DOUGU_TEST_DIR="+t.TempDir(), "DOUGU_TEST_WAY="+way)
			in, err := program.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			started, _ := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || started < 40 {
				t.Errorf("%d forms run, %v", started, err)
			}
			await(t, "the forms do not run", func() bool { return len(survivors(t, sleep)) >= started })
			if sig, ok := signals[way]; ok {
				_ = program.Process.Signal(sig)
			} else {
				_ = in.Close()
			}
			_ = program.Wait()
			ended := time.Now()
			await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
			t.Logf("%d forms ended after %v", started, time.Since(ended).Round(time.Millisecond))
		})
	}
}

// await waits until something is true.
func await(t testing.TB, otherwise string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hang); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}

func TestSupervise_KilledForms(t *testing.T) {
	all := forms()
	if testing.Short() {
		all = all[15:21]
	}
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			if f.program != "" {
				if _, err := exec.LookPath(f.program); err != nil {
					t.Skip(err)
				}
			}
			sleep := unique()
			c, err := process.Capture(f.command(sleep, t.TempDir()), f.options())
			if err != nil {
				t.Fatal(err)
			}
			await(t, "it does not run", func() bool { return len(survivors(t, "sleep\x00"+sleep)) > 0 || strings.HasPrefix(f.name, "stopped") })
			if err := errors.Join(c.Stop(process.Kill, 0), c.Close()); err != nil {
				t.Error(err)
			}
			if left := survivors(t, sleep); len(left) > 0 {
				t.Errorf("these survive: %q", left)
			}
		})
	}
}

// A command that kills its supervisor ends with it, and so does a process with its mark.
func TestSupervise_KilledSupervisor(t *testing.T) {
	sleep := unique()
	w := capture(t, `setsid sleep `+sleep+` & sleep 0.`+sleep[5:]+`; kill -KILL $PPID; sleep `+sleep, process.CaptureOptions{})
	wait(t, w.Ended())
	if e := w.Exit(); e.Signal != "SIGKILL" {
		t.Errorf("it has ended with %+v", e)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
	w = capture(t, "echo again", process.CaptureOptions{})
	wait(t, w.Ended())
	if got := w.text(process.Stdout); got != "again\n" {
		t.Errorf("the next command says %q", got)
	}
}

// TestSupervise_KilledSupervisorWithOrphan checks that the descendants of a killed supervisor are killed while the
// program continues, even without a mark or the session.
func TestSupervise_KilledSupervisorWithOrphan(t *testing.T) {
	sleep := unique()
	w := capture(t, `env -i setsid -f sleep `+sleep+quiet+`; kill -KILL $PPID; sleep `+sleep, process.CaptureOptions{})
	wait(t, w.Ended())
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if left := survivors(t, sleep); len(left) > 0 {
		t.Errorf("these survive: %q", left)
	}
}

// stopping is a program whose command has left a process and stops the supervisor. It prints the number of the supervisor.
func stopping() {
	started := filepath.Join(os.Getenv("DOUGU_TEST_DIR"), "started") // the supervisor has reported the command before it is stopped
	script := `env -i setsid -f sleep "$S"` + quiet + `; until [ -e "$F" ]; do sleep 0.01; done; echo $PPID; kill -STOP $PPID; sleep "$S"`
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), "S="+os.Getenv("DOUGU_TEST_SLEEP"), "F="+started)
	if _, err := process.Capture(cmd, process.CaptureOptions{Output: func(_ process.Stream, p []byte) { _, _ = os.Stdout.Write(p) }}); err != nil {
		panic(err)
	}
	if err := os.WriteFile(started, nil, 0o600); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A stopped supervisor goes on when the program is killed. If the supervisor is killed too, the keeper goes on.
func TestSupervise_StoppedSupervisorOfAKilledProgram(t *testing.T) {
	for name, kills := range map[string]bool{"stopped": false, "stopped and killed": true} {
		t.Run(name, func(t *testing.T) {
			sleep := unique()
			program := exec.Command(os.Args[0])
			program.Env = append(os.Environ(), childVariable+"=stopping", "DOUGU_TEST_SLEEP="+sleep, "DOUGU_TEST_DIR="+t.TempDir())
			in, err := program.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			supervisor, _ := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || supervisor <= 1 {
				t.Fatalf("the program says %q, %v", line, err)
			}
			await(t, "the supervisor is not stopped", func() bool { return stateOf(supervisor) == 'T' })
			_ = program.Process.Kill()
			if kills {
				_ = syscall.Kill(supervisor, syscall.SIGKILL)
			}
			_ = program.Wait()
			await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
		})
	}
}

// stateOf is the state of a process, as a letter of /proc/PID/stat.
func stateOf(pid int) byte {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if i := bytes.LastIndexByte(stat, ')'); err == nil && i >= 0 {
		return stat[i+2]
	}
	return 0
}

// A stopped supervisor does not keep its command alive.
func TestSupervise_StoppedSupervisor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	sleep, started := unique(), filepath.Join(t.TempDir(), "started")
	w := capture(t, `setsid sleep `+sleep+` & until [ -e `+started+` ]; do sleep 0.01; done; kill -STOP $PPID; echo stopped; sleep `+sleep, process.CaptureOptions{})
	if err := os.WriteFile(started, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.await(t, "stopped")
	_ = w.Stop(process.Kill, 0)
	await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
}

// A command that stops its supervisor may do so before the supervisor has reported it. Then starting it is an error.
func TestSupervise_StoppedAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	defer process.SetStartPatience(2 * time.Second)()
	for range 2 {
		sleep := unique()
		cmd := exec.Command("/bin/sh", "-c", `kill -STOP $PPID; setsid sleep `+sleep+` & sleep `+sleep)
		c, err := process.Capture(cmd, process.CaptureOptions{})
		if err == nil {
			_ = c.Stop(process.Kill, 0)
		}
		await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
	}
}

// A supervisor that does not answer in time is ended with the command, whether that runs already or not.
func TestSupervise_NoAnswer(t *testing.T) {
	defer process.SetStartPatience(time.Nanosecond)()
	for range 20 {
		sleep := unique()
		_, err := process.Capture(exec.Command("/bin/sh", "-c", `setsid sleep `+sleep+` & sleep `+sleep), process.CaptureOptions{})
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		await(t, "something survives", func() bool { return len(survivors(t, sleep)) == 0 })
	}
}

// Processes that start others without end are overtaken.
func TestSupervise_ForkBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("uses much of the machine")
	}
	sleep := unique()
	w := capture(t, `ulimit -u 2000 2>/dev/null; f() { sleep `+sleep+` & f & f & wait; }; for i in 1 2 3 4; do env -i setsid sh -c 'while :; do (sleep `+sleep+` &) ; done' & done; echo ready; wait`, process.CaptureOptions{})
	w.await(t, "ready")
	time.Sleep(300 * time.Millisecond)
	if err := w.Stop(process.Kill, 0); err != nil {
		t.Error(err)
	}
	if left := survivors(t, sleep); len(left) > 0 {
		t.Errorf("%d survive", len(left))
	}
}

func TestSupervise_CommandSeesNoDifference(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, ignored, _ := strings.Cut(string(status), "SigIgn:\t")
	ignored, _, _ = strings.Cut(ignored, "\n") // signals: SIGHUP below nohup
	for script, want := range map[string]string{
		`exit 7`:                              "{7 }",
		`kill -TERM $$`:                       "{143 SIGTERM}",
		`kill -SEGV $$`:                       "{139 SIGSEGV}",
		`kill -34 $$`:                         "{162 signal 34}",
		`[ "$(cat)" = "" ]`:                   "{0 }",
		`env | grep -q "^GOMAXPROCS="`:        "{1 }",
		`[ "$PWD" = / ] && [ -z "$GOGC" ]`:    "{0 }",
		`ls -l /proc/$$/fd | grep -c socket:`: "{1 }", // grep finds none
		`set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 != $$ ]`: "{0 }", // leads a group, not a session
		`sleep 0.01 & wait; exit 3`:                                "{3 }",
		`trap "exit 5" INT; kill -INT 0; sleep 10`:                 "{5 }",
		`grep -q "^SigIgn:.*` + ignored + `$" /proc/$$/status`:     "{0 }",
	} {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
		c, err := process.Capture(cmd, process.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wait(t, c.Ended())
		if got := fmt.Sprintf("{%d %s}", c.Exit().Code, c.Exit().Signal); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
		if c.Left() {
			t.Errorf("%s: something is left", script)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Files beside the standard streams reach the command, whatever its arguments are.
func TestSupervise_FilesAndArguments(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "extra"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	long := strings.Repeat("\xff\"x\n", 30_000)
	cmd := exec.Command("/bin/sh", "-c", `printf %s "$1" >&3; [ "${#V}" = 120000 ]`, "sh", long)
	cmd.ExtraFiles, cmd.Env = []*os.File{file}, []string{"LC_ALL=C", "V=" + strings.Repeat("y", 120_000)}
	c, err := process.Capture(cmd, process.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, c.Ended())
	if e := c.Exit(); e.Code != 0 {
		t.Errorf("it has ended with %+v", e)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(file.Name()); err != nil || string(got) != long {
		t.Errorf("the file has %d bytes, want %d, %v", len(got), len(long), err)
	}
}

func TestSupervise_Errors(t *testing.T) {
	for _, c := range []struct {
		path, dir string
		want      error
		op        string
	}{
		{path: "/none/such", want: fs.ErrNotExist, op: "fork/exec"},
		{path: "/etc/passwd", want: fs.ErrPermission, op: "fork/exec"},
		{path: "/bin/sh", dir: "/none/such", want: fs.ErrNotExist, op: "chdir"},
		{path: "no-such-program-anywhere", want: exec.ErrNotFound},
	} {
		cmd := exec.Command(c.path)
		cmd.Dir = c.dir
		_, err := process.Capture(cmd, process.CaptureOptions{})
		var p *fs.PathError
		if !errors.Is(err, c.want) || c.op != "" && (!errors.As(err, &p) || p.Op != c.op) {
			t.Errorf("%s in %q: %v", c.path, c.dir, err)
		}
	}
}

func TestSupervise_DirectoryOfTheProgram(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	w := capture(t, "pwd -P", process.CaptureOptions{})
	wait(t, w.Ended())
	if got := strings.TrimSpace(w.text(process.Stdout)); got != dir {
		t.Errorf("it runs in %q, want %q", got, dir)
	}
}

// The terminal controls its jobs: Ctrl+C reaches the job in the foreground alone.
func TestSupervise_TerminalControlsJobs(t *testing.T) {
	w := capture(t, `set -m; trap "echo shell" INT; sh -c 'trap "echo job; exit 9" INT; echo ready; while :; do sleep 0.1; done'; echo code $?; tty; ps -o tty= -p $$ 2>/dev/null`,
		process.CaptureOptions{Terminal: terminal(24, 80)})
	w.await(t, "ready")
	if _, err := w.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	wait(t, w.Ended())
	if got := w.text(process.Stdout); !strings.Contains(got, "job") || !strings.Contains(got, "code 9") || !strings.Contains(got, "/dev/pts/") {
		t.Errorf("it says %q", got)
	}
}

// Programs that do not call Supervise have groups, marks and the death signal.
func TestSupervise_NotCalled(t *testing.T) {
	if testing.Short() || os.Getenv(directVariable) != "" {
		t.Skip("runs other tests again")
	}
	runUnsupervised(t, "^(TestA|TestMark|TestChildren|TestOutput|TestStandard)")
}

// runUnsupervised runs tests of this package in a process that does not call Supervise.
func runUnsupervised(t *testing.T, tests string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run="+tests, "-test.skip=/(without_an_environment)$")
	cmd.Env = append(os.Environ(), directVariable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func BenchmarkCapture(b *testing.B) {
	for b.Loop() {
		c, err := process.Capture(exec.Command("/bin/true"), process.CaptureOptions{})
		if err != nil {
			b.Fatal(err)
		}
		<-c.Ended()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
