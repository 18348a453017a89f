package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// modernMeta is the _meta of a request in revision 2026-07-28.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`

// server is a running process that reads and writes lines of JSON-RPC.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *stream
	stderr *stream
	exited chan struct{}
}

// pipes are the parent's ends of a process's standard streams.
type pipes struct{ stdin, stdout, stderr *os.File }

// launch starts a process. Its output is not read yet. extra are its file descriptors from 3.
func launch(t *testing.T, program string, extra ...*os.File) (*exec.Cmd, pipes) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.ExtraFiles = extra
	return cmd, launchCommand(t, cmd)
}

func launchCommand(t *testing.T, cmd *exec.Cmd) pipes {
	t.Helper()
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	in, stdin := pipe()
	stdout, out := pipe()
	stderr, errs := pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []*os.File{in, out, errs} {
		theirs.Close()
	}
	return pipes{stdin, stdout, stderr}
}

// start starts a process and reads its output.
func start(t *testing.T, program string, extra ...*os.File) *server {
	t.Helper()
	cmd, p := launch(t, program, extra...)
	return attend(t, cmd, p.stdin, follow("standard output", p.stdout), follow("standard error", p.stderr))
}

// attend waits for a process in the background, and kills it at the end of the test.
func attend(t *testing.T, cmd *exec.Cmd, stdin *os.File, stdout, stderr *stream) *server {
	s := &server{t: t, cmd: cmd, stdin: stdin, stdout: stdout, stderr: stderr, exited: make(chan struct{})}
	go func() {
		defer close(s.exited)
		_ = cmd.Wait() // cmd.ProcessState contains the same information
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.exited
	})
	return s
}

// send writes lines, each with its newline.
func (s *server) send(lines ...string) {
	s.t.Helper()
	if _, err := s.stdin.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		s.t.Fatalf("writing to the server: %v", err)
	}
}

// answer waits for the response to the request with a numeric id.
func (s *server) answer(id int) message {
	s.t.Helper()
	var m message
	s.stdout.until(s.t, fmt.Sprintf("an answer to %d", id), func(line string) bool {
		m = readMessage(s.t, line)
		return string(m.ID) == fmt.Sprint(id) && m.Method == ""
	})
	return m
}

// received waits for a message with the given method.
func (s *server) received(method string) message {
	s.t.Helper()
	var m message
	s.stdout.until(s.t, method, func(line string) bool {
		m = readMessage(s.t, line)
		return m.Method == method
	})
	return m
}

// openSession performs the handshake of revision 2025-11-25.
func (s *server) openSession() {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":9000,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}}}`)
	s.answer(9000)
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// ends waits for the end of the process. It fails the test unless the exit code is 0 and standard output is closed.
func (s *server) ends() {
	s.t.Helper()
	if state := s.waits(); state.ExitCode() != 0 {
		s.t.Errorf("the server ended with %v", state)
	}
	s.stdout.all(s.t)
}

// running waits a short time and reports whether the process still runs.
func (s *server) running() bool {
	select {
	case <-s.exited:
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

// waits waits for the end of the process and returns its state.
func (s *server) waits() *os.ProcessState {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatalf("the server has not ended after %v", patience)
	}
	return s.cmd.ProcessState
}

// message is any JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func readMessage(t *testing.T, line string) message {
	t.Helper()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
		t.Errorf("a line on standard output is no message (%v): %.300s", err, line)
	}
	return m
}

// modernCall returns a tool call of revision 2026-07-28.
func modernCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, modernMeta)
}

// legacyCall returns a tool call in a session.
func legacyCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}
