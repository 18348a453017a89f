package app_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// workspace is a client of a real process that announces folders.
type workspace struct {
	t       *testing.T
	name    string // of the client; "editor" if empty
	slow    string // time in which the program is built, for time.ParseDuration; "" for an immediate one
	home    string
	project string // not the working directory
	other   string
	client  *mcp.Client
	changes chan string
	notices atomic.Int64 // notifications that the tools have changed
	log     *waittest.Log

	mu      sync.Mutex
	folders []string                    // file URIs or paths
	answer  func(context.Context) error // called before an answer; nil for an immediate one
}

// newWorkspace makes a home with two projects.
func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	m := newMachine(t)
	m.onDisk()
	w := &workspace{t: t, home: m.home, project: m.project, other: filepath.Join(m.home, "other"), changes: make(chan string, 100), log: new(waittest.Log)}
	if err := os.Mkdir(w.other, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROG", m.path)
	return w
}

// uri returns the file URI of a path.
func uri(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + strings.ReplaceAll(path, " ", "%20")
}

// connect starts the program in a directory.
func (w *workspace) connect(dir string, o *mcp.ClientOptions, args ...string) *mcp.Client {
	w.t.Helper()
	if o.Revision == "" {
		o.Revision = protocol.Rev20251125
	}
	o.OnListChanged = func(list string) {
		if list == "tools" {
			w.notices.Add(1)
		}
		w.changes <- list
	}
	environ := []string{"HOME=" + w.home, "USERPROFILE=" + w.home, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot"), "TMPDIR=" + w.t.TempDir(), "PROG_HOLD=1", "PROG_SLOW=" + w.slow}
	command := transport.Command{Path: os.Getenv("PROG"), Args: args, Dir: dir, Environ: environ, Stderr: func(line string) { _, _ = w.log.Write([]byte(line + "\n")) }}
	client, err := mcp.Connect(w.t.Context(), command, mcp.Implementation{Name: cmp.Or(w.name, "editor"), Version: "1"}, o)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.log)
	}
	w.t.Cleanup(func() { client.Close() })
	w.client = client
	return client
}

// withRoots returns the options of a client that announces the folders.
func (w *workspace) withRoots(revision protocol.Revision) *mcp.ClientOptions {
	//lint:ignore SA1019 clients still have roots
	return &mcp.ClientOptions{Revision: revision, Roots: w.roots}
}

// roots is ClientOptions.Roots.
func (w *workspace) roots(ctx context.Context) ([]mcp.Root, error) {
	w.mu.Lock()
	folders, answer := slices.Clone(w.folders), w.answer
	w.mu.Unlock()
	if answer != nil {
		if err := answer(ctx); err != nil {
			return nil, err
		}
	}
	var roots []mcp.Root
	for _, folder := range folders {
		roots = append(roots, mcp.Root{URI: folder})
	}
	return roots, nil
}

// open changes the folders and notifies the server.
func (w *workspace) open(folders ...string) {
	w.t.Helper()
	w.mu.Lock()
	w.folders = folders
	w.mu.Unlock()
	//lint:ignore SA1019 clients still have roots
	err := w.client.RootsChanged(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
}

// in checks the project in which a tool runs.
func (w *workspace) in(project string) {
	w.t.Helper()
	if got, err := mcp.Call[string](w.t.Context(), w.client, "tool_0", nil); err != nil || got != project {
		w.t.Errorf("the project is %q, %v; want %q\n%s", got, err, project, w.log)
	}
}

// nowhere checks that tools are listed and fail because there is no project.
func (w *workspace) nowhere() {
	w.t.Helper()
	_, err := mcp.Call[string](w.t.Context(), w.client, "tool_0", nil)
	failed, ok := errors.AsType[*mcp.ToolFailure](err)
	if !ok || failed.ErrorCode() != "NO_PROJECT" || !strings.Contains(err.Error(), "prog install CLIENT -root DIR") {
		w.t.Errorf("a call without a project: %v\n%s", err, w.log)
	}
	count := 0
	for _, err := range w.client.Tools(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		count++
	}
	if count != 2 {
		w.t.Errorf("%d tools are listed without a project", count)
	}
}

// untouched checks that nothing was written into directories.
func (w *workspace) untouched(dirs ...string) {
	w.t.Helper()
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range entries {
			if !e.IsDir() {
				w.t.Errorf("%s was written into %s", e.Name(), dir)
			}
		}
	}
}

