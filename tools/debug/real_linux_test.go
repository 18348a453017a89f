package debug_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/debug"
)

const goProgram = `package main

import (
	"fmt"
	"os"
)

type point struct {
	X, Y int
	Tags []string
}

func double(n int) int {
	r := n * 2
	return r
}

func main() {
	p := point{X: 1, Y: 2, Tags: []string{"a", "b"}}
	sum := 0
	for i := 0; i < 3; i++ {
		sum += double(i)
		fmt.Println("sum", sum)
	}
	fmt.Println(p, os.Args[1:], os.Getenv("GREETING"))
	os.Exit(3)
}
`

const pyProgram = `import sys

def double(n):
    r = n * 2
    return r

class Point:
    def __init__(self):
        self.x = 1
        self.tags = ["a", "b"]

total = 0
p = Point()
for i in range(3):
    total += double(i)
    print("total", total)
print(sys.argv[1:])
sys.exit(0)
`

func goProject() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.21\n", "main.go": goProgram,
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tgot := double(4)\n\tif got != 8 {\n\t\tt.Error(got)\n\t}\n}\n",
	}
}

// delve skips a test where Delve is missing.
func delve(t testing.TB) {
	t.Helper()
	_, err := exec.LookPath("dlv")
	testrequire.Deep(t, err == nil, "dlv", "go install github.com/go-delve/delve/cmd/dlv@v1.27.2")
}

// debugpy returns the adapters with a Python that has debugpy, and skips a test where none has.
func debugpy(t testing.TB) []debug.Adapter {
	t.Helper()
	var python string
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if found, err := exec.LookPath(name); err == nil && exec.Command(found, "-c", "import debugpy").Run() == nil {
			python = found
			break
		}
	}
	testrequire.Deep(t, python != "", "debugpy", "apt-get install python3-debugpy")
	all := debug.DefaultAdapters()
	for i := range all {
		if all[i].Name == "debugpy" {
			all[i].Command, all[i].Env = python, []string{"PYDEVD_INTERRUPT_THREAD_TIMEOUT=2"}
		}
	}
	return all
}

// Breakpoints hold although the user's GOFLAGS take the paths of source files out of programs.
func TestDelve_Trimpath(t *testing.T) {
	delve(t)
	t.Setenv("GOFLAGS", "-trimpath")
	p := newProject(t, setup{files: goProject()})
	r := p.start(t, debug.StartArgs{Program: ".", Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 22}}})
	contains(t, r.TextContent(), "stopped: breakpoint in main.main at main.go:22")
}

// A model debugs a Go program from a breakpoint to its end, ten times.
func TestDelve(t *testing.T) {
	delve(t)
	p := newProject(t, setup{files: goProject()})
	for range 10 {
		r := p.start(t, debug.StartArgs{Program: ".", Args: []string{"x", "y z"}, Env: map[string]string{"GREETING": "hello"},
			Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 22, Condition: "i > 0"}}})
		contains(t, r.TextContent(), "stopped: breakpoint in main.main at main.go:22", ">   22  \t\tsum += double(i)", "i (int) = 1", "sum 0")
		r = p.step(t, debug.StepArgs{Action: "over"})
		contains(t, r.TextContent(), "stopped: step in main.main at main.go:23", ">   23  ", "sum (int) = 2")
		if len(r.Changed) != 1 && len(r.Changed) != 0 { // the first time everything was new
			t.Errorf("changed: %+v", r.Changed)
		}
		if r = p.step(t, debug.StepArgs{Action: "continue"}); r.Line != 22 {
			t.Errorf("%+v", r)
		}
		if r = p.step(t, debug.StepArgs{Action: "into"}); r.Function != "main.double" {
			t.Errorf("%+v", r)
		}
		v, err := p.Variables(t.Context(), debug.VariablesArgs{Frame: 1, Depth: 3})
		if err != nil {
			t.Fatal(err)
		}
		contains(t, v.TextContent(), "#1 main.main main.go:22", "X (int) = 1", "[1] (string) = \"b\"", "i (int) = 2")
		e, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "p.Y + i", Frame: 1})
		if err != nil || e.Value != "4" || e.Type != "int" {
			t.Errorf("%+v, %v", e, err)
		}
		_, err = p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "nothing"})
		wantCode(t, "an unknown name", err, "DEBUGGER_FAILED", "nothing")
		if r = p.step(t, debug.StepArgs{Action: "out"}); r.Function != "main.main" {
			t.Errorf("%+v", r)
		}
		b, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{ClearAll: true, Set: []debug.Breakpoint{{Function: "main.double"}, {Path: "main.go", Line: 900}}})
		if err != nil || len(b.Breakpoints) != 2 || !b.Breakpoints[0].Verified || b.Breakpoints[1].Verified || b.Breakpoints[1].Message == "" {
			t.Errorf("%+v, %v", b, err)
		}
		if r = p.step(t, debug.StepArgs{Action: "until", Line: 25}); r.Line != 25 {
			t.Errorf("%+v", r)
		}
		r = p.step(t, debug.StepArgs{Action: "continue"})
		if r.State != "ended" || r.ExitCode == nil || *r.ExitCode != 3 {
			t.Errorf("%+v", r)
		}
		contains(t, r.Output, "{1 2 [a b]} [x y z] hello\n")
	}
	none(t, p)
}

