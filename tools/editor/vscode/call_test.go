//go:build unix

package vscode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// A question that is given up is given up by the window too, which goes on answering others.
func TestCall_Cancelled(t *testing.T) {
	asked, cancelled := make(chan struct{}, 1), make(chan struct{})
	v, f := one(t, answers{
		"format": func(json.RawMessage) (any, error) {
			asked <- struct{}{}
			<-cancelled
			return nil, &jsonrpc2.Error{Code: -32800, Message: "cancelled"}
		},
		"open": raw("null"),
	})
	gone := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() { result <- second(v.Format(ctx, adapter.Document{Path: file, Version: 1}, nil)) }()
	<-asked
	cancel(gone)
	if err := <-result; !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	soon(t, "the window was told", func() bool { return strings.Contains(strings.Join(f.notifications(), "\n"), "$/cancelRequest") })
	close(cancelled)
	if err := v.Open(t.Context(), file, nil, false); err != nil {
		t.Error(err)
	}
	if !v.State().Running {
		t.Error("the connection has ended")
	}
}

// A window that does not even acknowledge that is left, and found again when it answers.
func TestCall_HangingWindow(t *testing.T) {
	release := make(chan struct{})
	var hung atomic.Bool
	v, f := one(t, answers{"format": func(json.RawMessage) (any, error) {
		if !hung.Swap(true) {
			<-release
		}
		return json.RawMessage(`{"edits":[]}`), nil
	}})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := v.Format(ctx, adapter.Document{Path: file, Version: 1}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	connections := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.conns)
	}
	soon(t, "it is connected anew", func() bool { return connections() == 2 })
	if _, err := v.Format(t.Context(), adapter.Document{Path: file, Version: 1}, nil); err != nil {
		t.Error(err)
	}
}

func TestCall_WindowEnds(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	v, f := one(t, answers{"rename": func(json.RawMessage) (any, error) {
		asked <- struct{}{}
		<-release
		return nil, nil
	}})
	defer close(release)
	result := make(chan error, 1)
	go func() {
		result <- second(v.Rename(context.Background(), adapter.Document{Path: file, Version: 1}, at(1, 1), "x"))
	}()
	<-asked
	f.close()
	if err := <-result; !errors.Is(err, adapter.ErrNotRunning) {
		t.Error(err)
	}
}

func TestCall_Concurrent(t *testing.T) {
	v, _ := one(t, answers{"workspaceSymbols": func(params json.RawMessage) (any, error) {
		var in struct{ Query string }
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, err
		}
		return map[string]any{"symbols": []any{map[string]any{"name": in.Query, "kind": "class", "path": file, "range": struct{}{}, "selection": struct{}{}}}}, nil
	}})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			name := fmt.Sprint("symbol", i)
			got, err := v.FindSymbols(t.Context(), name)
			if err != nil || len(got) != 1 || got[0].Name != name {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		})
	}
	all.Wait()
}