// awaitChange waits for the notification that the tools have changed.
func (w *workspace) awaitChange() {
	w.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case list := <-w.changes:
			if list == "tools" {
				return
			}
		case <-timeout:
			w.t.Fatalf("no change of the tools was reported\n%s", w.log)
		}
	}
}

func TestFollower_Roots(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.project), uri(w.other)}
	w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	w.untouched(w.home, w.other)
}

// A client that works elsewhere than in the current directory leaves nothing there.
func TestFollower_RootsBeforeCurrentDirectory(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.project)}
	w.connect(w.other, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	w.untouched(w.home, w.other)
}

// A change of the roots changes the project. Running calls finish in the old one, which is closed
// after the last of them.
func TestFollower_RootsChange(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.project)}
	client := w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	for _, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	release := filepath.Join(t.TempDir(), "go")
	held := make(chan string, 1)
	var calls sync.WaitGroup
	calls.Go(func() {
		got, err := mcp.Call[string](t.Context(), client, "hold", map[string]string{"file": release})
		if err != nil {
			got = err.Error()
		}
		held <- got
	})
	waittest.Until(t, "the call runs", func() bool {
		_, err := os.Stat(release + ".held")
		return err == nil
	})
	w.open(uri(w.other))
	w.awaitChange()
	w.in(w.other)
	if _, err := os.Stat(filepath.Join(w.project, "closed")); err == nil {
		t.Error("the old project was closed during a call")
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	if got := <-held; got != w.project {
		t.Errorf("the running call has the project %q, want %q", got, w.project)
	}
	waittest.Until(t, "the old project is closed", func() bool {
		_, err := os.Stat(filepath.Join(w.project, "closed"))
		return err == nil
	})
	w.open()
	w.awaitChange()
	w.nowhere()
	w.open(uri(w.project))
	w.awaitChange()
	w.in(w.project)
	w.untouched(w.home)
}

// A client whose first list comes from the project that it has open is not told that this list has changed.
func TestFollower_NoNoticeOfFirstList(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.project)}
	client := w.connect(w.home, w.withRoots(protocol.Rev20251125))
	for _, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.in(w.project)
	w.open(uri(w.other))
	w.in(w.other)
	w.awaitChange()
	w.open() // notifications arrive in order: that of this change is the last
	w.nowhere()
	waittest.Until(t, "the last change is reported", func() bool { return w.notices.Load() >= 2 })
	w.open(uri(w.project))
	w.in(w.project)
	waittest.Until(t, "the change back is reported", func() bool { return w.notices.Load() >= 3 })
	if n := w.notices.Load(); n != 3 {
		t.Errorf("%d notifications for three changes of the project", n)
	}
}

// A client that never answers gets the current directory after two seconds.
func TestFollower_RootsNeverArrive(t *testing.T) {
	w := newWorkspace(t)
	w.answer = func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	w.connect(w.other, w.withRoots(protocol.Rev20251125))
	begin := time.Now()
	w.in(w.other)
	if waited := time.Since(begin); waited > 30*time.Second {
		t.Errorf("the first call took %v", waited)
	}
	begin = time.Now()
	w.in(w.other)
	if waited := time.Since(begin); waited > 1500*time.Millisecond {
		t.Errorf("the second call took %v", waited)
	}
	w.untouched(w.home, w.project)
}

