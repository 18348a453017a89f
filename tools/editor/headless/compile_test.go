package headless_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// scriptedCompiler writes a shell script as the only program on the search path, and returns the options for it. $LOG is a file to
// which the script can write.
func scriptedCompiler(t *testing.T, name, script string, o headless.Options) (_ headless.Options, log string) {
	t.Helper()
	testrequire.Thing(t, runtime.GOOS != "windows", "a shell for a script", "run the test on Linux or macOS")
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nLOG='"+log+"'\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Search, o.Formatters = []string{dir}, []headless.Formatter{}
	return o, log
}

const rustProject = `
-- Cargo.toml --
[package]
name = "shop"
-- src/lib.rs --
mod a;
-- src/a.rs --
fn a() {}
-- src/b.rs --
fn b() {}
`

// depInfo writes the files that rustc has read.
const depInfo = `
mkdir -p target/dougu-check/debug/deps
printf 'x.d: src/lib.rs src/a.rs\n\nsrc/lib.rs:\nsrc/a.rs:\n' >target/dougu-check/debug/deps/x.d
`

func rustMessage(level, code, file, message string) string {
	return `cat <<'E'
{"reason":"compiler-message","message":{"level":"` + level + `","code":` + code + `,"message":"` + message + `","spans":[{"file_name":"` + file + `","is_primary":true,"line_start":1,"line_end":1,"column_start":4,"column_end":5,"label":"here"}]}}
E
`
}

func TestDiagnose_Cargo(t *testing.T) {
	const end = "\necho '{\"reason\":\"build-finished\"}'\nexit 101"
	for name, tc := range map[string]struct {
		script string
		want   []string
		lib, a adapter.CheckState
		reason string // of src/lib.rs
	}{
		"clean":                       {script: depInfo + end, lib: adapter.Checked, a: adapter.Checked},
		"type error":                  {script: depInfo + rustMessage("error", `{"code":"E0308"}`, "src/a.rs", "mismatched types") + rustMessage("error", `{"code":"E0308"}`, "src/a.rs", "mismatched types") + end, want: []string{"src/a.rs:1:4-5: error: mismatched types: here [E0308]"}, lib: adapter.Checked, a: adapter.Checked},
		"warning":                     {script: depInfo + rustMessage("warning", "null", "src/a.rs", "unused") + end, want: []string{"src/a.rs:1:4-5: warning: unused: here []"}, lib: adapter.Checked, a: adapter.Checked},
		"syntax error":                {script: depInfo + rustMessage("error", "null", "src/a.rs", "expected item") + end, want: []string{"src/a.rs:1:4-5: error: expected item: here []"}, lib: adapter.Unchecked, a: adapter.Checked, reason: "stopped at the errors of other files"},
		"no cargo manifest":           {script: "echo 'error: could not parse Cargo.toml' >&2; exit 101", lib: adapter.Unchecked, a: adapter.Unchecked, reason: "could not parse Cargo.toml"},
		"target that was not reached": {script: depInfo + "touch -t 202001010000 target/dougu-check/debug/deps/x.d" + end, lib: adapter.Unchecked, a: adapter.Unchecked, reason: "not reached"},
		"fresh target":                {script: depInfo + "touch -t 202001010000 target/dougu-check/debug/deps/x.d\necho '{\"reason\":\"compiler-artifact\",\"filenames\":[\"/t/libx.rmeta\"]}'" + end, lib: adapter.Checked, a: adapter.Checked},
		"crash":                       {script: "kill -9 $$", lib: adapter.Unchecked, a: adapter.Unchecked, reason: "it printed no result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := scriptedCompiler(t, "cargo", "PATH=/bin:/usr/bin\n"+tc.script, headless.Options{TrustProject: true})
			p := open(t, rustProject, o)
			for _, paths := range [][]string{nil, {p.path("src/lib.rs"), p.path("src/a.rs"), p.path("src/b.rs")}} {
				d, err := p.Diagnose(long(t), paths)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "diagnostics", p.show(d.Items), append([]string{}, tc.want...))
				if c := p.checkOf(d, "src/lib.rs"); c.State != tc.lib || !strings.Contains(c.Reason, tc.reason) {
					t.Errorf("src/lib.rs: %+v", c)
				}
				if c := p.checkOf(d, "src/a.rs"); c.State != tc.a {
					t.Errorf("src/a.rs: %+v", c)
				}
				if c := p.checkOf(d, "src/b.rs"); c.State != adapter.Unchecked {
					t.Errorf("src/b.rs, which belongs to no target: %+v", c)
				}
			}
		})
	}
}

