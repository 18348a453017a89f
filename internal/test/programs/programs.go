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

// Builder keeps the built programs of a test process in one directory. Its zero value is ready for use. Its methods are safe for
// concurrent use.
type Builder struct {
	mu    sync.Mutex
	dir   string
	built map[key]func() (path string, err error)
}

type key struct {
	pkg  string
	race bool
}

// Main runs the tests of a package and fails if they leak goroutines. It removes the programs and ends the process. A TestMain calls
// it.
func (b *Builder) Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(b.dir)
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
		dir := filepath.Join(fmt.Sprint(len(b.built)), filepath.Base(k.pkg)) // unique, with the name of the program
		b.built[k] = sync.OnceValues(func() (string, error) { return b.build(k, dir) })
	}
	return b.built[k]
}

// build builds a program with a path below the directory of the builder.
func (b *Builder) build(k key, name string) (string, error) {
	if err := b.makeDir(); err != nil {
		return "", err
	}
	path := filepath.Join(b.dir, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, fmt.Sprint("-race=", k.race), k.pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", k.pkg, err, out)
	}
	return path, nil
}

// makeDir makes the directory of the builder unless it exists. Other users may enter it, because tests run programs as other users.
func (b *Builder) makeDir() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dir != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "programs-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		return fmt.Errorf("make a directory for programs: %w", err)
	}
	b.dir = dir
	return nil
}