func TestFollower_RootsArriveLate(t *testing.T) {
	w := newWorkspace(t)
	late := make(chan struct{})
	w.folders = []string{uri(w.project)}
	w.answer = func(ctx context.Context) error {
		select {
		case <-late:
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.nowhere()
	close(late)
	w.awaitChange()
	w.in(w.project)
	w.untouched(w.home)
}

// The time in which the program is built does not count as time of the client.
func TestFollower_SlowProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for slow builds")
	}
	w := newWorkspace(t)
	w.slow = "2300ms"
	w.folders = []string{uri(w.project)}
	w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	time.Sleep(3 * time.Second) // a build for want of an answer would be over
	w.in(w.project)
	w.untouched(w.home)
}

func TestFollower_RefusedRoots(t *testing.T) {
	for name, folder := range map[string]func(w *workspace) string{
		"missing": func(w *workspace) string { return uri(filepath.Join(w.home, "none")) },
		"home":    func(w *workspace) string { return uri(w.home) },
		"root": func(w *workspace) string {
			return uri(filepath.VolumeName(w.home) + string(filepath.Separator))
		},
		"parent": func(w *workspace) string { return uri(filepath.Dir(w.home)) },
		"file": func(w *workspace) string {
			file := filepath.Join(w.project, "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				w.t.Fatal(err)
			}
			return uri(file)
		},
		"none": func(*workspace) string { return "https://example.com/" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.folders = []string{folder(w)}
			w.connect(w.home, w.withRoots(protocol.Rev20251125))
			w.nowhere()
			w.open(folder(w), uri(w.other))
			w.awaitChange()
			w.in(w.other)
			w.untouched(w.home)
		})
	}
}

// Two clients with one entry work in their own projects.
func TestFollower_TwoClients(t *testing.T) {
	first := newWorkspace(t)
	second := &workspace{t: t, home: first.home, project: first.project, other: first.other, changes: make(chan string, 100), log: new(waittest.Log)}
	first.folders, second.folders = []string{uri(first.project)}, []string{uri(first.other)}
	first.connect(first.home, first.withRoots(protocol.Rev20251125))
	second.connect(first.home, second.withRoots(protocol.Rev20251125))
	first.in(first.project)
	second.in(first.other)
	first.in(first.project)
	first.untouched(first.home)
}

// A client without roots gets the current directory, in any revision; the home directory is none.
func TestFollower_NoRoots(t *testing.T) {
	for _, revision := range []protocol.Revision{protocol.Rev20251125, protocol.Rev20241105, protocol.Latest} {
		t.Run(string(revision), func(t *testing.T) {
			w := newWorkspace(t)
			w.connect(w.other, &mcp.ClientOptions{Revision: revision})
			w.in(w.other)
			w.client.Close()
			w.connect(w.home, &mcp.ClientOptions{Revision: revision})
			w.nowhere()
			w.untouched(w.home)
		})
	}
}

// A client of revision 2026-07-28 is asked once, in a call, and only without a project.
func TestFollower_AsksInCall(t *testing.T) {
	w := newWorkspace(t)
	asked := 0
	w.folders = []string{uri(w.project)}
	w.answer = func(context.Context) error {
		asked++
		return nil
	}
	w.connect(w.home, w.withRoots(protocol.Latest))
	w.in(w.project)
	w.in(w.project)
	w.client.Close()
	w.connect(w.other, w.withRoots(protocol.Latest))
	w.in(w.other)
	if asked != 1 {
		t.Errorf("the client was asked %d times", asked)
	}
}

// The flag -root decides alone, even for the home directory. A variable that was not replaced is no
// value.
func TestFollower_Flag(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.other)}
	w.connect(w.other, w.withRoots(protocol.Rev20251125), "-root", w.project)
	w.in(w.project)
	w.client.Close()
	w.connect(w.project, w.withRoots(protocol.Rev20251125), "-root", "${workspaceFolder}")
	w.in(w.other)
	if !strings.Contains(w.log.String(), "${workspaceFolder}") {
		t.Errorf("the log does not name the variable:\n%s", w.log)
	}
	w.client.Close()
	w.connect(w.other, &mcp.ClientOptions{}, "-root", w.home)
	w.in(w.home)
}

