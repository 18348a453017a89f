// Package programs builds programs of the project for the tests of a package, each of them once.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Module is the path of the main module.
const Module = "github.com/dougu-go/dougu"

// Builder keeps the built programs of a test process in one directory. A TestMain calls Main first. Its other methods are safe for
// concurrent use.
type Builder struct {
	dir   string // set by Main
	mu    sync.Mutex
	built map[key]func() (path string, err error)
}

type key struct {
	pkg  string
	race bool
}

// Main makes the directory, runs the tests of a package and fails if they leak goroutines. It removes the programs and ends the process.
func (b *Builder) Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "programs-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // tests run programs as other users
	}
	if err != nil {
		panic(err)
	}
	b.dir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(dir)
		os.Exit(status)
	}))
}

// Build returns the path of a program. Tests must not change it. pkg is the import path, or the path in the main module with
// "../../../" before it. race selects the race detector.
func (b *Builder) Build(t testing.TB, pkg string, race bool) string {
	t.Helper()
	path, err := b.once(key{pkg, race})()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// once returns the function that builds a program at its first call.
func (b *Builder) once(k key) func() (string, error) {
	if below, ok := strings.CutPrefix(k.pkg, "../../../"); ok {
		k.pkg = Module + "/" + below
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.built[k] == nil {
		if b.built == nil {
			b.built = make(map[key]func() (string, error))
		}
		path := filepath.Join(b.dir, fmt.Sprint(len(b.built)), filepath.Base(k.pkg)) // unique, with the name of the program
		b.built[k] = sync.OnceValues(func() (string, error) { return k.build(path) })
	}
	return b.built[k]
}

// build builds the program and returns its path, which on Windows has an extension.
func (k key) build(path string) (string, error) {
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, fmt.Sprint("-race=", k.race), k.pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", k.pkg, err, out)
	}
	return path, nil
}