// Whatever a window says, the answer is an error.
func TestAnswers_Invalid(t *testing.T) {
	const span = `{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}`
	doc := adapter.Document{Path: file, Version: 1}
	document := func(v *vscode.VSCode) error { _, _, err := v.Document(t.Context(), file); return err }
	edit := func(v *vscode.VSCode) error { return second(v.Edit(t.Context(), file, 1, nil, false)) }
	active := func(v *vscode.VSCode) error { _, _, err := v.Active(t.Context()); return err }
	definition := func(v *vscode.VSCode) error { return second(v.Definition(t.Context(), doc, at(1, 1))) }
	format := func(v *vscode.VSCode) error { return second(v.Format(t.Context(), doc, nil)) }
	rename := func(v *vscode.VSCode) error { return second(v.Rename(t.Context(), doc, at(1, 1), "x")) }
	diagnose := func(v *vscode.VSCode) error { return second(v.Diagnose(t.Context(), []string{file})) }
	symbols := func(v *vscode.VSCode) error { return second(v.Symbols(t.Context(), doc)) }
	tests := []struct {
		method, answer string
		call           func(*vscode.VSCode) error
	}{
		{"document", `{"document":{"text":"x"}}`, document},
		{"document", `{"document":{"text":"x","version":-1}}`, document},
		{"document", `{"document":{"text":5,"version":1}}`, document},
		{"document", `[]`, document},
		{"edit", `null`, edit},
		{"edit", `{"document":{"version":0}}`, edit},
		{"active", `{"active":{"path":"relative","cursor":{}}}`, active},
		{"active", `{"active":{"cursor":{"line":-1}}}`, active},
		{"active", `{"active":{"cursor":{},"selection":{"start":{"line":2},"end":{"line":1}}}}`, active},
		{"definition", `{"locations":[{"path":"relative","range":` + span + `}]}`, definition},
		{"definition", `{"locations":[{"path":"/a\u0000b","range":` + span + `}]}`, definition},
		{"definition", `{"locations":[{"path":"/a","range":{"start":{"line":1e12}}}]}`, definition},
		{"definition", `{"locations":[{"path":"/a","range":{"start":{"line":99999999999}}}]}`, definition},
		{"format", `{"edits":[{"range":{"start":{"character":5},"end":{"character":4}}}]}`, format},
		{"rename", `{"edits":[{"op":"format","path":"/a"}]}`, rename},
		{"rename", `{"edits":[{"op":"rename","path":"/a"}]}`, rename},
		{"rename", `{"edits":[{"op":"change","path":"../a"}]}`, rename},
		{"diagnostics", `{"items":[{"path":"` + file + `","range":{"start":{"line":-5}}}]}`, diagnose},
		{"symbols", `{"symbols":[{"range":` + span + `,"selection":{"start":{"line":-5}}}]}`, symbols},
	}
	for _, tc := range tests {
		v, _ := one(t, answers{tc.method: raw(tc.answer)})
		if err := tc.call(v); err == nil {
			t.Errorf("%s believes %s", tc.method, tc.answer)
		}
	}
}

// Bytes that are no protocol end the connection, and nothing else.
func TestFrames_Invalid(t *testing.T) {
	for name, bytes := range map[string]string{
		"no header":         "hello\n\n",
		"a huge length":     "Content-Length: 99999999999\r\n\r\n",
		"a long length":     "Content-Length: 26214400\r\n\r\n",
		"no length":         "Content-Type: x\r\n\r\n{}",
		"an endless header": strings.Repeat("a", 1<<20),
		"endless headers":   strings.Repeat("a: b\r\n", 1000),
		"no JSON":           "Content-Length: 3\r\n\r\n{{{",
		"no message":        "Content-Length: 2\r\n\r\n[]",
		"depth":             "Content-Length: 200000\r\n\r\n" + strings.Repeat("[", 200000),
		"half a message":    "Content-Length: 100\r\n\r\n{",
		"nothing":           "",
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{t: t, dir: rendezvous(t), name: "window", folders: []string{"/project"}}
			l, err := net.Listen("unix", filepath.Join(f.dir, "window.sock"))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			var served sync.WaitGroup
			defer served.Wait()
			served.Go(func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte(bytes))
				_ = conn.Close()
			})
			f.describe(nil)
			v := vscode.New(vscode.Options{Dir: f.dir})
			defer v.Close(t.Context())
			if err := v.Open(t.Context(), file, nil, false); !errors.Is(err, adapter.ErrNotRunning) {
				t.Error(err)
			}
			if s := v.State(); s.Running || !strings.Contains(s.Detail, "refused the connection") {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestHandler(t *testing.T) {
	dir := rendezvous(t)
	v := vscode.New(vscode.Options{Dir: dir})
	defer v.Close(t.Context())
	log := slog.New(v.Handler(slog.LevelInfo)).With("server", "editor")
	log.Info("before there is a window")
	f := (&fake{dir: dir, folders: []string{"/project"}}).open(t)
	heard := func(line string) {
		t.Helper()
		soon(t, line, func() bool { return strings.Contains(strings.Join(f.notifications(), "\n"), line) })
	}
	heard(`log {"level":"info","message":"\"before there is a window\" server=editor"}`)
	log.Debug("not asked for")
	log.WithGroup("call").Error("failed", "tool", "insert_code")
	heard(`log {"level":"error","message":"failed server=editor call.tool=insert_code"}`)
	log.Warn(strings.Repeat("x", 10000))
	heard(`"level":"warn","message":"xxx`)
	for _, line := range f.notifications() {
		if len(line) > 4200 || strings.Contains(line, "not asked for") {
			t.Errorf("heard %.100s of %d bytes", line, len(line))
		}
	}
	for range 10_000 { // calls never block
		log.Info("flood")
	}
}
