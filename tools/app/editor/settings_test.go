package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The environment of the specification, and its defaults.
func TestEnvironment(t *testing.T) {
	dir := newProject(t)
	large := strings.Repeat("x", 2000)
	apptest.Write(t, dir, map[string]string{"large.txt": large})
	log := filepath.Join(t.TempDir(), "audit.log")

	withRoot := in("PROJECT_ROOT="+dir, "LOG_PATH="+log, "MAX_FILE_SIZE=1000", "DEFAULT_TIMEOUT=100", "MAX_CONCURRENT_REQUESTS=2", "HOME_OF_OTHERS=1")
	apptest.Contains(t, withRoot.MustRun(t, "call", "read_file", "path=notes.md"), "# Notes")
	code, out, _ := withRoot.Run(t, "call", "insert_code", "path=large.txt", "line=1", "content=y")
	if code != 1 || !strings.Contains(out, "FILE_TOO_LARGE") {
		t.Errorf("a file that is too large: exit code %d, %s", code, out)
	}

	code, out, _ = withRoot.Run(t, "call", "execute_command", "command=sleep 60")
	if code != 1 || !strings.Contains(out, "TIMEOUT") {
		t.Errorf("a command that takes too long: exit code %d, %s", code, out)
	}

	// Flags come after the environment.
	other := newProject(t)
	apptest.Write(t, other, map[string]string{"other.txt": "here\n"})
	apptest.Contains(t, withRoot.MustRun(t, "call", "-root", other, "read_file", "path=other.txt"), "here")

	for says, variable := range map[string]string{
		"MAX_FILE_SIZE": "MAX_FILE_SIZE=many", "DEFAULT_TIMEOUT": "DEFAULT_TIMEOUT=-1", "MAX_CONCURRENT_REQUESTS": "MAX_CONCURRENT_REQUESTS=0",
	} {
		in(variable).MustFail(t, 1, says, "tools", "-root", dir)
	}
}

// Every operation is recorded where LOG_PATH says, before the flags of a command
// line are forgotten.
func TestAuditLog(t *testing.T) {
	dir := newProject(t)
	out := new(apptest.Output)
	code, errs := program.RunIn(t.Context(), t, strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"insert_code","arguments":{"path":"notes.md","line":2,"content":"More."}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"execute_command","arguments":{"command":"rm -rf /"}}}`,
	}, "\n")+"\n", out, "serve", "-root", dir, "-editors", "[]")
	if code != 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "COMMAND_BLOCKED") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	log, err := os.ReadFile(filepath.Join(dir, "logs", "audit.log"))
	apptest.Must(t, err)
	apptest.Contains(t, string(log), `insert_code`, `notes.md`, `"result":"started"`, `COMMAND_BLOCKED`)
	apptest.Contains(t, out.String(), `"id":3`, "COMMAND_BLOCKED")
}

func TestConfigFile(t *testing.T) {
	dir := newProject(t)
	file := filepath.Join(t.TempDir(), "editor.json")
	apptest.Write(t, filepath.Dir(file), map[string]string{"editor.json": `{"commands": {"allowed": ["echo *"]}, "projectRoot": "` + dir + `"}`})
	apptest.Contains(t, program.MustRun(t, "call", "-config", file, "read_file", "path=notes.md"), "# Notes")
	apptest.Contains(t, program.MustRun(t, "call", "-root", dir, "-config", file, "execute_command", "command=echo hello"), "hello")
	code, out, _ := program.Run(t, "call", "-root", dir, "-config", file, "execute_command", "command=ls")
	if code != 1 || !strings.Contains(out, "COMMAND_BLOCKED") {
		t.Errorf("a command that is not allowed: exit code %d, %s", code, out)
	}
	// A file of the project is never a settings file.
	apptest.Write(t, dir, map[string]string{"editor.json": `{"commands": {"allowed": ["nothing"]}}`})
	apptest.Contains(t, program.MustRun(t, "call", "-root", dir, "execute_command", "command=ls"), "main.go")
	apptest.Write(t, filepath.Dir(file), map[string]string{"editor.json": `{"comands": {}}`})
	program.MustFail(t, 1, "did you mean", "tools", "-root", dir, "-config", file)
	program.MustFail(t, 1, "none.json", "tools", "-root", dir, "-config", "none.json")
}

func TestFlags_Invalid(t *testing.T) {
	dir := newProject(t)
	for _, tc := range []struct {
		code int
		says string
		args []string
	}{
		{2, "-nope", []string{"tools", "-nope"}},
		{1, "Name a directory that exists", []string{"tools", "-root", filepath.Join(dir, "none")}},
		{1, "choose editor or editor-strict", []string{"tools", "-root", dir, "-profile", "strict"}},
		{1, "vscode", []string{"tools", "-root", dir, "-editors", "joe"}},
		{1, "NAME=COMMAND", []string{"tools", "-root", dir, "-debug-adapters", "gdb=gdb"}},
		{1, "NAME=COMMAND", []string{"tools", "-root", dir, "-debug", "-debug-adapters", "delve="}},
		{1, "LANGUAGE=COMMAND", []string{"tools", "-root", dir, "-language-servers", "kotlin-lsp"}},
		{1, "audit", []string{"serve", "-root", dir, "-audit", dir}},
	} {
		program.MustFail(t, tc.code, tc.says, tc.args...)
	}
}
