package vscode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"

	"golang.org/x/sync/semaphore"
)

const (
	maxCalls     = 32              // concurrent calls of a window; further calls wait
	longestCall  = time.Minute     // upper limit of a call
	cancelGrace  = 5 * time.Second // time for a window to end a cancelled call; then the connection is closed
	maxErrorText = 500             // limit of an error message of a window, in bytes
	helloTimeout = 3 * time.Second // timeout of the connection and the call hello
)

// window is the connection to one window of VS Code.
type window struct {
	about description
	hello welcome
	conn  *jsonrpc2.Conn
	slots *semaphore.Weighted // limits concurrent calls to maxCalls
	ids   atomic.Uint64       // the last request id
	spawn func(func()) bool   // runs a goroutine; false after VSCode.Close
	moved func()              // called when the folders or the focus have changed

	mu        sync.Mutex   // guards the following fields
	known     bool         // a state was received
	ended     bool         // the connection has ended
	unsaved   unsavedPaths // documents with unsaved text
	truncated bool         // the window has more of them
	folders   []string     // absolute paths, with every link resolved
	focused   time.Time    // the last report of the window with the focus; zero: never
}

// welcome is the result of the call hello: the program and version of the window, the version of the extension, and its first state.
type welcome struct {
	App        string `json:"app"`
	AppVersion string `json:"appVersion"`
	Version    string `json:"version"`
	windowState
}

// windowState is the content of a "window" notification.
type windowState struct {
	Folders []string `json:"folders"`
	Focused bool     `json:"focused"`
	Unsaved []string `json:"unsaved"` // paths of documents with unsaved text
}

// caller identifies this program to windows.
type caller struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// connect connects to the window of a description and sends hello. The connection ends with ctx. moved is called for each later
// notification of a changed state.
func connect(ctx context.Context, d description, as caller, spawn func(func()) bool, moved func()) (*window, error) {
	first, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	p, err := local.Dial(first, d.Socket)
	if err != nil {
		return nil, err
	}
	w := &window{about: d, slots: semaphore.NewWeighted(maxCalls), spawn: spawn, moved: moved}
	w.conn = jsonrpc2.NewConn(ctx, newFrames(p), handlerFunc(w.handle), jsonrpc2.SetLogger(silence{}))
	err = w.call(first, "hello", struct {
		Protocol int    `json:"protocol"`
		Token    string `json:"token"`
		Client   caller `json:"client"`
	}{protocol, d.Token, as}, &w.hello)
	if err == nil {
		w.hello.App, w.hello.AppVersion, w.hello.Version = truncate.Line(w.hello.App, 100), truncate.Line(w.hello.AppVersion, 100), truncate.Line(w.hello.Version, 100)
		err = w.learn(w.hello.windowState, false)
	}
	if err != nil {
		_ = w.conn.Close()
		return nil, err
	}
	return w, nil
}

// learn stores a state that the window has reported. newer is false for the result of hello, which must not replace a notification.
func (w *window) learn(state windowState, newer bool) error {
	folders, err := presence.Folders(state.Folders)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known && !newer {
		return nil
	}
	w.known, w.folders = true, folders
	w.unsaved, w.truncated = usablePaths(state.Unsaved)
	if state.Focused {
		w.focused = time.Now()
	}
	return nil
}

// handle processes a notification of the window. It runs in the reading goroutine and does not block.
func (w *window) handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var state windowState
	switch {
	case !r.Notif:
		_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "unknown request"})
	case r.Method == "window" && r.Params != nil && json.Unmarshal(*r.Params, &state) == nil && w.learn(state, true) == nil:
		w.moved()
	}
}

// covers returns the length of the folder that contains a path. A longer folder is nearer to the file. It returns 0 for a file outside of
// the folders with unsaved text in the window, and -1 for other files.
func (w *window) covers(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	depth := presence.Depth(w.folders, path)
	if _, ok := w.unsaved[path]; ok && depth < 0 {
		return 0
	}
	return depth
}

// state returns the folders and the time of the last focus.
func (w *window) state() (folders []string, focused time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.folders, w.focused
}

// call sends a request and decodes the result. When ctx ends first, call returns at once and sends a cancellation in the background.
// A window that does not respond to the cancellation within cancelGrace counts as hung, and the connection is closed.
func (w *window) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	if w.slots.Acquire(ctx, 1) != nil {
		return fmt.Errorf("waiting for a free call of VS Code for %s: %w", method, context.Cause(ctx))
	}
	id := jsonrpc2.ID{Num: w.ids.Add(1)}
	waiter, err := w.conn.DispatchCall(ctx, method, params, jsonrpc2.PickID(id))
	if err != nil {
		w.slots.Release(1)
		return callError(method, err)
	}
	err = waiter.Wait(ctx, result)
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		w.slots.Release(1)
		return callError(method, err)
	}
	giveUp := func() {
		defer w.slots.Release(1)
		_ = w.conn.Notify(context.Background(), "$/cancelRequest", struct {
			ID jsonrpc2.ID `json:"id"`
		}{id})
		late, cancel := context.WithTimeout(context.Background(), cancelGrace)
		defer cancel()
		if errors.Is(waiter.Wait(late, nil), context.DeadlineExceeded) {
			_ = w.conn.Close()
		}
	}
	if !w.spawn(giveUp) {
		w.slots.Release(1)
	}
	return fmt.Errorf("VS Code did not respond to %s in time: %w", method, context.Cause(ctx))
}

// Error codes of the extension, in addition to those of JSON-RPC.
const (
	codeStale       = -32801
	codeUnsupported = 1
	codeTooLarge    = 3
)

// callError converts an error of a call to one that wraps adapter.ErrStale, adapter.ErrUnsupported or adapter.ErrNotRunning where it
// applies. nil stays nil.
func callError(method string, err error) error {
	var response *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &response):
		text := truncate.Line(response.Message, maxErrorText)
		switch response.Code {
		case codeStale:
			return fmt.Errorf("%w: %s", adapter.ErrStale, text)
		case codeUnsupported, codeTooLarge, jsonrpc2.CodeMethodNotFound:
			return fmt.Errorf("%w: %s", adapter.ErrUnsupported, text)
		}
		return fmt.Errorf("VS Code refused %s: %s", method, text)
	case errors.Is(err, jsonrpc2.ErrClosed):
		return fmt.Errorf("calling %s of VS Code: %w", method, adapter.ErrNotRunning)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return fmt.Errorf("the response of VS Code to %s cannot be read: %w", method, err)
	}
	return fmt.Errorf("calling %s of VS Code: %w: %w", method, adapter.ErrNotRunning, err)
}

// handlerFunc is a function as a jsonrpc2.Handler.
type handlerFunc func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request)

func (f handlerFunc) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	f(ctx, conn, r)
}

// silence is a logger that discards the messages of package jsonrpc2, which would go to standard error. Calls return the error that
// ends a connection.
type silence struct{}

func (silence) Printf(string, ...any) {}
