package chunks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestIndex(t *testing.T) {
	dir := newProject(t)
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir),
		"3 functions (5 declarations) in 3 files", "files      3 new or changed\n", "languages  swift 2, python 1\n", "kept in    data/chunks\n")
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir), "files      3 unchanged\n")
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir, "-force"), "files      3 new or changed\n")
	apptest.Must(t, os.Remove(filepath.Join(dir, "util.py")))
	apptest.Write(t, dir, map[string]string{"broken.py": "def f(:\n    return (\n"})
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir), "1 new or changed, 2 unchanged, 1 removed", "could not be read, wholly or at this place:\n  broken.py:")
	apptest.Contains(t, program.MustRun(t, "index", "-root", t.TempDir()), "0 functions (0 declarations) in 0 files", "no source file", "-root")
}

// Wherever the index is kept, the next run finds it there.
func TestStores(t *testing.T) {
	for _, tc := range []struct {
		flags     []string
		second    string
		inProject string // the file that the command leaves in the project, or empty
	}{
		{nil, "3 unchanged", "data"},
		{[]string{"-data", "cache/index"}, "3 unchanged", "cache"},
		{[]string{"-store", "sqlite"}, "3 unchanged", ""},
		{[]string{"-store", "sqlite", "-read-only"}, "3 unchanged", ""},
		{[]string{"-store", "sqlite", "-read-only"}, "kept in    ", ""},
		{[]string{"-store", "memory"}, "not saved  the index is kept in memory only", ""},
		{[]string{"-read-only"}, "not saved  the project is read-only", ""},
	} {
		dir := newProject(t)
		args := append([]string{"index", "-root", dir}, tc.flags...)
		program.MustRun(t, args...)
		apptest.Contains(t, program.MustRun(t, args...), tc.second)
		entries, err := os.ReadDir(dir)
		apptest.Must(t, err)
		for _, e := range entries {
			if name := e.Name(); name != tc.inProject && name != "Sources" && !strings.Contains(name, ".") {
				t.Errorf("%q leaves %s in the project", tc.flags, name)
			}
		}
		if tc.inProject != "" && !exists(filepath.Join(dir, tc.inProject)) {
			t.Errorf("%q leaves nothing in %s", tc.flags, tc.inProject)
		}
	}
}

func TestMap(t *testing.T) {
	dir := newProject(t)
	out := program.MustRun(t, "map", "-root", dir)
	if !strings.HasPrefix(out, "Sources/Stack.swift:\n  2 class Stack\n  6 Stack: func push(_ x: Int)\n") {
		t.Errorf("the map is\n%s", out)
	}
	apptest.Contains(t, out, "[4 of 4 declarations in 3 files]")
	if out := program.MustRun(t, "map", "-root", dir, "-name", "helper"); !strings.HasPrefix(out, "util.py:\n") {
		t.Errorf("around a name it is\n%s", out)
	}
	if out := program.MustRun(t, "map", "-root", dir, "-focus", "util.py", "-focus", "Sources"); !strings.Contains(out, "util.py") {
		t.Errorf("around files it is\n%s", out)
	}
	for i := range 50 {
		apptest.Write(t, dir, map[string]string{"more/f" + strings.Repeat("x", i) + ".py": "def function_" + strings.Repeat("y", i) + "():\n    pass\n"})
	}
	if out := program.MustRun(t, "map", "-root", dir, "-tokens", "50"); len(out) > 50*4+60 {
		t.Errorf("with a budget of 50 tokens it is\n%s", out)
	}
	program.MustFail(t, 1, "Give budgetTokens of 50 to 100000", "map", "-root", dir, "-tokens", "3")
	program.MustFail(t, 1, "There is no", "map", "-root", dir, "-focus", "none.swift")
	program.MustFail(t, 1, "no source file", "map", "-root", t.TempDir())
}

func TestShow(t *testing.T) {
	dir := newProject(t)
	apptest.Contains(t, program.MustRun(t, "show", "-root", dir, "Sources/Stack.swift"),
		"1-9  class        Sources/Stack.swift#Stack\n", "5-8  method       Sources/Stack.swift#Stack.push(_:)\n", "func push(_ x: Int)\n",
		"declarations in Sources/Stack.swift, which is swift, read by outline\n")
	const push = "/// Puts a number on top.\n    func push(_ x: Int) {\n        items.append(x)\n    }\n"
	for _, id := range []string{"Sources/Stack.swift#Stack.push(_:)", "Sources/Stack.swift#push"} {
		if got := program.MustRun(t, "show", "-root", dir, id); got != push {
			t.Errorf("%s is shown as\n%s", id, got)
		}
	}
	// A person sees all of a long file.
	apptest.Write(t, dir, map[string]string{"long.py": strings.Repeat("def a_function_with_a_rather_long_name(x):\n    return x\n\n\n", 2000)})
	if got := program.MustRun(t, "show", "-root", dir, "long.py"); !strings.Contains(got, "long.py#a_function_with_a_rather_long_name~2000") || strings.Contains(got, "-0 ") {
		t.Errorf("of a long file are shown %d bytes, ending in %s", len(got), got[len(got)-300:])
	}
	for says, name := range map[string]string{
		`Did you mean "Sources/Stack.swift#Stack.push(_:)"?`: "Sources/Stack.swift#Stack.psh",
		"There is no": "Sources/Stock.swift", "give that as language": "notes.rst",
		"lies outside": filepath.Join(filepath.Dir(dir), "x.swift"),
	} {
		program.MustFail(t, 1, says, "show", "-root", dir, name)
	}
	program.MustFail(t, 2, "give one file, or the id", "show", "-root", dir)
}

// The index follows changes until the program is interrupted.
func TestWatch(t *testing.T) {
	dir := newProject(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, done := new(apptest.Output), make(chan struct{})
	go func() {
		defer close(done)
		if code, errs := program.RunIn(ctx, t, "", out, "watch", "-root", dir); code != 0 || errs != "" {
			t.Errorf("exit code %d, %s", code, errs)
		}
	}()
	await := func(want string) {
		t.Helper()
		if !out.Await(want, done) {
			t.Fatalf("ended without %q:\n%s", want, out)
		}
	}
	await("Following changes")
	apptest.Write(t, dir, map[string]string{"new.py": "def fresh():\n    pass\n"})
	await(" 1 file read, 0 removed")
	cancel()
	<-done
}