// A compiler runs once for one state of the files, goes on when a request ends, and runs again after a change.
func TestDiagnose_CompilerRuns(t *testing.T) {
	o, log := scriptedCompiler(t, "cargo", "PATH=/bin:/usr/bin\necho run >>$LOG\nsleep 0.3\n"+depInfo+"echo '{\"reason\":\"build-finished\"}'", headless.Options{TrustProject: true})
	p := open(t, rustProject, o)
	a := p.path("src/a.rs")
	if !p.Starting(t.Context(), nil) || !p.Starting(t.Context(), []string{a}) {
		t.Error("no compiler is about to run")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	d, err := p.Diagnose(ctx, []string{a})
	if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Unchecked || !strings.Contains(c.Reason, "cargo check has not finished") {
		t.Errorf("%+v, %v", d, err)
	}
	checked := func(runs int) {
		t.Helper()
		d, err := p.Diagnose(long(t), []string{a})
		if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Checked || c.By != "cargo check" {
			t.Errorf("%+v, %v", d, err)
		}
		if text, err := os.ReadFile(log); err != nil || strings.Count(string(text), "run") != runs {
			t.Errorf("it ran %q, %v, want %d runs", text, err, runs)
		}
	}
	checked(1)
	checked(1)
	if p.Starting(t.Context(), []string{a}) {
		t.Error("it still starts")
	}
	p.write("src/a.rs", "fn changed() {}\n")
	p.FilesChanged([]string{a})
	checked(2)
}

// A run that checked nothing is repeated by the next request, without a change of the files.
func TestDiagnose_CompilerFailure(t *testing.T) {
	const clean = depInfo + "echo '{\"reason\":\"build-finished\"}'"
	for name, tc := range map[string]struct{ interpreter, script, reason string }{
		"no start":  {"\x7fELF, cut off\n", "", "cargo check failed: starting"},
		"no result": {"#!/bin/sh\n", "echo 'error: no network' >&2; exit 101", "cargo check failed: error: no network"},
		"no rustc":  {"#!/bin/sh\n", `printf '%s\n' 'error: process did not exit successfully: rustc -vV' '--- stderr' '' 'error: no toolchain' >&2; exit 101`, "cargo check failed: error: no toolchain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := scriptedCompiler(t, "cargo", "", headless.Options{TrustProject: true})
			write := func(text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(o.Search[0], "cargo"), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			write(tc.interpreter + "PATH=/bin:/usr/bin\n" + tc.script)
			p := open(t, rustProject, o)
			d, err := p.Diagnose(long(t), []string{p.path("src/a.rs")})
			if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Unchecked || !strings.Contains(c.Reason, tc.reason) {
				t.Errorf("%+v, %v", d, err)
			}
			write("#!/bin/sh\nPATH=/bin:/usr/bin\n" + clean)
			d, err = p.Diagnose(long(t), []string{p.path("src/a.rs")})
			if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Checked {
				t.Errorf("with a working compiler: %+v, %v", d, err)
			}
		})
	}
}

// A request waits for the run that replaces its own one after a change.
func TestDiagnose_CompilerReplaced(t *testing.T) {
	script := "PATH=/bin:/usr/bin\necho run >>$LOG\nif [ $(grep -c run $LOG) = 1 ]; then sleep 300; fi\n" + depInfo + "echo '{\"reason\":\"build-finished\"}'"
	o, log := scriptedCompiler(t, "cargo", script, headless.Options{TrustProject: true})
	p := open(t, rustProject, o)
	a := p.path("src/a.rs")
	first := make(chan adapter.Diagnostics, 1)
	var work group.Group
	defer work.Wait()
	work.Go(func() {
		d, _ := p.Diagnose(long(t), []string{a})
		first <- d
	})
	patient := long(t)
	for started := false; !started; {
		_, err := os.Stat(log)
		if started = err == nil; !started && wait.Sleep(patient, 10*time.Millisecond) != nil {
			t.Fatal("the compiler was not started")
		}
	}
	p.write("src/a.rs", "fn changed() {}\n")
	p.FilesChanged([]string{a})
	d, err := p.Diagnose(long(t), []string{a})
	if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Checked {
		t.Errorf("%+v, %v", d, err)
	}
	if d := <-first; p.checkOf(d, "src/a.rs").State != adapter.Checked {
		t.Errorf("the first request: %+v", d)
	}
}

// A file that the compiler does not get is unchecked, with a reason that does not ask for the same call again.
func TestDiagnose_CompilerWithoutFile(t *testing.T) {
	o, _ := scriptedCompiler(t, "cargo", "PATH=/bin:/usr/bin\n"+depInfo+"echo '{\"reason\":\"build-finished\"}'", headless.Options{TrustProject: true})
	p := open(t, rustProject+"-- .hidden/c.rs --\nfn c() {}\n", o)
	d, err := p.Diagnose(long(t), []string{p.path(".hidden/c.rs")})
	if c := p.checkOf(d, ".hidden/c.rs"); err != nil || c.State != adapter.Unchecked || !strings.Contains(c.Reason, "not among the files that cargo check compiles") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDiagnose_CompilerNeedsTrust(t *testing.T) {
	o, log := scriptedCompiler(t, "cargo", "echo run >$LOG", headless.Options{TrustFlag: "-trust-project"})
	p := open(t, rustProject, o)
	d, err := p.Diagnose(long(t), nil)
	if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Unchecked || !strings.Contains(c.Reason, "cargo check runs code of the project") || !strings.Contains(c.Next, "-trust-project") {
		t.Errorf("%+v, %v", d, err)
	}
	if reason, next := p.WhyUnchecked(p.path("src/a.rs")); !strings.Contains(reason, "not trusted") || !strings.Contains(next, "-trust-project") {
		t.Errorf("%q, %q", reason, next)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("cargo was started")
	}
}

// A server that does not start, like the link of rustup to a component that is not installed, is replaced by the compiler.
func TestDiagnose_CompilerAfterServerFailure(t *testing.T) {
	o, _ := scriptedCompiler(t, "cargo", "PATH=/bin:/usr/bin\n"+depInfo+"echo '{\"reason\":\"build-finished\"}'", headless.Options{TrustProject: true})
	if err := os.WriteFile(filepath.Join(o.Search[0], "rust-analyzer"), []byte("#!/bin/sh\necho 'error: it is not installed' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := open(t, rustProject, o)
	for _, paths := range [][]string{nil, {p.path("src/a.rs")}} {
		d, err := p.Diagnose(long(t), paths)
		if c := p.checkOf(d, "src/a.rs"); err != nil || c.State != adapter.Checked || c.By != "cargo check" {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

func TestDiagnose_Javac(t *testing.T) {
	const project = "\n-- src/A.java --\nclass A { int é = x; }\n-- src/B.java --\nclass B {}\n"
	for name, tc := range map[string]struct {
		output string // $A is the path of src/A.java
		want   []string
		state  adapter.CheckState // of src/B.java
		reason string
	}{
		"clean":           {state: adapter.Checked},
		"note":            {output: "Note: $A uses unchecked or unsafe operations.", state: adapter.Checked},
		"error":           {output: "$A:1: error: cannot find symbol\nclass A { int é = x; }\n                  ^\n  symbol:   variable x\n  location: class A\n1 error", want: []string{"src/A.java:1:19-19: error: cannot find symbol (symbol: variable x; location: class A) []"}, state: adapter.Checked},
		"warning":         {output: "$A:1: warning: [removal] gone\nclass A {}\n^\n1 warning", want: []string{"src/A.java:1:1-1: warning: [removal] gone []"}, state: adapter.Checked},
		"missing library": {output: "$A:1: error: package org.junit does not exist\nimport org.junit.Test;\n                ^\n$A:1: error: cannot find symbol\nx\n^\n2 errors", state: adapter.Unchecked, reason: "not its libraries: package org.junit does not exist"},
		"refusal":         {output: "error: invalid flag: --should-stop", state: adapter.Unchecked, reason: "invalid flag"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := scriptedCompiler(t, "javac", "PATH=/bin:/usr/bin\nfor last; do :; done\ncp \"${last#@}\" $LOG\nA=$(sed -n '1s/\"//gp' \"${last#@}\")\ncat >&2 <<E\n"+tc.output+"\nE\nexit 1", headless.Options{})
			p := open(t, project, o)
			d, err := p.Diagnose(long(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "diagnostics", p.show(d.Items), append([]string{}, tc.want...))
			if c := p.checkOf(d, "src/B.java"); c.State != tc.state || !strings.Contains(c.Reason, tc.reason) {
				t.Errorf("src/B.java: %+v", c)
			}
		})
	}
}
