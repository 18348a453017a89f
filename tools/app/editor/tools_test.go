package editor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestTools_Offered(t *testing.T) {
	dir := newProject(t)
	t.Setenv("PATH", t.TempDir()) // no language server, no formatter
	always := []string{"delete_code", "execute_build", "execute_command", "get_diagnostics", "insert_code", "read_file", "replace_code", "write_file"}
	strict := append(processTools(), always...)
	full := append([]string{"edit_file", "kill_process", "list_directory", "list_processes", "read_process_output", "search_content", "search_files", "send_process_input"}, always...)
	for _, tc := range []struct {
		flags []string
		want  []string
	}{
		{nil, full},
		{[]string{"-output-schemas"}, full},
		{[]string{"-profile", "editor-strict"}, strict},
		{[]string{"-debug"}, append(debugTools(), full...)},
		{[]string{"-debug", "-profile", "editor-strict"}, strict},
		{[]string{"-debug", "-read-only"}, []string{"get_diagnostics", "list_directory", "read_file", "search_content", "search_files"}},
		{[]string{"-read-only"}, []string{"get_diagnostics", "list_directory", "read_file", "search_content", "search_files"}},
		{[]string{"-read-only", "-profile", "editor-strict"}, []string{"get_diagnostics", "read_file"}},
	} {
		want := slices.Sorted(slices.Values(tc.want))
		if got := program.Tools(t, append([]string{"-root", dir}, tc.flags...)...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tc.flags, got, want)
		}
	}
}

// The extension of VS Code turns tools off.
func TestDeniedTools(t *testing.T) {
	dir := newProject(t)
	for _, flags := range [][]string{nil, {"-read-only"}} {
		out := in("DOUGU_TOOLS_DENIED=execute_command,search_files,no_such_tool").MustRun(t, append([]string{"tools", "-root", dir}, flags...)...)
		if strings.Contains(out, "execute_command ") || strings.Contains(out, "search_files ") || !strings.Contains(out, "search_content ") {
			t.Errorf("%q: the tools are\n%s", flags, out)
		}
	}
}

func TestCall(t *testing.T) {
	dir := newProject(t)
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir}, args...)...)
	}
	apptest.Contains(t, call("insert_code", "path=main.go", "line=4", "content=// greets"), "sha256")
	if got, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || !strings.Contains(string(got), "\t// greets\n\tprintln") {
		t.Errorf("the file is\n%s%v", got, err)
	}
	apptest.Contains(t, call("replace_code", "path=main.go", "pattern=hello", "replacement=goodbye", "preview=false"), "goodbye")
	apptest.Contains(t, call("delete_code", "path=main.go", "startLine=4", "endLine=4"), "sha256")
	apptest.Contains(t, call("executeCommand", "command=cat main.go"), "goodbye")

	// Defaults of the specification: directories are created, and an overwritten file is
	// kept as a backup.
	call("write_file", "path=new/dir/file.txt", "content=one\n")
	apptest.Contains(t, call("write_file", "path=new/dir/file.txt", "content=two\n"), ".dougu-backup")

	for _, tc := range []struct {
		says string
		args []string
	}{
		{"FILE_NOT_FOUND", []string{"insert_code", "path=none.go", "line=1", "content=x"}},
		{"PERMISSION_DENIED", []string{"insert_code", "path=../x.go", "line=1", "content=x"}},
		{"COMMAND_BLOCKED", []string{"execute_command", "command=rm -rf /"}},
		{"IDE_NOT_RUNNING", []string{"get_active_file"}},
		{"IDE_NOT_RUNNING", []string{"open_file_in_editor", "path=main.go"}},
		{"NO_DEBUGGER", []string{"-debug", "debug_start", "program=notes.md", "mode=program"}},
		{"STALE_FILE", []string{"insert_code", "path=main.go", "line=1", "content=x", "expectedSha256=" + strings.Repeat("0", 64)}},
	} {
		code, out, _ := program.Run(t, append([]string{"call", "-root", dir, "-editors", "[]"}, tc.args...)...)
		if code != 1 || !strings.Contains(out, tc.says) || !strings.Contains(out, "Next step") {
			t.Errorf("%q: exit code %d\n%s", tc.args, code, out)
		}
	}
	program.MustFail(t, 1, "execute_command", "call", "-root", dir, "-read-only", "execute_command", "command=ls")
}

// In a project with type errors but without a language server, the result says that types
// are unchecked and names the server to install.
func TestCall_DiagnosticsWithoutServer(t *testing.T) {
	dir := newProject(t)
	t.Setenv("PATH", t.TempDir())
	apptest.Write(t, dir, map[string]string{"src/a.ts": "const n: number = 'x'\n", "broken.json": "{\"a\": 1,}\n"})
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir, "-editors", "[]", "get_diagnostics", "waitMs=30000"}, args...)...)
	}
	apptest.Contains(t, call("path=src/a.ts"), "whether there are errors is not known", "unchecked: src/a.ts, by tree-sitter: only its syntax was checked: typescript-language-server is not installed. Ask the user to install it", "execute_build")
	apptest.Contains(t, call("path=broken.json"), "1 error", "checked: broken.json, by the JSON parser")
	apptest.Contains(t, call(), "checked 1 of 5 files, unchecked 4", "unchecked: notes.md: no check is known")
	if out := program.MustRun(t, "call", "-root", dir, "-editors", "[]", "-read-only", "get_diagnostics", "waitMs=30000"); strings.Contains(out, "execute_build") {
		t.Errorf("a read-only server names a tool that it does not offer:\n%s", out)
	}
}

func TestDoctor(t *testing.T) {
	out := func(args ...string) string {
		_, out, _ := program.Run(t, append([]string{"doctor"}, args...)...)
		return out
	}
	dir := newProject(t)
	apptest.Contains(t, out("-root", dir), "headless: ", "sandbox: commands run ", "vscode: ", "debugging is turned off")
	apptest.Contains(t, out("-root", dir, "-debug"), "delve: ", "debugpy: ")
	t.Setenv("PATH", t.TempDir())
	apptest.Write(t, dir, map[string]string{"a.ts": "let x = 1\n"})
	apptest.Contains(t, out("-root", dir), "go: only the syntax of 1 file is checked: gopls is not installed", "Ask the user to install it with editor install-server gopls.",
		"typescript: only the syntax of 1 file is checked: typescript-language-server is not installed", "editor install-server typescript-language-server")
	apptest.Contains(t, out("-root", filepath.Join(dir, "none")), "none")
}

// The command servers lists the servers as doctor and the tools see them.
func TestServers(t *testing.T) {
	dir := newProject(t)
	t.Setenv("PATH", t.TempDir())
	apptest.Contains(t, program.MustRun(t, "servers", "-root", dir), "gopls  go 1, go.mod 1  missing. Ask the user to install it with editor install-server gopls.")
	apptest.Contains(t, program.MustRun(t, "servers", "-root", dir, "-all", "-json"), `"server": "haskell-language-server"`)
}
