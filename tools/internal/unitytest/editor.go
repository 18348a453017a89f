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

// Greeting is what the bridge says to who connects.
const Greeting = "WELCOME UNITY-MCP 1 FRAMING=1\n"

// Editor is the fake. Its methods may be called from several goroutines at once.
type Editor struct {
	// Project is the directory of the project, and StatusDir that of the status files.
	Project, StatusDir string
	// CommandTimeout is after how long a command is given up that the main thread has not come to. 30 seconds unless it is set before
	// the first command.
	CommandTimeout time.Duration

	main sync.Mutex // the main thread: who holds it, keeps commands from being carried out

	mu       sync.Mutex
	listener net.Listener
	port     int
	clients  map[net.Conn]bool
	work     group.Group
	done     []string // commands that were carried out
	off      map[string]bool
	handlers map[string]func([]byte) any
	drops    map[string]bool
	greeting string
	raw      []byte // is sent in the place of the next answer
	met      int    // connections so far
	console  []Entry
	tests    []Test
	job      *job
	compiled time.Time
	busy     bool
	reloads  bool
	stop     chan struct{}
}

// Entry is one of the console.
type Entry struct {
	Type    string `json:"type"` // Error, Warning, Log, Exception, Assert
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Stack   string `json:"stackTrace"`
}

// Test is one of the project.
type Test struct {
	Name    string // in full
	Failure string // empty if it passes
}

// Start starts a Unity with a project, which is a directory with Assets in it. It ends with the test.
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

// listen begins to serve, at the port that it had before if there is one.
func (e *Editor) listen(t testing.TB) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: e.port})
	if err != nil {
		l, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}) // as the bridge does where the port stays taken
	}
	if err != nil {
		t.Fatal(err)
	}
	e.listener, e.port = l, l.Addr().(*net.TCPAddr).Port
	e.work.Go(func() { e.accept(l) })
}

// disconnect ends all connections and the listener.
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

// StatusFile is the path of the status file.
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

// BeginReload has the scripts reloaded, which ends all connections. end ends it: Unity has the new scripts then.
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

// Quit ends Unity as its user does.
func (e *Editor) Quit() {
	e.hold()
	e.disconnect()
	_ = os.Remove(e.statusFile())
}

// Kill ends Unity without its doing anything about it. Its status file stays, and is as old as that.
func (e *Editor) Kill(age time.Duration) {
	e.hold()
	e.disconnect()
	e.Age(age)
}

// hold ends the heartbeats.
func (e *Editor) hold() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reloads = true
}

// Age makes the heartbeat as old as that, and the last.
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

// Commands are those that were carried out, in that order, without questions about the state.
func (e *Editor) Commands() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.done...)
}

// Connections is how many there were.
func (e *Editor) Connections() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.met
}

// set changes the fake.
func (e *Editor) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// TurnOff turns a command off.
func (e *Editor) TurnOff(command string) { e.set(func() { e.off[command] = true }) }

// Handle has a command carried out by f, which answers the whole result.
func (e *Editor) Handle(command string, f func(params []byte) any) {
	e.set(func() { e.handlers[command] = f })
}

// Drop has the connection end when a command has been carried out the next time, before the answer.
func (e *Editor) Drop(command string) { e.set(func() { e.drops[command] = true }) }

// Greet has the bridge greet otherwise; nothing is silence.
func (e *Editor) Greet(greeting string) { e.set(func() { e.greeting = greeting }) }

// AnswerRaw has the next answer be these bytes, after which the connection ends.
func (e *Editor) AnswerRaw(raw []byte) { e.set(func() { e.raw = raw }) }

// Log adds entries to the console.
func (e *Editor) Log(entries ...Entry) { e.set(func() { e.console = append(e.console, entries...) }) }

// Clear empties the console.
func (e *Editor) Clear() { e.set(func() { e.console = nil }) }

// HasTests are the tests of the project.
func (e *Editor) HasTests(tests ...Test) { e.set(func() { e.tests = tests }) }

// SetCompiled says when the scripts were last compiled, and whether they are being compiled.
func (e *Editor) SetCompiled(at time.Time, busy bool) {
	e.set(func() { e.compiled, e.busy = at, busy })
}
