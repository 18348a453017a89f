package cursorcli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
)

// A real process, a real pipe: the settings change while a client is connected.
func TestServe_FollowsSettings(t *testing.T) {
	dir := newProject(t)
	stderr := new(apptest.Output)
	changed := make(chan string, 10)
	client, err := mcp.Connect(t.Context(), transport.Command{
		Path: os.Args[0], Args: []string{"-root", dir, "-logging-outputs", "console,file"}, Env: []string{"DOUGU_TEST_CURSORCLI=1"},
		Stderr: func(line string) { _, _ = stderr.Write([]byte(line + "\n")) },
	}, mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{OnListChanged: func(list string) { changed <- list }})
	apptest.Must(t, err)
	s := &server{t: t, dir: dir, stderr: stderr, client: client}
	if got := s.call(t.Context(), "read_file", map[string]any{"path": "main.go"}); !strings.Contains(got, "package main") {
		t.Errorf("read: %s", got)
	}
	s.settings(`{"tools": {"allowedTools": ["list_directory"]}}`)
	if list := <-changed; list != "tools" {
		t.Errorf("told of %s", list)
	}
	for _, step := range []struct{ file, problem string }{
		{`{"tools": {"allowedTools": ["list_directory"]}}`, ""},
		{`{"tools": {"allowedTools": ["read_file"]}, "server": {"requestTimeoutMs": 0}}`, "received 0"},
		{`{`, "nothing in the file is used"},
	} {
		s.settings(step.file)
		s.awaitLog(step.problem)
		if got := s.call(t.Context(), "read_file", map[string]any{"path": "main.go"}); !strings.Contains(got, "Unknown tool") {
			t.Errorf("with %s, a tool that is not allowed: %s", step.file, got)
		}
	}
	s.settings(`{}`)
	<-changed
	if got := s.call(t.Context(), "read_file", map[string]any{"path": "main.go"}); !strings.Contains(got, "package main") {
		t.Errorf("after a good file: %s", got)
	}
	apptest.Must(t, client.Close())
	log, err := os.ReadFile(filepath.Join(dir, settingsDir, "logs", "cursorcli.log"))
	for _, want := range []string{"nothing in the file is used", `"msg":"server shutting down"}` + "\n"} {
		if err != nil || !strings.Contains(string(log), want) {
			t.Errorf("the log file lacks %s: %v\n%s", want, err, log)
		}
	}
}

// Whatever the settings and the logs: standard output has messages and nothing
// else.
func TestServe_CleanStdout(t *testing.T) {
	dir := newProject(t)
	apptest.Write(t, dir, map[string]string{settingsFile: `{"logging": {"level": "debug", "outputs": ["console", "file", "cursor-output-panel"]}, "wrong": 1`})
	cmd := exec.Command(os.Args[0], "-root", dir, "-logging-level", "debug", "-logging-outputs", "console,file,cursor-output-panel", "-server-name", "")
	cmd.Env = append(os.Environ(), "DOUGU_TEST_CURSORCLI=1", variablePrefix+"NONE=1")
	stdin, err := cmd.StdinPipe()
	apptest.Must(t, err)
	stdout, err := cmd.StdoutPipe()
	apptest.Must(t, err)
	stderr := new(apptest.Output)
	cmd.Stderr = stderr
	apptest.Must(t, cmd.Start())
	s := &server{t: t, dir: dir, stderr: stderr}
	lines := bufio.NewScanner(stdout)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"main.go"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none"}}`,
		`not JSON`,
	} {
		_, err := io.WriteString(stdin, message+"\n")
		apptest.Must(t, err)
	}
	s.awaitLog("server ready")
	s.awaitLog("tool=read_file")
	s.awaitLog("tool=none")
	s.settings(`{"tools": {"allowedTools": []}}`)
	s.awaitLog("settings applied")
	apptest.Must(t, stdin.Close())
	logs := 0
	for lines.Scan() {
		var message struct {
			Version string `json:"jsonrpc"`
			Method  string `json:"method"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil || message.Version != "2.0" {
			t.Errorf("standard output has %q", lines.Text())
		}
		if message.Method == "notifications/message" {
			logs++
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
	if logs == 0 {
		t.Error("the client that asked for logs was told nothing")
	}
}
