package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if !lsptest.Serve() {
		goleak.VerifyTestMain(m)
	}
}

// patient is a context that only a fault outlasts.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func config(t *testing.T, s lsptest.Script) lsp.Config {
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return lsp.Config{Name: "fake", Command: []string{program}, Dir: t.TempDir(), Env: s.Env()}
}

func start(t *testing.T, c lsp.Config) *lsp.Session {
	t.Helper()
	s, err := lsp.Start(patient(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func TestSession_Requests(t *testing.T) {
	c := config(t, lsptest.Script{
		Answers: map[string]string{"textDocument/definition": `{"uri":"$ROOT/a.go","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}}`},
		Errors:  map[string]string{"textDocument/rename": "not that"},
		Sends: map[string][]string{"textDocument/didOpen": {
			`{"jsonrpc":"2.0","id":"q1","method":"workspace/configuration","params":{"items":[{"section":"a.b"}]}}`,
			`{"jsonrpc":"2.0","id":7,"method":"no/such","params":null}`,
			`{"jsonrpc":"2.0","id":8,"method":"client/registerCapability","params":{"registrations":[{"id":"1","method":"x/y","registerOptions":{"z":1}}]}}`,
			`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/a.go","version":"$VERSION","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"bad"}]}}`,
		}},
	})
	c.Settings = map[string]any{"a.b": 1}
	s := start(t, c)
	var found lsp.Locations
	if err := s.Call(patient(t), "textDocument/definition", nil, &found); err != nil || len(found) != 1 || found[0].Range.Start.Character != 2 {
		t.Errorf("definition: %+v, %v", found, err)
	}
	if refused, ok := errors.AsType[*lsp.ResponseError](s.Call(patient(t), "textDocument/rename", nil, nil)); !ok || refused.Message != "not that" {
		t.Errorf("a refusal: %+v", refused)
	}
	path := filepath.Join(c.Dir, "a.go")
	version, err := s.Open(path, "go", "package a")
	if err != nil {
		t.Fatal(err)
	}
	for {
		news := s.News()
		if p, ok := s.Published(path); ok && p.Version == version && len(p.Items) == 1 && p.Items[0].Message == "bad" {
			break
		}
		select {
		case <-news:
		case <-patient(t).Done():
			t.Fatal("no diagnostics were published")
		}
	}
	if options, ok := s.Offers("x/y"); !ok || string(options) != `{"z":1}` {
		t.Errorf("what was registered: %s, %v", options, ok)
	}
	if again, err := s.Open(path, "go", "package a"); again != version || err != nil {
		t.Errorf("the same text is version %d, not %d, %v", again, version, err)
	}
	if next, err := s.Open(path, "go", "package b"); next <= version || err != nil {
		t.Errorf("another text is version %d after %d, %v", next, version, err)
	}
}

// Whatever a server does, the request that met it is an error that says so, within a bound, and the session is over.
func TestSession_FaultyServer(t *testing.T) {
	for deed, says := range map[string]string{
		lsptest.Hang:    "it has sent nothing for",
		lsptest.Sleep:   "it has sent nothing for",
		lsptest.Die:     "exit code 3",
		lsptest.Garbage: "instead of a header",
		lsptest.Binary:  "not a message of JSON-RPC",
		lsptest.Promise: "it has sent nothing for",
		lsptest.Huge:    "a message of 50000000 bytes",
		lsptest.Flood:   "more messages than anybody can read",
		lsptest.Chatter: "more messages than anybody can read",
		lsptest.Half:    "exit code 0",
		lsptest.Eat:     "it used too much memory",
		lsptest.Breed:   "it used too much memory",
	} {
		t.Run(deed, func(t *testing.T) {
			t.Parallel()
			testrequire.Thing(t, runtime.GOOS == "linux" || !strings.Contains(says, "memory"), "the memory of a process tree", "run the test on Linux")
			c := config(t, lsptest.Script{Does: map[string]string{"textDocument/definition": deed}})
			c.CallTimeout, c.Silence = 90*time.Second, 80*time.Second
			if strings.Contains(says, "memory") {
				c.MaxMemory, c.MemoryInterval = 100<<20, 20*time.Millisecond
			}
			silent := strings.Contains(says, "nothing")
			if silent {
				c.CallTimeout, c.Silence = 50*time.Millisecond, 40*time.Millisecond
			}
			s, err := lsp.Start(patient(t), c)
			if err != nil {
				t.Fatal(err)
			}
			err = s.Call(patient(t), "textDocument/definition", nil, nil)
			if _, failed := errors.AsType[*lsp.Error](err); !failed {
				t.Errorf("the request: %v", err)
			}
			select {
			case <-s.Done():
			case <-patient(t).Done():
				t.Fatal("the session goes on")
			}
			if err = s.Err(); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the session ended with %v, want %q", err, says)
			}
			if failed, _ := errors.AsType[*lsp.Error](err); deed == lsptest.Die && failed.Words != "out of cheese" {
				t.Errorf("its last words are %q", failed.Words)
			}
			if err := s.Call(patient(t), "textDocument/definition", nil, nil); err == nil {
				t.Error("a request after the end has an answer")
			}
			if err := s.Close(patient(t)); err != nil {
				t.Errorf("closing it: %v", err)
			}
		})
	}
}

func TestStart_Failure(t *testing.T) {
	for name, tc := range map[string]struct {
		script lsptest.Script
		says   string
	}{
		"dies":        {lsptest.Script{Does: map[string]string{"initialize": lsptest.Die}}, "exit code 3"},
		"hangs":       {lsptest.Script{Does: map[string]string{"initialize": lsptest.Hang}}, "it was not ready within"},
		"refuses":     {lsptest.Script{Errors: map[string]string{"initialize": "go away"}}, "go away"},
		"talks":       {lsptest.Script{Does: map[string]string{"initialize": lsptest.Garbage}}, "instead of a header"},
		"counts else": {lsptest.Script{Capabilities: json.RawMessage(`{"positionEncoding":"utf-8"}`)}, "counts columns in utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, tc.script)
			if name == "hangs" {
				c.StartTimeout = 50 * time.Millisecond
			}
			if _, err := lsp.Start(patient(t), c); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v, want %q", err, tc.says)
			}
		})
	}
}

