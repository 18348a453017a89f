package debug_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// fake is an adapter that plays a script.
func fake(t testing.TB, s daptest.Script) debug.Adapter {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := debug.Adapter{
		Name: "fake", Extensions: []string{".fake"}, Command: exe, Env: []string{s.Env()}, Install: "it is this test",
		Evaluates: []string{"sh", "-c", "{expression}"},
		Launches: map[string]debug.Launch{
			debug.ModeProgram: {
				Attributes: map[string]any{"program": "{program}", "args": []any{"first", "{args...}"}, "env": "{env}", "cwd": "{cwd}", "stopOnEntry": "{stopOnEntry}", "temp": "{temp}/x"},
				As:         []string{"run", "{program}", "{args...}"},
			},
			debug.ModeTest:   {Attributes: map[string]any{"program": "{program}"}, InDir: true},
			debug.ModeBinary: {Attributes: map[string]any{"program": "{program}"}, As: []string{"{program}"}, Entry: "f0"},
			debug.ModeAttach: {Attributes: map[string]any{"processId": "{pid}"}},
		},
	}
	if s.Listen {
		a.Announces = daptest.Announcement
	}
	return a
}

const fakeProgram = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

// played returns a project whose programs are debugged by a script.
func played(t testing.TB, s daptest.Script, change ...func(*setup)) project {
	t.Helper()
	made := setup{
		options: debug.Options{Adapters: []debug.Adapter{fake(t, s)}},
		files:   map[string]string{"a.fake": fakeProgram, "lib/b.fake": fakeProgram, "notes.txt": "text\n"},
	}
	for _, f := range change {
		f(&made)
	}
	return newProject(t, made)
}

// at is a breakpoint in the program.
func at(line int) []debug.Breakpoint { return []debug.Breakpoint{{Path: "a.fake", Line: line}} }

// stopped returns a project with a session whose program has stopped at a line.
func stopped(t testing.TB, s daptest.Script, line int, change ...func(*setup)) project {
	t.Helper()
	p := played(t, s, change...)
	if r := p.start(t, debug.StartArgs{Program: "a.fake", Breakpoints: at(line)}); r.State != "stopped" || r.Line != line {
		t.Fatalf("it is %+v", r)
	}
	return p
}

// wantCode checks that an error has a code and a next step, and says certain words.
func wantCode(t testing.TB, what string, err error, code string, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %s", what, code)
		return
	}
	if got := string(security.CodeOf(err)); got != code {
		t.Errorf("%s: %v has the code %s, want %s", what, err, got, code)
	}
	next, ok := err.(interface{ NextStep() string })
	if !ok || next.NextStep() == "" {
		t.Errorf("%s: %v has no next step", what, err)
		return
	}
	for _, word := range words {
		if text := err.Error() + "\n" + next.NextStep(); !strings.Contains(text, word) {
			t.Errorf("%s: %q does not say %q", what, text, word)
		}
	}
}

// contains checks that a text has certain parts.
func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}
