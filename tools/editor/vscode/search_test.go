//go:build unix

package vscode_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

func TestState_WindowsStartAndEnd(t *testing.T) {
	dir := filepath.Join(rendezvous(t), "not", "there", "yet")
	v := vscode.New(vscode.Options{Dir: dir})
	defer v.Close(t.Context())
	var changes atomic.Int32
	stop := v.Watch(func() { changes.Add(1); v.State() })
	if s := v.State(); s.Running || s.Start == "" || s.Detail == "" {
		t.Errorf("no window, and %+v", s)
	}
	if _, _, err := v.Active(t.Context()); !errors.Is(err, adapter.ErrNotRunning) {
		t.Error(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f := (&fake{dir: dir, folders: []string{"/project"}, answers: answers{"open": raw("null")}}).open(t)
	// A call searches for windows by itself.
	if err := v.Open(t.Context(), file, nil, false); err != nil {
		t.Fatal(err)
	}
	if s := v.State(); !s.Running || s.Detail != "Fake Code 1.80.0, 1 window" || strings.Join(s.Folders, " ") != "/project" {
		t.Errorf("one window, and %+v", s)
	}
	soon(t, "the change was told", func() bool { return changes.Load() > 0 })

	before := changes.Load()
	f.tell("window", map[string]any{"folders": []string{"/project", "/more/"}})
	soon(t, "the new folder was told", func() bool { return changes.Load() > before })
	if s := v.State(); strings.Join(s.Folders, " ") != "/more /project" {
		t.Errorf("two folders, and %v", s.Folders)
	}
	f.tell("window", map[string]any{"folders": []string{"relative"}})
	f.tell("window", "nonsense")
	f.close()
	soon(t, "the window has gone", func() bool { return !v.State().Running })

	stop()
	last := changes.Load()
	(&fake{dir: dir, name: "again", folders: []string{"/project"}}).open(t)
	soon(t, "another window is found", func() bool { return v.State().Running })
	if now := changes.Load(); now != last {
		t.Errorf("told %d times after stop", now-last)
	}
}

func TestOpen_NearestFolder(t *testing.T) {
	dir := rendezvous(t)
	shown := make(chan string, 1)
	for name, folders := range map[string][]string{"outer": {"/project"}, "inner": {"/other", "/project/sub"}, "far": {"/project/sub2"}} {
		(&fake{dir: dir, name: name, folders: folders, answers: answers{"open": said(shown, name)}}).open(t)
	}
	v := connected(t, vscode.Options{Dir: dir})
	soon(t, "all are found", func() bool { return len(v.State().Folders) == 4 })
	for path, want := range map[string]string{
		"/project/a": "outer", "/project/sub/a": "inner", "/project/sub/deep/a": "inner", "/project/sub2/a": "far", "/project/sub22/a": "outer", "/other/a": "inner",
	} {
		if err := v.Open(t.Context(), path, nil, false); err != nil {
			t.Fatal(err)
		}
		if got := <-shown; got != want {
			t.Errorf("%s was shown in %s, not %s", path, got, want)
		}
	}
	if err := v.Open(t.Context(), "/projects/a", nil, false); !errors.Is(err, adapter.ErrNotRunning) {
		t.Error(err)
	}
}

func said(to chan<- string, what string) func(json.RawMessage) (any, error) {
	return func(json.RawMessage) (any, error) { to <- what; return nil, nil }
}

func TestState_OtherProjects(t *testing.T) {
	dir := rendezvous(t)
	active := func(path string) answers {
		return answers{"active": raw(`{"active":{"path":"` + path + `","version":1,"cursor":{}}}`)}
	}
	(&fake{dir: dir, name: "ours", folders: []string{"/work/project"}, answers: active("/work/project/a")}).open(t)
	other := (&fake{dir: dir, name: "other", folders: []string{"/work/secret"}, answers: active("/work/secret/b"), focused: true}).open(t)
	v := connected(t, vscode.Options{Dir: dir, Root: "/work/project"})
	if s := v.State(); strings.Join(s.Folders, " ") != "/work/project" {
		t.Errorf("folders %v", s.Folders)
	}
	if a, ok, err := v.Active(t.Context()); err != nil || !ok || a.Path != "/work/project/a" {
		t.Errorf("%+v %v %v", a, ok, err)
	}
	if heard := other.notifications(); len(heard) > 0 {
		t.Errorf("a window of another project received %q", heard)
	}
	// Until it has the project open, too.
	soon(t, "the window is connected", func() bool {
		other.mu.Lock()
		defer other.mu.Unlock()
		return len(other.conns) > 0
	})
	other.tell("window", map[string]any{"folders": []string{"/work"}})
	soon(t, "it is found", func() bool { return len(v.State().Folders) == 2 })
}

func TestActive_FocusedWindow(t *testing.T) {
	dir := rendezvous(t)
	windows := map[string]*fake{}
	for _, name := range []string{"a", "b", "c"} {
		windows[name] = (&fake{dir: dir, name: name, folders: []string{"/" + name}, answers: answers{
			"active": raw(`{"active":{"path":"/` + name + `/x","version":1,"cursor":{}}}`),
		}}).open(t)
	}
	v := connected(t, vscode.Options{Dir: dir})
	soon(t, "all are found", func() bool { return len(v.State().Folders) == 3 })
	for _, name := range []string{"b", "c", "a", "b"} {
		windows[name].tell("window", map[string]any{"folders": []string{"/" + name}, "focused": true})
		soon(t, "it is "+name, func() bool {
			active, ok, err := v.Active(t.Context())
			return err == nil && ok && active.Path == "/"+name+"/x"
		})
	}
	windows["b"].tell("window", map[string]any{"folders": []string{"/b"}, "focused": false})
	if active, _, err := v.Active(t.Context()); err != nil || active.Path != "/b/x" {
		t.Errorf("the user has left VS Code, was last in b: %+v %v", active, err)
	}
}

func TestEdit_WindowOfDocument(t *testing.T) {
	dir := rendezvous(t)
	edited := make(chan string, 1)
	edit := func(name string) func(json.RawMessage) (any, error) {
		return func(json.RawMessage) (any, error) {
			edited <- name
			return map[string]any{"document": map[string]any{"text": "", "version": 3}}, nil
		}
	}
	clean := (&fake{dir: dir, name: "a", folders: []string{"/project"}, answers: answers{
		"document": raw(`{"document":{"text":"clean","version":2}}`), "edit": edit("a"),
	}}).open(t)
	(&fake{dir: dir, name: "b", folders: []string{"/project"}, answers: answers{
		"document": raw(`{"document":{"text":"dirty","version":2,"dirty":true}}`), "edit": edit("b"),
	}}).open(t)
	v := connected(t, vscode.Options{Dir: dir})
	soon(t, "both are found", func() bool { return strings.HasSuffix(v.State().Detail, "2 windows") })
	if _, err := v.Edit(t.Context(), file, 2, nil, false); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("before it was read: %v", err)
	}
	doc, _, err := v.Document(t.Context(), file)
	if err != nil || doc.Text != "dirty" {
		t.Fatalf("%+v %v", doc, err)
	}
	clean.tell("window", map[string]any{"folders": []string{"/project"}, "focused": true})
	if _, err := v.Edit(t.Context(), file, 2, nil, false); err != nil {
		t.Fatal(err)
	}
	if got := <-edited; got != "b" {
		t.Errorf("edited in %s", got)
	}
}

// Descriptions that others could have written, or that are not of this machine, open nothing.
func TestDescriptions_Invalid(t *testing.T) {
	tests := map[string]func(t *testing.T, f *fake){
		"a directory that others can use":  func(t *testing.T, f *fake) { chmod(t, f.dir, 0o755) },
		"a file that others can read":      func(t *testing.T, f *fake) { chmod(t, filepath.Join(f.dir, "window.json"), 0o644) },
		"another machine":                  func(t *testing.T, f *fake) { f.describe(with("host", "elsewhere")) },
		"no token":                         func(t *testing.T, f *fake) { f.describe(with("token", "")) },
		"a process that cannot be":         func(t *testing.T, f *fake) { f.describe(with("pid", -1)) },
		"a relative socket":                func(t *testing.T, f *fake) { f.describe(with("socket", "window.sock")) },
		"a socket where others can put it": func(t *testing.T, f *fake) { f.describe(with("socket", "/tmp/window.sock")) },
		"a relative folder":                func(t *testing.T, f *fake) { f.describe(with("folders", []string{"project"})) },
		"too many folders": func(t *testing.T, f *fake) {
			f.describe(with("folders", strings.Split(strings.Repeat("/a,", 200)+"/a", ",")))
		},
		"no JSON":  func(t *testing.T, f *fake) { overwrite(t, f, "{") },
		"too much": func(t *testing.T, f *fake) { overwrite(t, f, strings.Repeat(" ", 70<<10)+"{}") },
		"a link": func(t *testing.T, f *fake) {
			name := filepath.Join(f.dir, "window.json")
			if err := errors.Join(os.Rename(name, name+".real"), os.Symlink(name+".real", name)); err != nil {
				t.Fatal(err)
			}
		},
		"the wrong token": func(t *testing.T, f *fake) { f.describe(with("token", "let me out")) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fake{dir: rendezvous(t), folders: []string{"/project"}, answers: answers{"open": raw("null")}}
			f.open(t)
			spoil(t, f)
			v := vscode.New(vscode.Options{Dir: f.dir})
			defer v.Close(t.Context())
			if err := v.Open(t.Context(), file, nil, false); !errors.Is(err, adapter.ErrNotRunning) {
				t.Errorf("opened: %v", err)
			}
			s := v.State()
			if s.Running || name == "the wrong token" && !strings.Contains(s.Detail, "the token is wrong") || name == "a directory that others can use" && !strings.Contains(s.Detail, "only its owner can use") {
				t.Errorf("%+v", s)
			}
		})
	}
}