// A program that cannot be opened for a project says so in its answers, and follows the next change.
func TestFollower_BuildFails(t *testing.T) {
	w := newWorkspace(t)
	if err := os.Mkdir(filepath.Join(w.other, "settings"), 0o700); err != nil { // the program makes a file of this name
		t.Fatal(err)
	}
	w.folders = []string{uri(w.other)}
	w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.nowhere()
	w.open(uri(w.project))
	w.awaitChange()
	w.in(w.project)
}

// A client for which the program has flags gets them wherever the project comes from, unless the command line has others.
func TestFollower_ClientFlags(t *testing.T) {
	for name, test := range map[string]struct {
		client string
		roots  bool
		args   []string
		want   int // number of tools
	}{
		"another client":                  {client: "editor", want: 1},
		"current directory":               {client: "agent", want: 2},
		"roots":                           {client: "agent", roots: true, want: 2},
		"flag -root":                      {client: "agent", args: []string{"-root", "."}, want: 2},
		"flag -root, another client":      {client: "editor", args: []string{"-root", "."}, want: 1},
		"flag of the command line":        {client: "agent", args: []string{"-tools", "3"}, want: 3},
		"flag of the command line, roots": {client: "agent", roots: true, args: []string{"-tools", "3"}, want: 3},
	} {
		for _, revision := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
			t.Run(name+"/"+string(revision), func(t *testing.T) {
				w := newWorkspace(t)
				w.name = test.client
				o, project := &mcp.ClientOptions{Revision: revision}, w.other
				if test.roots && revision != protocol.Latest {
					w.folders = []string{uri(w.project)}
					o, project = w.withRoots(revision), w.project
				}
				client := w.connect(w.other, o, test.args...)
				tools := 0
				for tool, err := range client.Tools(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if strings.HasPrefix(tool.Name, "tool_") {
						tools++
					}
				}
				if tools != test.want {
					t.Errorf("the client sees %d tools, want %d", tools, test.want)
				}
				if len(test.args) == 0 || test.args[0] != "-root" {
					w.in(project)
				}
			})
		}
	}
}

// held calls the tool hold with a file, by call, and waits until it runs. release ends it.
func (w *workspace) held(call func(file string)) (release func()) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "go")
	call(file)
	waittest.Until(w.t, "the call runs", func() bool {
		_, err := os.Stat(file + ".held")
		return err == nil
	})
	return func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// task returns the status of a task of a session.
func (w *workspace) task(id string) string {
	w.t.Helper()
	raw, err := w.client.Request(w.t.Context(), "tasks/get", []byte(`{"taskId":"`+id+`"}`), nil)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.log)
	}
	var task struct{ Status string }
	if err := json.Unmarshal(raw, &task); err != nil {
		w.t.Fatal(err)
	}
	return task.Status
}

// A task goes on while other folders of the client change, and its result can be fetched from the new
// instance. The old one closes after the task.
func TestFollower_TaskStays(t *testing.T) {
	w := newWorkspace(t)
	third := filepath.Join(w.home, "third")
	if err := os.Mkdir(third, 0o700); err != nil {
		t.Fatal(err)
	}
	w.folders = []string{uri(w.project), uri(w.other)}
	client := w.connect(w.home, w.withRoots(protocol.Rev20251125), "-tasks")
	w.in(w.project)
	var id string
	release := w.held(func(file string) {
		params, err := json.Marshal(map[string]any{"name": "hold", "arguments": map[string]string{"file": file}, "task": struct{}{}})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := client.Request(t.Context(), "tools/call", params, nil)
		if err != nil {
			t.Fatal(err)
		}
		var created struct{ Task struct{ TaskID string } }
		if err := json.Unmarshal(raw, &created); err != nil || created.Task.TaskID == "" {
			t.Fatalf("%s, %v", raw, err)
		}
		id = created.Task.TaskID
	})
	for _, folders := range [][]string{{uri(w.project), uri(third)}, {uri(w.project)}} {
		w.open(folders...)
		w.in(w.project)
		if status := w.task(id); status != "working" {
			t.Fatalf("after a change of the folders the task is %s\n%s", status, w.log)
		}
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("errors are logged:\n%s", w.log)
	}
	release()
	waittest.Until(t, "the task ends", func() bool { return w.task(id) != "working" })
	raw, err := client.Request(t.Context(), "tasks/result", []byte(`{"taskId":"`+id+`"}`), nil)
	if err != nil || !strings.Contains(string(raw), "project") {
		t.Errorf("the result is %s, %v", raw, err)
	}
	waittest.Until(t, "the old project is closed", func() bool {
		_, err := os.Stat(filepath.Join(w.project, "closed"))
		return err == nil
	})
}

