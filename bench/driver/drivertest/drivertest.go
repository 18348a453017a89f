// Package drivertest has helpers for tests of benchmarks. It builds the measured programs and runs benchmarks with small sizes.
package drivertest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Programs are the programs that a benchmark measures: packages by the directory of their module. They are built once for all tests
// of a package.
type Programs struct {
	Modules map[string]string

	once sync.Once
	dir  string
	err  error
}

// Main runs the tests, for TestMain, and removes the programs.
func (p *Programs) Main(m *testing.M) {
	code := m.Run()
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
	os.Exit(code)
}

// Dir returns the directory of the built programs.
func (p *Programs) Dir(t testing.TB) string {
	t.Helper()
	p.once.Do(func() { p.err = p.build() })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.dir
}

func (p *Programs) build() (err error) {
	if p.dir, err = os.MkdirTemp("", "dougu-programs-"); err != nil {
		return err
	}
	for module, program := range p.Modules {
		build := exec.Command("go", "build", "-o", filepath.Join(p.dir, filepath.Base(program)), program)
		build.Dir = module
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", program, err, out)
		}
	}
	return nil
}

// Run is the run function of a benchmark, as driver.Main takes it.
type Run func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// Output runs a benchmark, which must succeed, and returns its output.
func (run Run) Output(t testing.TB, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	if err := run(t.Context(), args, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	t.Log(stdout.String(), stderr.String())
	return stdout.String()
}

// Refuses checks that a benchmark fails with each list of arguments.
func (run Run) Refuses(t testing.TB, each ...[]string) {
	t.Helper()
	for _, args := range each {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

// Rows checks that the output has lines that begin as the regular expressions say.
func Rows(t testing.TB, out string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		if !regexp.MustCompile(`(?m)^` + row).MatchString(out) {
			t.Errorf("there is no row %q:\n%s", row, out)
		}
	}
}