func with(name string, value any) func(map[string]any) {
	return func(about map[string]any) { about[name] = value }
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, f *fake, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "window.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The files of a killed window are removed, and no others.
func TestSweep_KilledWindow(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dir := rendezvous(t)
	files := map[string]bool{} // by name, whether it stays
	for name, change := range map[string]func(map[string]any){
		"killed": with("pid", ended.Process.Pid),
		"killed elsewhere": func(about map[string]any) {
			about["pid"], about["folders"] = ended.Process.Pid, []string{"/elsewhere"}
		},
		"hanging": nil, // its process is there
		"distant": func(about map[string]any) { about["pid"], about["host"] = ended.Process.Pid, "elsewhere" },
	} {
		f := (&fake{dir: dir, name: name, folders: []string{"/project"}}).open(t)
		f.describe(change)
		f.close()
		stays := !strings.HasPrefix(name, "killed")
		files[name+".json"], files[name+".sock"] = stays, stays
	}
	v := vscode.New(vscode.Options{Dir: dir, Root: "/project"})
	defer v.Close(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := v.Diagnose(ctx, []string{file}); !errors.Is(err, adapter.ErrNotRunning) {
		t.Fatal(err)
	}
	for name, stays := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v, want it to stay: %v", name, err, stays)
		}
	}
}

