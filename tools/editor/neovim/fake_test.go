//go:build unix

package neovim_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// liar is a fake Neovim with scripted results.
type liar struct {
	t       *testing.T
	address string
	ctx     context.Context

	mu      sync.Mutex
	answers map[string]any // to questions, by a word of their Lua; raw bytes are sent as they are
	conns   []net.Conn
	closed  bool // all documents but that of one.Path
}

// Requests, identified by a word that occurs only in their Lua script.
const (
	documents   = "-- The document of a file"
	editing     = "-- Changes a document"
	showing     = "-- Shows a file"
	activity    = "-- What the user looks at"
	watching    = "-- Has Neovim tell a channel"
	diagnosing  = "-- Diagnostics of files"
	requesting  = "-- Asks a language server"
	listing     = "-- All language servers"
	describing  = "nvim_get_api_info"
	modeAsking  = "nvim_get_mode"
	introducing = "nvim_set_client_info"
)

func lie(t *testing.T, answers map[string]any) (*neovim.Neovim, *liar) {
	t.Helper()
	l := listen(t, answers)
	return connectTo(t, neovim.Options{Address: l.address}), l
}

func listen(t *testing.T, answers map[string]any) *liar {
	t.Helper()
	dir, err := os.MkdirTemp("", "nv")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	l := &liar{t: t, address: filepath.Join(dir, "socket"), ctx: ctx, answers: map[string]any{
		describing:  []any{7, map[string]any{"version": map[string]any{"major": 0, "minor": 10, "patch": 2, "extra": []any{1}}, "functions": []any{map[string]any{"name": "x"}}}},
		modeAsking:  map[string]any{"mode": "n", "blocking": false},
		introducing: nil,
		watching:    value(map[string]any{"folders": []string{"/project"}, "buffers": []any{[]int{1, 2}, []int{3}}, "embedded": false}),
	}}
	for question, answer := range answers {
		l.answers[question] = answer
	}
	listener, err := net.Listen("unix", l.address)
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.mu.Lock()
			l.conns = append(l.conns, conn)
			l.mu.Unlock()
			served.Go(func() { l.serve(conn) })
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		l.mu.Lock()
		for _, conn := range l.conns {
			_ = conn.Close()
		}
		l.mu.Unlock()
		served.Wait()
		_ = os.RemoveAll(dir)
	})
	return l
}

// value wraps the result of a request.
func value(v any) any { return map[string]any{"value": v} }

// serve responds to requests until the connection ends.
func (l *liar) serve(conn net.Conn) {
	defer conn.Close()
	in := msgpack.NewDecoder(conn)
	for {
		var asked []any
		if in.Decode(&asked) != nil || len(asked) != 4 {
			return
		}
		name, _ := asked[2].(string)
		path := ""
		if name == "nvim_exec_lua" {
			name, _ = asked[3].([]any)[0].(string)
			args, _ := asked[3].([]any)[1].([]any)[1].(map[string]any)
			path, _ = args["path"].(string)
		}
		l.mu.Lock()
		var answer any = "nobody knows the answer"
		for question, a := range l.answers {
			if name == question || strings.HasPrefix(question, "-- ") && strings.Contains(name, question) {
				answer = a
			}
		}
		if l.closed && path != "" && path != one.Path {
			answer = value(map[string]any{"buf": 0})
		}
		l.mu.Unlock()
		raw, ok := answer.([]byte)
		if !ok {
			var b bytes.Buffer
			if err := msgpack.NewEncoder(&b).Encode([]any{1, asked[1], nil, answer}); err != nil {
				l.t.Error(err)
			}
			raw = b.Bytes()
		}
		if len(raw) > 0 {
			_, _ = conn.Write(raw)
		}
	}
}

// tell sends a notification.
func (l *liar) tell(params ...any) {
	raw, err := msgpack.Marshal([]any{2, "dougu", params})
	if err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_, _ = conn.Write(raw)
	}
}

// elsewhere returns a fake in which only another path is open.
func elsewhere(t *testing.T, text string) (*neovim.Neovim, *liar) {
	n, l := answered(t, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return n, l
}
