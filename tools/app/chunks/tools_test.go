package chunks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestTools_Offered(t *testing.T) {
	strict := []string{"analyze_project", "find_file", "find_function", "get_chunk", "get_function_chunk", "list_functions_in_file"}
	changing := []string{"delete_chunk", "edit_chunk", "insert_chunk", "move_chunk", "rename_chunk", "replace_function_chunk", "rewrite_code"}
	full := slices.Concat([]string{"find_code", "find_text", "get_chunks", "get_repo_map", "search_symbols"}, changing, strict)
	graph := append([]string{"find_callers", "find_dependencies"}, full...)
	reading := slices.DeleteFunc(slices.Clone(full), func(name string) bool { return slices.Contains(changing, name) })
	dir := newProject(t)
	for _, tc := range []struct {
		flags []string
		want  []string
	}{
		{nil, full},
		{[]string{"-profile", "chunks-strict"}, strict},
		{[]string{"-profile", "chunks-strict", "-read-only", "-graph"}, strict},
		{[]string{"-graph"}, graph},
		{[]string{"-language-servers"}, append([]string{"find_callers"}, full...)},
		{[]string{"-language-servers", "-graph"}, graph},
		{[]string{"-read-only"}, reading},
		{[]string{"-store", "sqlite", "-output-schemas"}, full},
	} {
		want := slices.Sorted(slices.Values(tc.want))
		if got := program.Tools(t, append([]string{"-root", dir}, tc.flags...)...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tc.flags, got, want)
		}
	}
	apptest.Contains(t, program.MustRun(t, "tools", "-root", dir), "18 tools, ", "get_chunk ")
}

func TestCall(t *testing.T) {
	dir := newProject(t)
	file := filepath.Join(dir, "Sources", "Stack.swift")
	const push = "/// Puts a number on top.\n    func push(_ x: Int) {\n        items.append(x)\n    }\n"
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir}, args...)...)
	}

	if got := call("get_function_chunk", "filePath="+file, "functionSignature=func push(_ x: Int)"); got != push {
		t.Errorf("the function is\n%s", got)
	}
	var listed []struct{ ID, Signature string }
	apptest.Must(t, json.Unmarshal([]byte(call("-profile", "chunks-strict", "list_functions_in_file", "filePath=Sources/Stack.swift")), &listed))
	if len(listed) != 1 || listed[0].ID != "Sources/Stack.swift#Stack.push(_:)" || listed[0].Signature != "func push(_ x: Int)" {
		t.Errorf("listed are %+v", listed)
	}
	if got, want := call("list_functions_in_file", "filePath=Sources/Stack.swift"), "Stack:\n 5-8 func push(_ x: Int)"; !strings.Contains(got, want) {
		t.Errorf("the short list is\n%s", got)
	}
	code, out, errs := program.Run(t, "call", "-root", dir, "analyze_project", "projectPath="+dir)
	if code != 0 || !strings.Contains(out, "success: 3 functions") || errs != "" {
		t.Errorf("analyze_project: exit code %d\n%s%s", code, out, errs)
	}
	apptest.Contains(t, call("search_symbols", "query=push"), "Sources/Stack.swift\n push 5-8 ")
	apptest.Contains(t, call("get_repo_map"), "class Stack")
	apptest.Contains(t, call("get_chunk", "chunkId=util.py#helper"), "def helper(x):")
	apptest.Contains(t, call("getChunk", "chunkId=util.py#helper"), "def helper(x):")

	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	apptest.Contains(t, call("-audit", audit, "replace_function_chunk", "chunkId=util.py#helper", "newCode=def helper(x):\n    return 2 * x"), "[replaced, now lines 1-2")
	if got, err := os.ReadFile(filepath.Join(dir, "util.py")); err != nil || string(got) != "def helper(x):\n    return 2 * x\n" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if log, err := os.ReadFile(audit); err != nil || !strings.Contains(string(log), "util.py") {
		t.Errorf("the audit log is %q, %v", log, err)
	}

	apptest.Write(t, dir, map[string]string{"notes.rst": "Notes\n=====\n"})
	for _, tc := range []struct {
		says string
		args []string
	}{
		{"CHUNK_NOT_FOUND", []string{"get_chunk", "chunkId=util.py#none"}},
		{"FILE_NOT_FOUND", []string{"list_functions_in_file", "filePath=none.py"}},
		{"PERMISSION_DENIED", []string{"list_functions_in_file", "filePath=../x.py"}},
		{"NOT_SOURCE", []string{"list_functions_in_file", "filePath=notes.rst"}},
	} {
		code, out, _ := program.Run(t, append([]string{"call", "-root", dir}, tc.args...)...)
		if code != 1 || !strings.Contains(out, tc.says) || !strings.Contains(out, "Next step") {
			t.Errorf("%q: exit code %d\n%s", tc.args, code, out)
		}
	}
	program.MustFail(t, 1, "replace_function_chunk", "call", "-root", dir, "-read-only", "replace_function_chunk", "chunkId=util.py#helper", "newCode=x")
}

// The graph is kept between runs as the index is.
func TestGraph(t *testing.T) {
	dir := newProject(t)
	flags := []string{"-root", dir, "-graph"}
	program.MustRun(t, append([]string{"index"}, flags...)...)
	apptest.Contains(t, program.MustRun(t, append(append([]string{"call"}, flags...), "find_callers", "chunkId=Sources/Stack.swift#Stack.push(_:)")...), "[1 caller of the same name, not resolved: another function of the name may be meant]\n[the index is of an earlier run and not compared with the files since; analyze_project does that]\nuse.swift#use(s:) lines 2\n")
	apptest.Contains(t, program.MustRun(t, append(append([]string{"call"}, flags...), "find_dependencies", "chunkId=use.swift#use(s:)")...), "push lines 2: Sources/Stack.swift#Stack.push(_:)\n")
}

// serve answers a client on standard input and output, and has nothing but
// messages to say there.
func TestServe(t *testing.T) {
	dir := newProject(t)
	out := new(apptest.Output)
	code, errs := program.RunIn(t.Context(), t, strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_chunk","arguments":{"chunkId":"util.py#helper"}}}`,
	}, "\n")+"\n", out, "serve", "-root", dir)
	if code != 0 || errs != "" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	answers := 0
	for line := range strings.Lines(out.String()) {
		var message struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		apptest.Must(t, json.Unmarshal([]byte(line), &message))
		if message.ID == 2 && message.Result.Content[0].Text == "def helper(x):\n    return x" {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("the answers are\n%s", out)
	}
	if exists(filepath.Join(dir, "data")) {
		t.Error("reading a chunk has left an index behind")
	}
}

// A project can have a file where the index would go.
func TestServe_DataIsAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows reports a file in the place of a directory as missing")
	}
	dir := newProject(t)
	apptest.Write(t, dir, map[string]string{"data": "1 2 3\n"})
	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"analyze_project","arguments":{}}}`,
	}, "\n") + "\n"
	out := new(apptest.Output)
	code, errs := program.RunIn(t.Context(), t, input, out, "serve", "-root", dir)
	if code != 0 || !strings.Contains(errs, "the index is kept in memory and not saved") || !strings.Contains(out.String(), "not saved: ") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
	if code, errs := program.RunIn(t.Context(), t, input, new(apptest.Output), "serve", "-root", dir, "-data", "data/chunks"); code == 0 || !strings.Contains(errs, "-store") {
		t.Errorf("with -data: exit code %d, %s", code, errs)
	}
}