func TestCall_Timeout(t *testing.T) {
	s := start(t, config(t, lsptest.Script{Does: map[string]string{"textDocument/definition": lsptest.Hang}}))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Call(ctx, "textDocument/definition", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
	if s.Err() != nil {
		t.Errorf("the session ended for one impatient caller: %v", s.Err())
	}
}

func TestExecute_Edits(t *testing.T) {
	const edit = `{"changes":{}}`
	send := `{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{"edit":` + edit + `}}`
	s := start(t, config(t, lsptest.Script{Sends: map[string][]string{"workspace/executeCommand": {send}, "textDocument/definition": {send}}}))
	if err := s.Call(patient(t), "textDocument/definition", nil, nil); err != nil {
		t.Fatal(err)
	}
	_, edits, err := s.Execute(patient(t), lsp.Command{Command: "mend"})
	if err != nil || len(edits) != 1 || string(edits[0]) != edit {
		t.Errorf("the command sent %s, %v", edits, err)
	}
	if _, _, err := s.Execute(patient(t), lsp.Command{Command: "format.disk"}); err == nil || !strings.Contains(err.Error(), "does not offer the command") {
		t.Errorf("a command that is not offered: %v", err)
	}
}

func TestFilesChanged_BeforeWatches(t *testing.T) {
	c := config(t, lsptest.Script{Sends: map[string][]string{
		"textDocument/didOpen":            {`{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*.go"}]}}]}}`},
		"workspace/didChangeWatchedFiles": {`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/told.go","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"bad"}]}}`},
	}})
	s := start(t, c)
	if err := s.FilesChanged([]lsp.FileEvent{{Path: filepath.Join(c.Dir, "a.go"), Change: lsp.FileChanged}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(filepath.Join(c.Dir, "b.go"), "go", ""); err != nil {
		t.Fatal(err)
	}
	for ctx := patient(t); ; {
		news := s.News()
		if err := s.FilesChanged(nil); err != nil {
			t.Fatal(err)
		}
		if _, told := s.Published(filepath.Join(c.Dir, "told.go")); told {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatal("the server was not told of the change")
		}
	}
}

func TestOpen_ServerThatDoesNotRead(t *testing.T) {
	c := config(t, lsptest.Script{Does: map[string]string{"textDocument/didOpen": lsptest.Sleep}})
	c.MaxOutbox = 2 << 20
	s := start(t, c)
	text := strings.Repeat("x", 256<<10)
	for n := range 20 {
		_, err := s.Open(filepath.Join(c.Dir, "a.go"), "go", text+strings.Repeat("y", n))
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "it does not read its input") {
			t.Errorf("it ended with %v", err)
		}
		return
	}
	t.Error("5 MiB wait for the server")
}
