package gobuild_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/release/internal/gobuild"
)

// module creates a module with one program in a temporary directory.
func module(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "examples/prog/main.go": source} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The output does not depend on the directory or the environment.
func TestInto_Reproducible(t *testing.T) {
	const source = "package main\n\nimport \"runtime\"\n\nfunc main() {\n\t_, file, _, _ := runtime.Caller(0)\n\tprintln(file)\n}\n"
	target := gobuild.Target{OS: "linux", Arch: "arm64"}
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	if err := (gobuild.Build{Dir: module(t, source), Version: "1.2.3"}).BuildTo(t.Context(), a, target, "prog"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-ldflags=-X=main.x=y")
	t.Setenv("GOARCH", runtime.GOARCH)
	t.Setenv("CGO_ENABLED", "1")
	if err := (gobuild.Build{Dir: module(t, source), Version: "1.2.3"}).BuildTo(t.Context(), b, target, "prog"); err != nil {
		t.Fatal(err)
	}
	if err := gobuild.Compare(a, b, target, "prog"); err != nil {
		t.Error(err)
	}
	if err := (gobuild.Build{Dir: module(t, source+"\nfunc init() { println(1) }\n")}).BuildTo(t.Context(), c, target, "prog"); err != nil {
		t.Fatal(err)
	}
	if err := gobuild.Compare(a, c, target, "prog"); !errors.Is(err, gobuild.ErrDiffers) {
		t.Errorf("other source: %v", err)
	}
	if err := gobuild.Compare(a, c, target, "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such program: %v", err)
	}
}

func TestInto_BuildFails(t *testing.T) {
	err := (gobuild.Build{Dir: module(t, "package main\n\nfunc main() { nothing() }\n")}).BuildTo(t.Context(), t.TempDir(), gobuild.Target{OS: "linux", Arch: "arm64"}, "prog")
	if err == nil || !strings.Contains(err.Error(), "undefined: nothing") || !strings.Contains(err.Error(), "linux/arm64") {
		t.Error(err)
	}
}

func TestWorkspace_ParentIgnored(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "module")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(above, "go.work")
	if err := os.WriteFile(file, []byte("go 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := gobuild.Workspace(above); got != file {
		t.Errorf("with a file: %q, want %q", got, file)
	}
	if got := gobuild.Workspace(dir); got != "off" {
		t.Errorf("with a file above: %q, want off", got)
	}
}

func TestTargets(t *testing.T) {
	if all, err := gobuild.Parse(); err != nil || len(all) != 6 {
		t.Errorf("%v, %v", all, err)
	}
	some, err := gobuild.Parse("windows/amd64", "linux/arm64")
	if err != nil || len(some) != 2 || some[0].Exe("x") != "x.exe" || some[1].Exe("x") != "x" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := gobuild.Parse("plan9/386"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Error(err)
	}
}