// none checks that nothing is left of sessions, neither processes nor files.
func none(t testing.TB, p project) {
	t.Helper()
	if left := descendants(t); len(left) > 0 {
		t.Errorf("the processes %v are left", left)
	}
	if files, _ := filepath.Glob(filepath.Join(p.dir, "__debug*")); len(files) > 0 {
		t.Errorf("the files %q are left", files)
	}
}

func TestDelveModes(t *testing.T) {
	delve(t)
	p := newProject(t, setup{files: goProject(), options: debug.Options{Attach: true}})
	r := p.start(t, debug.StartArgs{Program: "main_test.go", Mode: "test", Args: []string{"-test.run=TestDouble", "-test.v"}, Breakpoints: []debug.Breakpoint{{Path: "main_test.go", Line: 7}}})
	contains(t, r.TextContent(), "p.TestDouble at main_test.go:7", "got (int) = 8")
	contains(t, p.step(t, debug.StepArgs{Action: "continue"}).TextContent(), "ended", "PASS")

	build := exec.Command("go", "build", "-trimpath=false", "-gcflags=all=-N -l", "-o", "program", ".")
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r = p.start(t, debug.StartArgs{Program: "program", StopOnEntry: true})
	contains(t, r.TextContent(), "stopped: function breakpoint in main.main at main.go:18")
	if r, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil || r.State != "ended" {
		t.Errorf("%+v, %v", r, err)
	}
	none(t, p)
}

// A compile error names its line; a panic stops the program there.
func TestDelveFaults(t *testing.T) {
	delve(t)
	files := goProject()
	files["broken/main.go"] = "package main\n\nfunc main() { undefined() }\n"
	files["panics/main.go"] = "package main\n\nfunc main() {\n\tvar m map[string]int\n\tm[\"x\"] = 1\n}\n"
	p := newProject(t, setup{files: files})
	_, err := p.Start(t.Context(), debug.StartArgs{Program: "broken"})
	wantCode(t, "broken", err, "DEBUGGER_FAILED", "undefined: undefined", "main.go:3")
	r := p.start(t, debug.StartArgs{Program: "panics"})
	contains(t, r.TextContent(), "stopped: exception", "assignment to entry in nil map", ">    5  \tm[\"x\"] = 1")
	if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
		t.Error(err)
	}
	none(t, p)
}

