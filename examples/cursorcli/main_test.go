package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// run is the program with a command line.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	app := newApp()
	app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), &out, &errs
	code = app.Run(t.Context(), args)
	return code, out.String(), errs.String()
}

func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"main.go": "package main\n", "docs/guide.md": "# Guide\n", ".env": "SECRET=1\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestThePersonAtTheCommandLine(t *testing.T) {
	dir := project(t)
	other := t.TempDir()
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	for _, tc := range []struct {
		args []string
		code int
		want string // part of either output
	}{
		{[]string{"tools", "-root", dir}, 0, "3 tools"},
		{[]string{"tools", "-root", dir, "-read-only"}, 0, "2 tools"},
		{[]string{"call", "-root", dir, "read_file", "path=main.go"}, 0, "package main"},
		{[]string{"call", "-root", dir, "read_file", "path=mian.go"}, 1, "main.go"},
		{[]string{"call", "-root", dir, "read_file", "path=.env"}, 1, "BLOCKED_PATTERN"},
		{[]string{"call", "-root", dir, "read_file", "path=../x"}, 1, "PERMISSION_DENIED"},
		{[]string{"call", "-root", dir, "list_directory", "recursive=true"}, 0, "docs/guide.md"},
		{[]string{"call", "-root", dir, "-audit", audit, "write_file", "path=new.txt", "content=text"}, 0, "new.txt"},
		{[]string{"call", "-root", dir, "-read-only", "write_file", "path=more.txt", "content=text"}, 1, "write_file"},
		{[]string{"call", "-root", dir, "-root", other, "write_file", "path=" + filepath.Join(other, "far.txt"), "content=text"}, 0, "far.txt"},
		{[]string{"tools", "-root", filepath.Join(dir, "none")}, 1, "none"},
		{[]string{"tools", "-audit", dir}, 1, "audit"},
	} {
		code, out, errs := run(t, tc.args...)
		if code != tc.code || !strings.Contains(out+errs, tc.want) {
			t.Errorf("%v: exit code %d, want %d; want %q in\n%s%s", tc.args, code, tc.code, tc.want, out, errs)
		}
	}
	if content, err := os.ReadFile(filepath.Join(dir, "new.txt")); err != nil || string(content) != "text" {
		t.Errorf("new.txt: %q, %v", content, err)
	}
	if records, err := os.ReadFile(audit); err != nil || bytes.Count(records, []byte("\n")) != 2 || !bytes.Contains(records, []byte("new.txt")) {
		t.Errorf("the audit log: %s, %v", records, err)
	}
}

// The configuration reference is made from the declarations of the flags.
func TestTheConfigurationReferenceIsCurrent(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Configuration\n\nGenerated from the programs themselves; `go test ./examples/cursorcli -update` rewrites it.\n\n")
	if err := newApp().Reference(&doc); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/configuration.md"
	if *update {
		if err := os.WriteFile(file, []byte(doc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the flags say (%v); run this test with -update", file, err)
	}
}
