package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExtend copies each directory of examples/extend into a module of its own outside of this repository, as a user does, and
// vets and tests it there. The module gets the requirements of the examples, so that no network is needed.
func TestExtend(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(examples + "/extend")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			t.Errorf("%s is no directory: each extension has its own", entry.Name())
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			dir := extensionModule(t, filepath.Join(examples, "extend", entry.Name()))
			runGo(t, dir, "vet", "./...")
			out := runGo(t, dir, "test", "-v", "-count=1", "./...")
			for _, want := range []string{"--- PASS: Test", "--- PASS: Example"} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q: an extension has a test with the conformance kit, and an Example with output\n%s", want, out)
				}
			}
			if strings.Contains(out, "--- SKIP") {
				t.Errorf("a test was skipped:\n%s", out)
			}
		})
	}
	if len(entries) == 0 {
		t.Error("there is no extension")
	}
}

// extensionModule copies a directory into a new module, with the import path of that module, and returns its directory.
func extensionModule(t *testing.T, from string) string {
	t.Helper()
	const own, ours, module = "module github.com/dougu-go/dougu/examples\n", "github.com/dougu-go/dougu", "example.com/extension"
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(sources) < 2 {
		t.Fatalf("Go files of %s: %v, %v", from, sources, err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"`+ours+`/examples/extend/`+filepath.Base(from)+`"`), []byte(`"`+module+`"`))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(examples, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(mod, []byte(own)) {
		t.Fatalf("examples/go.mod does not begin with %q", own)
	}
	mod = append([]byte("module "+module+"\n"), mod[len(own):]...)
	for replaced, at := range map[string]string{ours: root, ours + "/tools": filepath.Join(root, "tools")} {
		mod = append(mod, "\nreplace "+replaced+" => "+at+"\n"...)
	}
	sum, err := os.ReadFile(filepath.Join(examples, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runGo runs the go command in a module outside of the workspace, without network, and returns its output.
func runGo(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false -trimpath", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
