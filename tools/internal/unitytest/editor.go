package unitytest

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// Greeting is the first line that the bridge sends on a connection.
const Greeting = "WELCOME UNITY-MCP 1 FRAMING=1\n"

// Editor is the fake. Its methods may be called concurrently.
type Editor struct {
	// Project is the directory of the project, and StatusDir the directory of the status files.
	Project, StatusDir string
	// CommandTimeout is the time after which a command fails that the main thread has not started. Default 30 seconds. Set it
	// before the first command.
	CommandTimeout time.Duration

	main sync.Mutex // the main thread; while it is locked, no command runs

	mu       sync.Mutex
	listener net.Listener
	port     int
	clients  map[net.Conn]bool
	work     group.Group
	done     []string // executed commands
	off      map[string]bool
	handlers map[string]func([]byte) any
	drops    map[string]bool
	greeting string
	raw      []byte // bytes that replace the next response
	met      int    // number of connections
	console  []Entry
	tests    []Test
	job      *job
	compiled time.Time
	busy     bool
	reloads  bool
	stop     chan struct{}
}

// Entry is an entry of the console.
type Entry struct {
	Type    string `json:"type"` // Error, Warning, Log, Exception, Assert
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Stack   string `json:"stackTrace"`
}

// Test is a test of the project.
type Test struct {
	Name    string // full name
	Failure string // empty if it passes
}

// Start starts a fake Unity for a project, which is a directory with a subdirectory Assets. It ends with the test.
func Start(t testing.TB, statusDir, project string) *Editor {
	t.Helper()
	e := &Editor{
		Project: project, StatusDir: statusDir, CommandTimeout: 30 * time.Second, greeting: Greeting,
		clients: make(map[net.Conn]bool), off: make(map[string]bool), handlers: make(map[string]func([]byte) any),
		drops: make(map[string]bool), compiled: time.Now(), stop: make(chan struct{}),
	}
	if err := os.MkdirAll(filepath.Join(project, "Assets"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(statusDir, 0o755); err != nil {
		t.Fatal(err)
	}
	e.listen(t)
	e.Heartbeat(false, "ready")
	e.work.Go(e.beat)
	t.Cleanup(func() {
		close(e.stop)
		e.disconnect()
		e.work.Wait()
	})
	return e
}

// listen starts to serve, on the previous port if there was one.
func (e *Editor) listen(t testing.TB) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: e.port})
	if err != nil {
		l, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}) // the bridge also takes another port if the old one remains in use
	}
	if err != nil {
		t.Fatal(err)
	}
	e.listener, e.port = l, l.Addr().(*net.TCPAddr).Port
	e.work.Go(func() { e.accept(l) })
}

// disconnect closes all connections and the listener.
func (e *Editor) disconnect() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listener.Close()
	for c := range e.clients {
		c.Close()
	}
	clear(e.clients)
}

// beat writes heartbeats while the main thread is free.
func (e *Editor) beat() {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-ticker.C:
		}
		if e.main.TryLock() {
			e.mu.Lock()
			if _, err := os.Stat(e.statusFile()); err == nil && !e.reloads {
				e.heartbeat(false, "ready", time.Now())
			}
			e.mu.Unlock()
			e.main.Unlock()
		}
	}
}

func (e *Editor) assets() string { return filepath.ToSlash(e.Project) + "/Assets" }

func (e *Editor) statusFile() string {
	sum := sha1.Sum([]byte(e.assets()))
	return filepath.Join(e.StatusDir, "unity-mcp-status-"+hex.EncodeToString(sum[:])[:8]+".json")
}

// StatusFile returns the path of the status file.
func (e *Editor) StatusFile() string { return e.statusFile() }

// Heartbeat writes the status file.
func (e *Editor) Heartbeat(reloading bool, reason string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heartbeat(reloading, reason, time.Now())
}

func (e *Editor) heartbeat(reloading bool, reason string, at time.Time) {
	data, _ := json.Marshal(map[string]any{
		"unity_port": e.port, "reloading": reloading, "reason": reason, "seq": 1, "project_path": e.assets(),
		"project_name": filepath.Base(e.Project), "unity_version": "2022.3.10f1", "last_heartbeat": at.UTC().Format("2006-01-02T15:04:05.0000000Z"),
		"project_scoped_tools": false,
	})
	_ = os.WriteFile(e.statusFile(), data, 0o644)
}

// BeginReload reloads the scripts, which closes all connections. end finishes the reload.
func (e *Editor) BeginReload(t testing.TB) (end func()) {
	t.Helper()
	e.mu.Lock()
	e.reloads = true
	e.mu.Unlock()
	e.disconnect()
	_ = os.Remove(e.statusFile())
	e.Heartbeat(true, "reloading")
	return func() {
		e.listen(t)
		e.mu.Lock()
		e.reloads, e.compiled = false, time.Now()
		e.mu.Unlock()
		e.Heartbeat(false, "ready")
	}
}

// Quit ends Unity normally.
func (e *Editor) Quit() {
	e.hold()
	e.disconnect()
	_ = os.Remove(e.statusFile())
}

// Kill ends Unity like a crash. The status file remains, with the given age.
func (e *Editor) Kill(age time.Duration) {
	e.hold()
	e.disconnect()
	e.Age(age)
}

// hold stops the heartbeats.
func (e *Editor) hold() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reloads = true
}

// Age makes the heartbeat as old as age, and stops further ones.
func (e *Editor) Age(age time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reloads = true
	at := time.Now().Add(-age)
	e.heartbeat(false, "ready", at)
	_ = os.Chtimes(e.statusFile(), at, at)
}

// Block keeps the main thread busy until release is called.
func (e *Editor) Block() (release func()) {
	e.main.Lock()
	return e.main.Unlock
}

// Commands returns the executed commands in order, without queries of the state.
func (e *Editor) Commands() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.done...)
}

// Connections returns the number of connections so far.
func (e *Editor) Connections() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.met
}

// set changes the fake under its lock.
func (e *Editor) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// TurnOff disables a command.
func (e *Editor) TurnOff(command string) { e.set(func() { e.off[command] = true }) }

// Handle replaces a command by f, which returns the complete result.
func (e *Editor) Handle(command string, f func(params []byte) any) {
	e.set(func() { e.handlers[command] = f })
}

// Drop closes the connection after the next execution of a command, before the response.
func (e *Editor) Drop(command string) { e.set(func() { e.drops[command] = true }) }

// Greet changes the greeting; empty sends none.
func (e *Editor) Greet(greeting string) { e.set(func() { e.greeting = greeting }) }

// AnswerRaw sends raw instead of the next response, and then closes the connection.
func (e *Editor) AnswerRaw(raw []byte) { e.set(func() { e.raw = raw }) }

// Log appends entries to the console.
func (e *Editor) Log(entries ...Entry) { e.set(func() { e.console = append(e.console, entries...) }) }

// Clear empties the console.
func (e *Editor) Clear() { e.set(func() { e.console = nil }) }

// HasTests sets the tests of the project.
func (e *Editor) HasTests(tests ...Test) { e.set(func() { e.tests = tests }) }

// SetCompiled sets the time of the last compilation, and whether one is in progress.
func (e *Editor) SetCompiled(at time.Time, busy bool) {
	e.set(func() { e.compiled, e.busy = at, busy })
}
