package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/clients"
)

// What the program keeps for the user goes to a home of the tests' own.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "chunks")
	if err != nil {
		panic(err)
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		err = errors.Join(err, os.Setenv(variable, home))
	}
	for _, variable := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		err = errors.Join(err, os.Setenv(variable, filepath.Join(home, ".cache")))
	}
	code := m.Run()
	if err := errors.Join(err, goleak.Find(), os.RemoveAll(home)); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// journal is an output that a test reads while the program writes.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // has room for the news that there is more
}

func newJournal() *journal { return &journal{more: make(chan struct{}, 1)} }

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case j.more <- struct{}{}:
	default:
	}
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// runIn is the program with a command line and its streams.
func runIn(ctx context.Context, t testing.TB, stdin string, stdout *journal, args ...string) (code int, stderr string) {
	t.Helper()
	errs := newJournal()
	app := newApp()
	app.Stdin, app.Stdout, app.Stderr = strings.NewReader(stdin), stdout, errs
	home := t.TempDir()
	app.Environment = &clients.Environment{GOOS: "linux", Home: home, ConfigDir: filepath.Join(home, ".config"), Getenv: func(string) string { return "" }}
	code = app.Run(ctx, args)
	return code, errs.String()
}

func run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out := newJournal()
	code, stderr = runIn(t.Context(), t, "", out, args...)
	return code, out.String(), stderr
}

// succeeds runs the program and returns what it prints.
func succeeds(t testing.TB, args ...string) string {
	t.Helper()
	code, out, errs := run(t, args...)
	if code != 0 || errs != "" {
		t.Fatalf("%q: exit code %d, %s", args, code, errs)
	}
	return out
}

// fails runs the program, which must fail with a code and say something.
func fails(t testing.TB, code int, says string, args ...string) {
	t.Helper()
	got, out, errs := run(t, args...)
	if got != code || !strings.Contains(errs, says) {
		t.Errorf("%q: exit code %d, want %d; want %q in\n%s%s", args, got, code, says, out, errs)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes files, by their paths in a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

const stackSource = `/// A stack of numbers.
class Stack {
    var items: [Int] = []

    /// Puts a number on top.
    func push(_ x: Int) {
        items.append(x)
    }
}
`

// newProject is a directory with a few source files.
func newProject(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"Sources/Stack.swift": stackSource,
		"use.swift":           "func use(s: Stack) {\n    s.push(1)\n}\n",
		"util.py":             "def helper(x):\n    return x\n",
		"README.md":           "# Nothing to see\n",
	})
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func contains(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
