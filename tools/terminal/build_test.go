package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// fake is a build program on PATH that replaces another one.
func fake(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// build runs execute_build until the build has ended.
func (p project) build(t testing.TB, args terminal.BuildArgs) terminal.BuildResult {
	t.Helper()
	for deadline := time.Now().Add(hang); ; {
		r, err := p.Build(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Running {
			return r
		}
		if args.ProcessID = r.ProcessID; time.Now().After(deadline) {
			t.Fatalf("it does not end: %+v", r)
		}
	}
}

func TestBuild_Success(t *testing.T) {
	fake(t, "make", `mkdir -p build && echo program >build/program && echo "done with $*"`)
	p := newProject(t, setup{files: map[string]string{"sub/Makefile": "all:\n\ttrue\n"}})
	r := p.build(t, terminal.BuildArgs{ProjectPath: "sub"})
	if !r.Success || r.System != "make" || r.Command != "make all" || r.ExitCode != 0 || r.BuildLog != "done with all\n" || len(r.Errors)+len(r.Warnings) > 0 || r.ProcessID == "" {
		t.Errorf("got %+v", r)
	}
	if !slices.Contains(r.Artifacts, "sub/build/program") {
		t.Errorf("it made %q", r.Artifacts)
	}
	if s := r.TextContent(); !strings.HasPrefix(s, "[built with make in ") || !strings.Contains(s, "0 errors, 0 warnings]\n[made: ") || !strings.HasSuffix(s, "\ndone with all\n") {
		t.Errorf("it says %q", s)
	}
	if log := p.read(t, terminal.ReadOutputArgs{ProcessID: r.ProcessID, Offset: new(int64(0))}); log.Output != "done with all\n" {
		t.Errorf("the log is %q", log.Output)
	}
}

// A build reads the disk: its answer names the files with unsaved text at its start.
func TestBuild_UnsavedText(t *testing.T) {
	fake(t, "make", "echo done")
	files := map[string]string{"Makefile": "all:\n\ttrue\n"}
	for i := range 7 {
		files[fmt.Sprintf("%d.c", i)] = "int x;\n"
	}
	p := newProject(t, setup{files: files})
	editor := unsavedtest.Attach(t, p.root)
	for _, tc := range []struct {
		do   func()
		want string
	}{
		{func() {}, ""},
		{func() { editor.Type("3.c", "int y;\n") }, "1 file has unsaved text in pager that the build did not see: 3.c"},
		{
			func() {
				for name := range files {
					editor.Type(name, "typed")
				}
			},
			"8 files have unsaved text in pager that the build did not see: 0.c, 1.c, 2.c, 3.c, 4.c, …",
		},
		{func() { editor.Fail(errors.New("pager does not answer")) }, "the build may not have seen unsaved text: pager does not answer"},
	} {
		tc.do()
		r := p.build(t, terminal.BuildArgs{})
		if r.Note != tc.want || strings.Contains(r.TextContent(), "unsaved") != (tc.want != "") || !strings.Contains(r.TextContent(), tc.want) {
			t.Errorf("%q, want %q; %s", r.Note, tc.want, r.TextContent())
		}
	}
}

// TestBuild_SourcesAreNoArtifacts edits sources before and during a build, in the output directory.
func TestBuild_SourcesAreNoArtifacts(t *testing.T) {
	fake(t, "go", `echo program >program; echo "package main" >during.go`)
	p := newProject(t, setup{files: map[string]string{"go.mod": "module x\n", "main.go": "package main\n", "data.bin": "x"}})
	if r := p.build(t, terminal.BuildArgs{}); !r.Success || !slices.Equal(r.Artifacts, []string{"program"}) {
		t.Errorf("it made %q: %+v", r.Artifacts, r)
	}
}

// TestBuild_FailsWithoutKnownErrors checks that a failed build is not reported with "0 errors".
func TestBuild_FailsWithoutKnownErrors(t *testing.T) {
	fake(t, "make", `echo "it does not work"; exit 3`)
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n"}})
	s := p.build(t, terminal.BuildArgs{}).TextContent()
	if !strings.Contains(s, "no error was recognized in its output; the log has the reason]") || strings.Contains(s, "0 errors") || !strings.Contains(s, "it does not work") {
		t.Errorf("it says %q", s)
	}
}

func TestBuild_Fails(t *testing.T) {
	fake(t, "make", `printf 'src/main.c:3:5: warning: unused variable [-Wunused]\nsrc/main.c:7:1: error: expected ;\n' >&2; exit 2`)
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n", "src/main.c": "x"}})
	r := p.build(t, terminal.BuildArgs{BuildType: "make"})
	if r.Success || r.ExitCode != 2 || len(r.Errors) != 1 || len(r.Warnings) != 1 || r.ErrorCount != 1 || r.WarningCount != 1 {
		t.Fatalf("got %+v", r)
	}
	if e := r.Errors[0]; e.File != "src/main.c" || e.Line != 7 || e.Column != 1 || !strings.Contains(e.Message, "expected ;") {
		t.Errorf("the error is %+v", e)
	}
	if s := r.TextContent(); !strings.HasPrefix(s, "[make all failed with exit code 2 after ") || !strings.Contains(s, "1 error, 1 warning]\nsrc/main.c:7:1: error: expected ;") {
		t.Errorf("it says %q", s)
	}
}

// A line of one stream stays complete if the program writes to the other stream within it.
func TestBuild_PartialLines(t *testing.T) {
	fake(t, "swift", `printf 'Sources/main.swift:7:1: er' >&2; echo to stdout; printf 'ror: expected ;\n' >&2; exit 1`)
	p := newProject(t, setup{files: map[string]string{"Package.swift": "", "Sources/main.swift": "x"}})
	r := p.build(t, terminal.BuildArgs{BuildType: "swift"})
	if len(r.Errors) != 1 || r.Errors[0].File != "Sources/main.swift" || r.Errors[0].Line != 7 || !strings.Contains(r.Errors[0].Message, "expected ;") {
		t.Errorf("got %+v", r)
	}
}

// make prints directories to stdout, and compilers print errors to stderr.
func TestBuild_DirectoriesOfMake(t *testing.T) {
	const subdirectories = 200
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n"}})
	fake(t, "make", fmt.Sprintf(`for i in $(seq %d); do echo "make[1]: Entering directory '%s/d$i'"; echo "a.c:1:1: error: in $i" >&2; echo "make[1]: Leaving directory '%s/d$i'"; done; exit 2`, subdirectories, p.dir, p.dir))
	r := p.build(t, terminal.BuildArgs{})
	if r.ErrorCount != subdirectories || len(r.Errors) == 0 {
		t.Fatalf("got %d errors: %+v", r.ErrorCount, r)
	}
	for i, e := range r.Errors {
		if want := fmt.Sprintf("d%d/a.c", i+1); e.File != want {
			t.Errorf("the error %q is in %s, want %s", e.Message, e.File, want)
		}
	}
}

// The steps of a build run in order until one fails.
func TestBuild_Steps(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"CMakeLists.txt": "project(x)\n"}})
	fake(t, "cmake", `echo "$@" >>steps`)
	if r := p.build(t, terminal.BuildArgs{}); !r.Success || r.Command != "cmake --build build" {
		t.Errorf("got %+v", r)
	}
	if steps, err := os.ReadFile(filepath.Join(p.dir, "steps")); err != nil || string(steps) != "-S . -B build\n--build build\n" {
		t.Errorf("the steps were %q, %v", steps, err)
	}
	fake(t, "cmake", `test "$1" = -S && exit 9; touch never`)
	if r := p.build(t, terminal.BuildArgs{}); r.Success || r.ExitCode != 9 || r.Command != "cmake -S . -B build" {
		t.Errorf("got %+v", r)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "never")); err == nil {
		t.Error("the second step was taken though the first had failed")
	}
}

