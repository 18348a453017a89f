//go:build unix

package vscode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// answers are the handlers of a window, by method.
type answers map[string]func(params json.RawMessage) (any, error)

// fake is a window whose responses are set by the test.
type fake struct {
	t       *testing.T
	dir     string
	name    string
	token   string
	folders []string
	focused bool
	answers answers

	listener net.Listener
	mu       sync.Mutex
	conns    []*jsonrpc2.Conn
	heard    []string // methods of notifications, with parameters
	served   sync.WaitGroup
}

// rendezvous is a directory in which windows leave word.
func rendezvous(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dougu-vscode-") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// open makes the window appear.
func (f *fake) open(t *testing.T) *fake {
	t.Helper()
	f.t = t
	if f.name == "" {
		f.name = "window"
	}
	if f.token == "" {
		f.token = "let me in"
	}
	var err error
	if f.listener, err = net.Listen("unix", filepath.Join(f.dir, f.name+".sock")); err != nil {
		t.Fatal(err)
	}
	f.served.Add(1)
	go f.serve()
	f.describe(nil)
	t.Cleanup(f.close)
	return f
}

// describe writes the description, with members changed.
func (f *fake) describe(change func(map[string]any)) {
	f.t.Helper()
	host, err := os.Hostname()
	if err != nil {
		f.t.Fatal(err)
	}
	about := map[string]any{
		"protocol": 1, "socket": filepath.Join(f.dir, f.name+".sock"), "token": "let me in", "folders": f.folders, "pid": os.Getpid(), "host": host,
	}
	if change != nil {
		change(about)
	}
	text, err := json.Marshal(about)
	if err != nil {
		f.t.Fatal(err)
	}
	// As the extension does: whole or not at all.
	if err := os.WriteFile(filepath.Join(f.dir, "draft"), text, 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.dir, "draft"), filepath.Join(f.dir, f.name+".json")); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) serve() {
	defer f.served.Done()
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return
		}
		stream := jsonrpc2.NewBufferedStream(conn, jsonrpc2.VSCodeObjectCodec{})
		f.mu.Lock()
		f.conns = append(f.conns, jsonrpc2.NewConn(context.Background(), stream, jsonrpc2.AsyncHandler(f), jsonrpc2.SetLogger(mute{})))
		f.mu.Unlock()
	}
}

type mute struct{}

func (mute) Printf(string, ...any) {}

// Handle answers one request.
func (f *fake) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	params := json.RawMessage("null")
	if r.Params != nil {
		params = *r.Params
	}
	switch answer, ok := f.answers[r.Method]; {
	case r.Notif:
		f.mu.Lock()
		f.heard = append(f.heard, r.Method+" "+string(params))
		f.mu.Unlock()
	case ok:
		result, err := answer(params)
		if err == nil {
			_ = conn.Reply(ctx, r.ID, result)
		} else if told, ok := err.(*jsonrpc2.Error); ok {
			_ = conn.ReplyWithError(ctx, r.ID, told)
		}
	case r.Method == "hello":
		var in struct{ Token string }
		if json.Unmarshal(params, &in) != nil || in.Token != f.token {
			_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: -32600, Message: "the token is wrong"})
			return
		}
		_ = conn.Reply(ctx, r.ID, map[string]any{"app": "Fake Code", "appVersion": "1.80.0", "folders": f.folders, "focused": f.focused})
	default:
		_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "no method " + r.Method})
	}
}

// tell sends a notification to all connected clients.
func (f *fake) tell(method string, params any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Notify(context.Background(), method, params)
	}
}

func (f *fake) notifications() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.heard...)
}

// close makes the window go, as if it was killed: its files stay.
func (f *fake) close() {
	if unix, ok := f.listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false)
	}
	_ = f.listener.Close()
	f.served.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Close()
		<-conn.DisconnectNotify()
	}
	f.conns = nil
}

// connected is an adapter that has found the windows of a directory.
func connected(t *testing.T, o vscode.Options) *vscode.VSCode {
	t.Helper()
	v := vscode.New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := v.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	soon(t, "a window is found", func() bool { return v.State().Running })
	return v
}

// one is an adapter with one window, whose folder is /project.
func one(t *testing.T, with answers) (*vscode.VSCode, *fake) {
	t.Helper()
	f := (&fake{dir: rendezvous(t), folders: []string{"/project"}, answers: with}).open(t)
	return connected(t, vscode.Options{Dir: f.dir}), f
}

// soon waits until something is so.
func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for !is() {
		select {
		case <-deadline.C:
			t.Fatalf("not after 30 seconds: %s", what)
		case <-ticker.C:
		}
	}
}

// raw answers JSON as it is.
func raw(text string) func(json.RawMessage) (any, error) {
	return func(json.RawMessage) (any, error) { return json.RawMessage(text), nil }
}

// fault answers an error.
func fault(code int64, message string) func(json.RawMessage) (any, error) {
	return func(json.RawMessage) (any, error) { return nil, &jsonrpc2.Error{Code: code, Message: message} }
}

// echo records the question and returns the answer.
func echo(asked *string, answer string) func(json.RawMessage) (any, error) {
	return func(params json.RawMessage) (any, error) {
		*asked = string(params)
		return json.RawMessage(answer), nil
	}
}

func at(line, column int) adapter.Position { return adapter.Position{Line: line, Column: column} }

func between(a, b, c, d int) adapter.Range { return adapter.Range{Start: at(a, b), End: at(c, d)} }

func text(v any) string { return fmt.Sprintf("%+v", v) }
