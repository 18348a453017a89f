package build_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// disk are the files below a directory.
type disk string

func (d disk) ReadFile(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(d), filepath.FromSlash(name)))
}

func (d disk) ReadDir(name string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(string(d), filepath.FromSlash(name)))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Plans build real projects, and the output of real tools is parsed.
func TestRealBuilds(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  tree
		target string
		tools  []string
		want   string // how the first problem begins
		well   bool   // there is none
	}{
		{"go", "go.mod: module m⏎⏎go 1.22⏎\na.go: package m⏎⏎func F() int { return x }⏎", "build", []string{"go"}, "a.go:3:23: error: undefined: x", false},
		{"tests of go", "go.mod: module m⏎⏎go 1.22⏎\nsub/a.go: package sub⏎\nsub/a_test.go: package sub⏎⏎import \"testing\"⏎⏎func TestX(t *testing.T) { t.Error(\"no\") }⏎", "test", []string{"go"}, "sub/a_test.go:5: error: no [TestX]", false},
		{"make", "Makefile: all:⏎\t$(MAKE) -C sub⏎\nsub/Makefile: all:⏎\tcc -c a.c⏎\nsub/a.c: int f(void) { return x; }⏎", "", []string{"make", "cc"}, "sub/a.c:1:", false},
		{"cmake", "CMakeLists.txt: cmake_minimum_required(VERSION 3.10)⏎project(x C)⏎add_executable(x a.c)⏎\na.c: int main(void) { return x; }⏎", "", []string{"cmake", "cc", "make"}, "a.c:1:", false},
		{"npm", `package.json: {"scripts":{"build":"node a.js"}}` + "\na.js: gone();⏎", "", []string{"npm"}, "a.js:1:1: error: ReferenceError: gone is not defined", false},
		{"cargo", "Cargo.toml: [package]⏎name = \"m\"⏎version = \"0.1.0\"⏎edition = \"2021\"⏎\nsrc/lib.rs: pub fn f() -> i32 { x }⏎", "", []string{"cargo"}, "src/lib.rs:1:21: error: cannot find value", false},
		{"what is right", "go.mod: module m⏎⏎go 1.22⏎\na.go: package m⏎", "build", []string{"go"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, tool := range c.tools {
				_, err := exec.LookPath(tool)
				testrequire.Deep(t, err == nil, tool, "install it")
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(dir, c.files.files()); err != nil {
				t.Fatal(err)
			}
			plan, err := build.PlanOf(disk(dir), ".", "", c.target)
			if err != nil {
				t.Fatal(err)
			}
			m := build.NewMatcher(plan.System, dir)
			failed := run(t, m, dir, plan)
			all := m.Problems()
			switch {
			case failed == c.well, c.well && len(all) > 0:
				t.Errorf("failed: %v, %v", failed, all)
			case !c.well && (len(all) == 0 || !strings.HasPrefix(all[0].String(), c.want)):
				t.Errorf("got %v", all)
			}
		})
	}
}

// run runs a plan and says whether a step failed.
func run(t *testing.T, m *build.Matcher, dir string, plan build.Plan) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
	defer cancel()
	defer m.Close()
	for _, s := range plan.Steps {
		cmd := exec.CommandContext(ctx, s.Program, s.Args...)
		cmd.Dir = filepath.Join(dir, filepath.FromSlash(s.Dir))
		cmd.Env = append(append(os.Environ(), "LC_ALL=C", "GOFLAGS=-trimpath"), s.Env...)
		cmd.Stdout, cmd.Stderr = m.Stream(), m.Stream()
		if s.Merge {
			cmd.Stderr = cmd.Stdout
		}
		if err := cmd.Run(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				t.Fatal(err)
			}
			return true
		}
	}
	return false
}