// A build continues when no call waits for it. A call for the same build joins it.
func TestBuild_Joined(t *testing.T) {
	fake(t, "make", `echo one >>started; echo begun; while ! test -e go; do sleep 0.05; done; echo ended`)
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n"}})
	first, err := p.Build(t.Context(), terminal.BuildArgs{WaitMs: new(100)})
	if err != nil || !first.Running || first.Success || first.ExitCode != -1 {
		t.Fatalf("got %+v, %v", first, err)
	}
	if s := first.TextContent(); !strings.Contains(s, "execute_build with processId="+first.ProcessID) {
		t.Errorf("it says %q", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Build(ctx, terminal.BuildArgs{ProcessID: first.ProcessID}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who goes away: %v", err)
	}
	second, err := p.Build(t.Context(), terminal.BuildArgs{Target: "", WaitMs: new(0)})
	if err != nil || second.ProcessID != first.ProcessID {
		t.Errorf("the same build again: %+v, %v", second, err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	last := p.build(t, terminal.BuildArgs{ProcessID: first.ProcessID})
	if !last.Success || last.BuildLog != "begun\nended\n" {
		t.Errorf("got %+v", last)
	}
	if again := p.build(t, terminal.BuildArgs{ProcessID: first.ProcessID}); again.BuildLog != last.BuildLog {
		t.Errorf("asked again: %+v", again)
	}
	if started, err := os.ReadFile(filepath.Join(p.dir, "started")); err != nil || string(started) != "one\n" {
		t.Errorf("it was started %q times, %v", started, err)
	}
	if next := p.build(t, terminal.BuildArgs{}); next.ProcessID == first.ProcessID {
		t.Errorf("a new build is the old one: %+v", next)
	}
}

func TestBuild_Killed(t *testing.T) {
	fake(t, "make", `echo $$ >pid; sleep 1000`)
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n"}})
	if r := p.build(t, terminal.BuildArgs{Timeout: 200}); r.Success || !r.TimedOut {
		t.Errorf("after its timeout: %+v", r)
	}
	_ = os.Remove(p.dir + "/pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := p.Build(ctx, terminal.BuildArgs{})
		done <- err
	}()
	pid := awaitFile(t, p.dir+"/pid")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	awaitDeath(t, pid)
}

func TestBuild_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{
		files:   map[string]string{"none/x": "", "make/Makefile": "all:\n", "gradle/build.gradle": "", "denied/package.json": `{"scripts":{"build":"true"}}`},
		options: terminal.Options{Policy: &command.Policy{Denied: []string{"npm *"}}},
	})
	for _, tt := range []struct {
		args terminal.BuildArgs
		code string
		says []string
	}{
		{terminal.BuildArgs{ProjectPath: "none"}, "NO_BUILD_SYSTEM", []string{"package.json"}},
		{terminal.BuildArgs{ProjectPath: "nowhere"}, "FILE_NOT_FOUND", nil},
		{terminal.BuildArgs{ProjectPath: "../.."}, "PERMISSION_DENIED", nil},
		{terminal.BuildArgs{ProjectPath: "make", BuildType: "cargo"}, "NO_BUILD_SYSTEM", []string{"make"}},
		{terminal.BuildArgs{ProjectPath: "make", BuildType: "ant"}, "INVALID_PARAMS", []string{"ant"}},
		{terminal.BuildArgs{ProjectPath: "make", Target: "--eval=x"}, "INVALID_PARAMS", []string{"--eval"}},
		{terminal.BuildArgs{ProjectPath: "make", Timeout: -1}, "INVALID_PARAMS", nil},
		{terminal.BuildArgs{ProjectPath: "make", WaitMs: new(60_000)}, "INVALID_PARAMS", nil},
		{terminal.BuildArgs{ProjectPath: "denied"}, "COMMAND_BLOCKED", []string{"npm"}},
		{terminal.BuildArgs{ProcessID: "p9"}, "UNKNOWN_PROCESS", nil},
	} {
		_, err := p.Build(t.Context(), tt.args)
		toolsettest.WantError(t, err, tt.code, tt.says...)
	}
	t.Setenv("PATH", t.TempDir())
	_, err := p.Build(t.Context(), terminal.BuildArgs{ProjectPath: "gradle"})
	toolsettest.WantError(t, err, "BUILD_TOOL_MISSING", "gradle")
}

// The answer of a build with much output is bounded, and errors have priority over the log.
func TestBuild_LongOutput(t *testing.T) {
	fake(t, "make", `seq -f 'main.c:%g:1: error: something is wrong here' 1 3000; seq 1 100000; exit 1`)
	p := newProject(t, setup{files: map[string]string{"Makefile": "all:\n", "main.c": ""}, limits: tools.Limits{Answer: 8 << 10}})
	r := p.build(t, terminal.BuildArgs{})
	if len(r.Errors) < 50 || r.ErrorCount < 500 || !r.Truncated || len(r.TextContent()) > 10<<10 || !strings.HasSuffix(r.BuildLog, "\n100000\n") {
		t.Errorf("%d of %d errors, truncated %v, %d bytes, the log ends with %q: %.300s", len(r.Errors), r.ErrorCount, r.Truncated, len(r.TextContent()), r.BuildLog[max(0, len(r.BuildLog)-40):], r.TextContent())
	}
}

// TestBuild_NoTests checks that a run without tests is not reported as a success.
func TestBuild_NoTests(t *testing.T) {
	for script, want := range map[string]string{
		`printf '?   \tm\t[no test files]\n'`:                  "[no test was found: go test ",
		`echo "no tests ran in 0.01s"; exit 5`:                 " failed with exit code 5 after ",
		`printf '?   \tm\t[no test files]\nok  \tm/a\t0.1s\n'`: "[built with go in ",
	} {
		fake(t, "go", script)
		p := newProject(t, setup{files: map[string]string{"go.mod": "module m\n", "a.go": "package m\n"}})
		r := p.build(t, terminal.BuildArgs{Target: "test"})
		line, _, _ := strings.Cut(r.TextContent(), "\n")
		if !strings.Contains(line, want) || r.NoTests == strings.Contains(want, "built") || r.NoTests && !strings.Contains(line, "no test was found") {
			t.Errorf("%s: %q", script, line)
		}
	}
}
