package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
)

// reads returns the script line of a request for a file; more are additional parameters.
func reads(path, more string) string {
	return `< {"jsonrpc":"2.0","id":"r","method":"fs/read_text_file","params":{"sessionId":"s-1","path":"` + path + `"` + more + `}}` + "\n"
}

// writes returns the script line of a request to write a file.
func writes(path, content string) string {
	return `< {"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s-1","path":"` + path + `","content":"` + content + `"}}` + "\n"
}

func TestFileMethods(t *testing.T) {
	const sjis = "\x93\xfa\x96{\x8c\xea\r\n" // 日本語
	for _, test := range []struct {
		name, script string
		spec         executor.Spec
		tells        []string
		left         map[string]string
	}{
		{"read", reads("$DIR/lines.txt", "") + `> "id":"r" & {"content":"one\ntwo\nthree"}` + "\n", executor.Spec{}, nil, nil},
		{"some lines", reads("$DIR/lines.txt", `,"line":2,"limit":1`) + `> {"content":"two\n"}` + "\n" + reads("$DIR/lines.txt", `,"line":3,"limit":9`) + `> {"content":"three"}` + "\n" +
			reads("$DIR/lines.txt", `,"line":9,"limit":null`) + `> {"content":""}` + "\n", executor.Spec{}, nil, nil},
		{"lines that cannot be", reads("$DIR/lines.txt", `,"line":-1`) + "> -32602\n", executor.Spec{}, nil, nil},
		{"one that is not there", reads("$DIR/line.txt", "") + "> -32002 & Resource not found: & lines.txt\n", executor.Spec{}, nil, nil},
		{"a secret", reads("$DIR/.env", "") + `> "error" & -32603` + "\n", executor.Spec{}, nil, nil},
		{"outside", reads("/etc/passwd", "") + `> "error"` + "\n" + reads("$DIR/../x", "") + `> "error"` + "\n" + reads("$DIR/out/x", "") + `> "error"` + "\n", executor.Spec{}, nil, nil},
		{"another encoding", reads("$DIR/sjis.txt", "") + `> {"content":"日本語\r\n"}` + "\n" + writes("$DIR/sjis.txt", `日本\r\n`) + `> "id":"w" & "result":{}` + "\n", executor.Spec{Trust: true},
			[]string{"tool_started fs/write_text_file 1 fs/write_text_file", "tool_completed fs/write_text_file 1 fs/write_text_file edited sjis.txt"}, map[string]string{"sjis.txt": "\x93\xfa\x96{\r\n"}},
		{"what an encoding lacks", writes("$DIR/sjis.txt", `😀`) + `> "error"` + "\n", executor.Spec{Trust: true}, nil, map[string]string{"sjis.txt": sjis}},
		{"a new one", writes("$DIR/sub/new.txt", `hello\n`) + `> "result"` + "\n", executor.Spec{Trust: true},
			[]string{"tool_started fs/write_text_file 1 fs/write_text_file", "tool_completed fs/write_text_file 1 fs/write_text_file created new.txt"}, map[string]string{"sub/new.txt": "hello\n"}},
		{"the same", writes("$DIR/lines.txt", `one\ntwo\nthree`) + `> "result"` + "\n", executor.Spec{Trust: true}, nil, nil},
		{"a protected one", writes("$DIR/.git/hooks/pre-commit", "x") + `> "error"` + "\n", executor.Spec{Trust: true}, nil, nil},
		{"outside, to write", writes("$DIR/../escaped.txt", "x") + `> "error"` + "\n", executor.Spec{Trust: true}, nil, nil},
		{"not trusted", writes("$DIR/lines.txt", "x") + `> "error" & refused` + "\n", executor.Spec{}, nil, map[string]string{"lines.txt": "one\ntwo\nthree"}},
		{"to read only", writes("$DIR/lines.txt", "x") + `> "error" & -32601` + "\n", executor.Spec{Trust: true, ReadOnly: true}, nil, map[string]string{"lines.txt": "one\ntwo\nthree"}},
		{"without permission", writes("$DIR/lines.txt", "x") + `> "error" & refused` + "\n", executor.Spec{Trust: true, Tools: []string{"execute"}}, nil, map[string]string{"lines.txt": "one\ntwo\nthree"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range map[string]string{"lines.txt": "one\ntwo\nthree", ".env": "KEY=x", "sjis.txt": sjis, ".git/hooks/x": ""} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_ = os.Symlink("/etc", filepath.Join(dir, "out"))
			test.spec.Dir = dir
			exit, events := run(t, newExecutor(t, hello+test.script+bye, nil), test.spec)
			if exit.Failed {
				t.Fatalf("the exit is %+v", exit)
			}
			checkStory(t, story(events), append(append([]string{"init s-1", "prompted"}, test.tells...), "finished")...)
			for name, want := range test.left {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s is %q, %v; want %q", name, got, err, want)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "../escaped.txt")); err == nil {
				t.Error("it has written outside of its directory")
			}
		})
	}
}

func TestWriteFile_ChangedSinceRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The script sends a thought after the first read; the test then changes the file.
	script := hello + reads("$DIR/a.txt", "") + "> one\n" +
		`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Now."}}}}` + "\n" +
		writes("$DIR/a.txt", `mine\n`) + `> "error" & has changed since` + "\n" + reads("$DIR/a.txt", "") + "> theirs\n" + writes("$DIR/a.txt", `mine\n`) + `> "result"` + "\n" + writes("$DIR/a.txt", `mine again\n`) + `> "result"` + bye
	x := newExecutor(t, script, nil)
	exit, err := x.Run(t.Context(), executor.Spec{AgentID: "a", Dir: dir, Prompt: "Do it.", Trust: true}, func(e executor.Event) {
		if e.Kind == executor.Thinking {
			if err := os.WriteFile(file, []byte("theirs\n"), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if got, _ := os.ReadFile(file); err != nil || exit.Failed || string(got) != "mine again\n" {
		t.Errorf("the file is %q; the exit is %+v, %v", got, exit, err)
	}
}

func TestOptions_NoFiles(t *testing.T) {
	script := strings.Replace(hello, `"method":"initialize"`, `"readTextFile":false & "writeTextFile":false`, 1) + reads("$DIR/x", "") + "> -32601\n" + writes("$DIR/x", "y") + "> -32601\n" +
		`< {"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s-1","command":"ls"}}` + "\n" + `> "id":7 & -32601` + bye
	if exit, _ := run(t, newExecutor(t, script, func(o *acp.Options) { o.NoFiles = true }), executor.Spec{Trust: true}); exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
}

// The Gemini CLI cannot create files through a client, because it misreads the error for a
// missing file.
func TestInitialize_FilesIncompatible(t *testing.T) {
	script := `> "id":1 & "method":"initialize" & "readTextFile":true
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"gemini-cli","version":"0.61.0"}}}
> "id":2 & "method":"initialize" & "readTextFile":false & "writeTextFile":false
< {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":1,"agentInfo":{"name":"gemini-cli","version":"0.61.0"}}}
> session/new
< {"jsonrpc":"2.0","id":3,"result":{"sessionId":"s-1"}}
> session/prompt
` + reads("$DIR/x", "") + `> -32601
< {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}
! end
`
	if exit, _ := run(t, newExecutor(t, script, nil), executor.Spec{Trust: true}); exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
}