// An extension of another version is reported once, and used.
func TestVersion_OtherExtension(t *testing.T) {
	hello := raw(`{"app":"Fake Code","appVersion":"1.80.0","version":"1.2.2","folders":["/project"]}`)
	dir := rendezvous(t)
	for _, name := range []string{"one", "other"} {
		(&fake{dir: dir, name: name, folders: []string{"/project"}, answers: answers{"hello": hello}}).open(t)
	}
	var log lockedBuffer
	v := connected(t, vscode.Options{Dir: dir, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(&log, nil))})
	soon(t, "both are found", func() bool { return strings.Contains(v.State().Detail, "2 windows") })
	if s := v.State(); !strings.Contains(s.Detail, "its extension has version 1.2.2, and this program 1.2.3") || !strings.Contains(s.Detail, "Developer: Reload Window") {
		t.Errorf("%+v", s)
	}
	soon(t, "it is logged", func() bool { return strings.Contains(log.String(), "another version") })
	if n := strings.Count(log.String(), "another version"); n != 1 {
		t.Errorf("it is logged %d times:\n%s", n, log.String())
	}
	same := connected(t, vscode.Options{Dir: dir, Version: "1.2.2"})
	if s := same.State(); strings.Contains(s.Detail, "version 1.2.2, and") {
		t.Errorf("the same version: %+v", s)
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