const wild = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	child := exec.Command("sleep", "1000")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Println("child", child.Process.Pid, "self", os.Getpid())
	line := strings.Repeat("0123456789abcde\n", 1<<16)
	for range 1 << 10 {
		os.Stdout.WriteString(line)
	}
	fmt.Println("all is said")
	time.Sleep(time.Hour)
}
`

// A program that forks, ignores signals and prints a gigabyte is debugged and ended as any other.
func TestDelve_WildProgram(t *testing.T) {
	delve(t)
	p := newProject(t, setup{files: map[string]string{"go.mod": "module example.com/p\n\ngo 1.22\n", "main.go": wild}, options: debug.Options{MaxOutput: 1 << 20}})
	r := p.start(t, debug.StartArgs{Program: ".", Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 21}}})
	pids := append(numbers(t, r.Output, "child"), numbers(t, r.Output, "self")...)
	if r.Line != 21 || len(pids) != 2 || !alive(pids[0]) || !alive(pids[1]) {
		t.Fatalf("%+v", r)
	}
	r = p.step(t, debug.StepArgs{Action: "continue", WaitMs: new(0)})
	for deadline := time.Now().Add(3 * hang); ; {
		got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(100), Offset: new(int64(-100))})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", got, err)
		}
		if strings.Contains(got.State.Output, "all is said") {
			if got.OutputSize < 1<<30 {
				t.Errorf("it has said %d bytes", got.OutputSize)
			}
			break
		}
	}
	if r = p.step(t, debug.StepArgs{Action: "pause"}); r.State != "stopped" {
		t.Errorf("%+v", r)
	}
	if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
		t.Fatal(err)
	}
	wantGone(t, pids...)
	none(t, p)
}

// A process that runs already is left alone in the end.
func TestDelveAttach(t *testing.T) {
	delve(t)
	p := newProject(t, setup{files: map[string]string{"go.mod": "module example.com/p\n\ngo 1.22\n", "main.go": "package main\n\nimport \"time\"\n\nfunc main() {\n\tfor {\n\t\ttime.Sleep(time.Millisecond)\n\t}\n}\n"},
		options: debug.Options{Attach: true}})
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	running := exec.Command(filepath.Join(p.dir, "program"))
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = running.Process.Kill(); _ = running.Wait() }()
	r := p.start(t, debug.StartArgs{Mode: "attach", ProcessID: running.Process.Pid, WaitMs: new(2000)})
	if r.State == "ended" {
		t.Fatalf("%+v", r)
	}
	if r.State == "running" {
		r = p.step(t, debug.StepArgs{Action: "pause"})
	}
	if r.State != "stopped" {
		t.Errorf("%+v", r)
	}
	if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
		t.Fatal(err)
	}
	if !alive(running.Process.Pid) {
		t.Error("the process has ended")
	}
}

// The same with Python.
func TestDebugpy(t *testing.T) {
	p := newProject(t, setup{options: debug.Options{Adapters: debugpy(t)}, files: map[string]string{"main.py": pyProgram}})
	for range 10 {
		r := p.start(t, debug.StartArgs{Program: "main.py", Args: []string{"x", "y z"}, Breakpoints: []debug.Breakpoint{{Path: "main.py", Line: 15, Condition: "i > 0"}}})
		contains(t, r.TextContent(), "stopped: breakpoint in <module> at main.py:15", ">   15      total += double(i)", "i (int) = 1", "total 0")
		r = p.step(t, debug.StepArgs{Action: "over"})
		contains(t, r.TextContent(), "at main.py:16", "total (int) = 2")
		if r = p.step(t, debug.StepArgs{Action: "continue"}); r.Line != 15 {
			t.Errorf("%+v", r)
		}
		if r = p.step(t, debug.StepArgs{Action: "into"}); r.Function != "double" {
			t.Errorf("%+v", r)
		}
		v, err := p.Variables(t.Context(), debug.VariablesArgs{Frame: 1, Depth: 2})
		if err != nil {
			t.Fatal(err)
		}
		contains(t, v.TextContent(), "#1 <module> main.py:15", "i (int) = 2", "tags (list) = ['a', 'b']")
		e, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "p.x + i", Frame: 1})
		if err != nil || e.Value != "3" {
			t.Errorf("%+v, %v", e, err)
		}
		b, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{ClearAll: true})
		if err != nil || len(b.Breakpoints) != 0 {
			t.Errorf("%+v, %v", b, err)
		}
		if r = p.step(t, debug.StepArgs{Action: "until", Line: 17}); r.Line != 17 {
			t.Errorf("%+v", r)
		}
		r = p.step(t, debug.StepArgs{Action: "continue"})
		if r.State != "ended" || r.ExitCode == nil || *r.ExitCode != 0 {
			t.Errorf("%+v", r)
		}
		contains(t, r.Output, "['x', 'y z']")
	}
	none(t, p)
}

// An expression that takes too long is interrupted; one that destroys is refused; an exception stops the program.
func TestDebugpyFaults(t *testing.T) {
	p := newProject(t, setup{options: debug.Options{Adapters: debugpy(t)}, files: map[string]string{
		"main.py": "import time\n\nx = {}\nprint(1)\nx['key']\n", "broken.py": "def f(:\n",
	}})
	p.start(t, debug.StartArgs{Program: "main.py", StopOnEntry: true})
	_, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "__import__('time').sleep(1000)", TimeoutMs: 1000})
	wantCode(t, "sleep", err, "TIMEOUT")
	if _, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(20_000)}); err != nil { // it gets over it
		t.Fatal(err)
	}
	if e, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "1 + 1"}); err != nil || e.Value != "2" {
		t.Errorf("%+v, %v", e, err)
	}
	r := p.step(t, debug.StepArgs{Action: "continue"})
	contains(t, r.TextContent(), "stopped: exception", "KeyError", ">    5  x['key']")
	if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
		t.Error(err)
	}
	none(t, p)
}

// Programs have no input: they neither wait for it nor read the input of the debugger.
func TestStart_NoStandardInput(t *testing.T) {
	p := newProject(t, setup{options: debug.Options{Adapters: debugpy(t)}, files: map[string]string{
		"main.py": "import sys\ntry:\n    print('read', len(sys.stdin.read()))\nexcept Exception as e:\n    print('none', e)\n",
	}})
	r := p.start(t, debug.StartArgs{Program: "main.py"})
	if r.State != "ended" || !strings.Contains(r.Output, "read 0") && !strings.Contains(r.Output, "none") {
		t.Errorf("%+v", r)
	}
}

// In a sandbox, a debugger and its program reach the project alone.
func TestDebugger_Sandbox(t *testing.T) {
	delve(t)
	files := goProject()
	files["main.go"] = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tfmt.Println(\"inside\", os.WriteFile(\"inside.txt\", nil, 0o600))\n\tfmt.Println(\"outside\", os.WriteFile(os.Args[1], nil, 0o600))\n}\n"
	dlv, err := exec.LookPath("dlv")
	if err != nil {
		t.Fatal(err)
	}
	p := newProject(t, setup{files: files, sandbox: &sandbox.Options{Read: []string{filepath.Dir(dlv)}}})
	build := exec.Command("go", "build", "-trimpath=false", "-gcflags=all=-N -l", "-o", "program", "main.go")
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	outside := filepath.Join(t.TempDir(), "outside.txt")
	r := p.start(t, debug.StartArgs{Program: "program", Args: []string{outside}, Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 10}}})
	contains(t, r.TextContent(), "stopped: breakpoint in main.main at main.go:10", "inside <nil>")
	r = p.step(t, debug.StepArgs{Action: "continue"})
	contains(t, r.TextContent(), "ended", "outside open", "no such file")
	none(t, p)
}

// A breakpoint that is set while the program runs stops it, and a server with threads is paused and goes on.
func TestRunningPrograms(t *testing.T) {
	for name, tc := range map[string]struct {
		program string
		line    int
		files   map[string]string
	}{
		"Go":     {".", 9, map[string]string{"go.mod": "module example.com/p\n\ngo 1.22\n", "main.go": "package main\n\nimport \"time\"\n\nfunc main() {\n\tgo func() { select {} }()\n\tfor n := 0; ; n++ {\n\t\ttime.Sleep(time.Millisecond)\n\t\t_ = n\n\t}\n}\n"}},
		"Python": {"main.py", 9, map[string]string{"main.py": "import threading\nimport time\n\nthreading.Thread(target=lambda: time.sleep(1000), daemon=True).start()\nn = 0\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.001)\n    n += 1\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			delve(t)
			p := newProject(t, setup{options: debug.Options{Adapters: debugpy(t)}, files: tc.files})
			r := p.start(t, debug.StartArgs{Program: tc.program, WaitMs: new(0)})
			for deadline := time.Now().Add(hang); r.State != "running"; {
				got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(100)})
				if err != nil || time.Now().After(deadline) {
					t.Fatalf("%+v, %v", got, err)
				}
				r = *got.State
			}
			path := tc.program
			if path == "." {
				path = "main.go"
			}
			b, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: path, Line: tc.line}}})
			if err != nil || len(b.Breakpoints) != 1 {
				t.Fatalf("%+v, %v", b, err)
			}
			got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(30_000)})
			if err != nil || got.State.State != "stopped" || got.State.Line != tc.line {
				t.Fatalf("%+v, %v", got.State, err)
			}
			if _, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{ClearAll: true}); err != nil {
				t.Error(err)
			}
			for range 3 {
				if r = p.step(t, debug.StepArgs{Action: "continue", WaitMs: new(50)}); r.State != "running" {
					t.Errorf("it is %+v", r)
				}
				if r = p.step(t, debug.StepArgs{Action: "pause"}); r.State != "stopped" {
					t.Errorf("it is %+v", r)
				}
			}
			v, err := p.Variables(t.Context(), debug.VariablesArgs{})
			if err != nil || len(v.Threads) < 2 {
				t.Errorf("%+v, %v", v.Threads, err)
			}
			if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
				t.Error(err)
			}
			none(t, p)
		})
	}
}
