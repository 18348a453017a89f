package terminal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/terminal"
)

// A project is built with the real tools, corrected as the errors say, and tested.
func TestBuild_RealProject(t *testing.T) {
	_, err := exec.LookPath("go")
	testrequire.Thing(t, err == nil, "the go command", "install Go")
	const module = "module example.com/hello\n\ngo 1.21\n"
	const program = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(greeting)\n}\n"
	const test = "package main\n\nimport \"testing\"\n\nfunc TestGreeting(t *testing.T) {\n\tt.Error(\"it is rude\")\n}\n"
	p := newProject(t, setup{files: map[string]string{"hello/go.mod": module, "hello/main.go": program, "hello/main_test.go": test}})
	r := p.build(t, terminal.BuildArgs{ProjectPath: "hello"})
	if r.Success || r.System != "go" || len(r.Errors) == 0 || r.Errors[0].File != "hello/main.go" || r.Errors[0].Line != 6 || !strings.Contains(r.Errors[0].Message, "greeting") {
		t.Fatalf("it says %s", r.TextContent())
	}
	fixed := strings.Replace(program, "greeting", `"Hello!"`, 1)
	if err := os.WriteFile(filepath.Join(p.dir, "hello", "main.go"), []byte(fixed), 0o644); err != nil {
		t.Fatal(err)
	}
	if r = p.build(t, terminal.BuildArgs{ProjectPath: "hello"}); !r.Success || len(r.Errors) > 0 {
		t.Fatalf("it says %s", r.TextContent())
	}
	r = p.build(t, terminal.BuildArgs{ProjectPath: "hello", BuildType: "auto", Target: "test"})
	if r.Success || len(r.Errors) != 1 || r.Errors[0].File != "hello/main_test.go" || r.Errors[0].Line != 6 {
		t.Errorf("it says %s", r.TextContent())
	}
}