// Of many changes in a short time the last one counts, however the answers arrive. Calls during the
// changes succeed in one of the projects.
func TestFollower_QuickChanges(t *testing.T) {
	w := newWorkspace(t)
	w.folders = []string{uri(w.project)}
	client := w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	w.mu.Lock()
	answered := 0
	w.answer = func(ctx context.Context) error { // every third answer comes late
		w.mu.Lock()
		answered++
		late := answered%3 == 0
		w.mu.Unlock()
		if !late {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	w.mu.Unlock()
	var calls sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		calls.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got, err := mcp.Call[string](t.Context(), client, "tool_0", nil); err != nil || got != w.project && got != w.other {
					t.Errorf("a call during the changes: %q, %v", got, err)
					return
				}
			}
		})
	}
	for i := range 100 {
		w.open([][]string{{uri(w.project), uri(w.other)}, {uri(w.other)}, {uri(w.other), uri(w.project)}, {uri(w.project)}}[i%4]...)
	}
	w.open(uri(w.other))
	waittest.Until(t, "the last folders are followed", func() bool {
		got, err := mcp.Call[string](t.Context(), client, "tool_0", nil)
		return err == nil && got == w.other
	})
	close(stop)
	calls.Wait()
	w.in(w.other)
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("errors are logged:\n%s", w.log)
	}
}

// Folders that cannot be used are named in answers and logs, but not all of a thousand.
func TestFollower_ManyFolders(t *testing.T) {
	w := newWorkspace(t)
	for i := range 1000 {
		w.folders = append(w.folders, uri(filepath.Join(w.home, "none", strconv.Itoa(i))))
	}
	client := w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.nowhere()
	_, err := mcp.Call[string](t.Context(), client, "tool_0", nil)
	if err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "more") {
		t.Errorf("the error is %v", err)
	}
	var many []string
	for i := range 1000 {
		dir := filepath.Join(w.home, "many", strconv.Itoa(i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		many = append(many, uri(dir))
	}
	w.open(many...)
	w.in(filepath.Join(w.home, "many", "0"))
	if logged := w.log.String(); len(logged) > 20_000 {
		t.Errorf("the log has %d bytes", len(logged))
	}
}

func TestFollower_OddFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these names do not exist on Windows")
	}
	w := newWorkspace(t)
	w.folders = []string{uri(w.project)}
	w.connect(w.home, w.withRoots(protocol.Rev20251125))
	w.in(w.project)
	for _, name := range []string{"a b", "100%", "a#b", "a?b", "日本語", "a+b", "a&b=c", `quote"s'`, "new\nline", "a%20b", "back\\slash", "ümlaut", strings.Repeat("x", 200)} {
		dir := filepath.Join(w.home, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		w.open((&url.URL{Scheme: "file", Path: dir}).String())
		w.in(dir)
	}
	for _, folder := range []string{"vscode-remote://ssh-remote+host/x", "untitled:Untitled-1", "file://", "file:///", "", ":", "http://[::1", "file://host/x", strings.Repeat("f", 100_000)} {
		w.open(folder, uri(w.project))
		w.in(w.project)
		w.open(folder)
		w.nowhere()
	}
	w.untouched(w.home)
}
