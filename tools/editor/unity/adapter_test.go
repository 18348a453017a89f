package unity_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

var _ interface {
	adapter.Adapter
	adapter.Diagnoser
	adapter.Windows
	adapter.Listener
} = (*unity.Unity)(nil)

func TestState(t *testing.T) {
	w := newWorld(t)
	var told atomic.Int64
	defer w.unity.Watch(func() { told.Add(1) })()
	s := w.unity.State()
	if s.Detail != "Unity 2022.3.10f1 with Game" || !slices.Equal(s.Folders, []string{w.fake.Project}) {
		t.Errorf("%+v", s)
	}
	end := w.fake.BeginReload(t)
	waittest.Until(t, "the reload is seen", func() bool { return strings.Contains(w.unity.State().Detail, "reloading") })
	if !w.unity.State().Running {
		t.Error("an editor that reloads counts as gone")
	}
	end()
	waittest.Until(t, "its end is seen", func() bool { return w.unity.State().Detail == s.Detail })
	w.fake.Quit()
	waittest.Until(t, "it is gone", func() bool { return !w.unity.State().Running })
	if s := w.unity.State(); !strings.Contains(s.Start, "Stdio") {
		t.Errorf("%+v does not say what to do", s)
	}
	waittest.Until(t, "all was told", func() bool { return told.Load() >= 3 })
}

// A Unity whose project has nothing to do with the directory is left alone.
func TestOtherProjects(t *testing.T) {
	w := newWorld(t)
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	unitytest.Start(t, w.fake.StatusDir, filepath.Join(elsewhere, "Other"))
	unitytest.Start(t, w.fake.StatusDir, filepath.Join(w.dir, "Second"))
	waittest.Until(t, "the second is found", func() bool { return len(w.unity.State().Folders) == 2 })
	if got := w.unity.State().Folders; !slices.Equal(got, []string{w.fake.Project, filepath.Join(w.dir, "Second")}) {
		t.Errorf("%q", got)
	}
	if err := w.unity.Open(t.Context(), filepath.Join(elsewhere, "Other", "a.cs"), nil, false); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("a file of another: %v", err)
	}
}

func TestDiagnose(t *testing.T) {
	w := newWorld(t)
	script, other := w.write(t, "Assets/A.cs", "class A {}\n"), w.write(t, "Assets/B.cs", "class B {}\n")
	text := w.write(t, "Assets/a.txt", "")
	compile := unitytest.Entry{Type: "Error", Message: "Assets/A.cs(3,14): error CS0103: The name 'x' does not exist in the current context", File: "Assets/A.cs", Line: 3}
	w.fake.Log(
		compile, compile,
		unitytest.Entry{Type: "Warning", Message: "Assets/B.cs(1,7): warning CS0168: The variable 'e' is declared but never used"},
		unitytest.Entry{Type: "Exception", Message: "NullReferenceException: Object reference not set to an instance of an object", Stack: "UnityEngine.Object.Foo () (at /home/bokken/build/Foo.cs:1)\nA.Start () (at Assets/A.cs:7)"},
		unitytest.Entry{Type: "Error", Message: "nowhere"},
		unitytest.Entry{Type: "Log", Message: "Assets/A.cs(1,1): error CS0001: a log"},
	)
	w.fake.SetCompiled(time.Now().Add(time.Hour), false)
	got, err := w.unity.Diagnose(t.Context(), []string{script, text})
	if err != nil || !got.Fresh || !slices.Equal(got.Covered, []string{script}) {
		t.Fatalf("%+v, %v", got, err)
	}
	at := func(line, column int) adapter.Range {
		p := adapter.Position{Line: line, Column: column}
		return adapter.Range{Start: p, End: p}
	}
	want := []adapter.Diagnostic{
		{Path: script, Range: at(3, 14), Severity: adapter.Error, Message: "The name 'x' does not exist in the current context", Code: "CS0103", Source: "unity"},
		{Path: script, Range: at(7, 1), Severity: adapter.Error, Message: "NullReferenceException: Object reference not set to an instance of an object", Code: "NullReferenceException", Source: "unity"},
	}
	if !slices.Equal(got.Items, want) {
		t.Errorf("%+v", got.Items)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "1 of the messages") {
		t.Errorf("%q", got.Notes)
	}
	whole, err := w.unity.Diagnose(t.Context(), nil)
	if err != nil || len(whole.Items) != 3 || whole.Covered != nil || !whole.Fresh {
		t.Errorf("%+v, %v", whole, err)
	}
	if got, err := w.unity.Diagnose(t.Context(), []string{other}); err != nil || len(got.Items) != 1 || got.Items[0].Severity != adapter.Warning {
		t.Errorf("%+v, %v", got, err)
	}
}

// Diagnostics are fresh if Unity has compiled the present files.
func TestFresh(t *testing.T) {
	w := newWorld(t)
	script := w.write(t, "Assets/A.cs", "class A {}\n")
	for _, tt := range []struct {
		name    string
		compile time.Time
		busy    bool
		fresh   bool
		note    string
	}{
		{"compiled since", time.Now().Add(time.Hour), false, true, ""},
		{"changed since", time.Now().Add(-time.Hour), false, false, "unity_refresh"},
		{"compiling", time.Now().Add(time.Hour), true, false, "compiling"},
	} {
		w.fake.SetCompiled(tt.compile, tt.busy)
		got, err := w.unity.Diagnose(t.Context(), []string{script})
		if err != nil || got.Fresh != tt.fresh || !strings.Contains(strings.Join(got.Notes, " "), tt.note) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	w.fake.SetCompiled(time.Now().Add(-time.Minute), false)
	if got, err := w.unity.Diagnose(t.Context(), nil); err != nil || !got.Fresh {
		t.Errorf("nothing was changed: %+v, %v", got, err)
	}
	w.unity.FilesChanged([]string{script})
	if got, err := w.unity.Diagnose(t.Context(), nil); err != nil || got.Fresh {
		t.Errorf("a script was changed: %+v, %v", got, err)
	}
	end := w.fake.BeginReload(t)
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if got, err := w.unity.Diagnose(ctx, []string{script}); err != nil || got.Fresh || !strings.Contains(strings.Join(got.Notes, " "), "reloading") {
		t.Errorf("during a reload: %+v, %v", got, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.unity.Diagnose(soon, []string{script}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("at once: %v", err)
	}
}

func TestOpen(t *testing.T) {
	w := newWorld(t)
	script := w.write(t, `Assets/A "b" {0}日𝄞.cs`, "")
	var code atomic.Value
	result := true
	w.fake.Handle("execute_code", func(params []byte) any {
		var p struct {
			Action string `json:"action"`
			Code   string `json:"code"`
		}
		if err := json.Unmarshal(params, &p); err != nil || p.Action != "execute" {
			t.Errorf("%s: %v", params, err)
		}
		code.Store(p.Code)
		return map[string]any{"success": true, "message": "", "data": map[string]any{"result": result}}
	})
	if err := w.unity.Open(t.Context(), script, &adapter.Position{Line: 12, Column: 3}, false); err != nil {
		t.Fatal(err)
	}
	if got := code.Load().(string); !strings.HasPrefix(got, "return UnityEditorInternal.InternalEditorUtility.OpenFileAtLineExternal(\"/") || !strings.HasSuffix(got, ".cs\", 12, 3);") ||
		!strings.Contains(got, `A \u0022b\u0022 \u007B0\u007D\u65E5\uD834\uDD1E.cs`) {
		t.Errorf("the code is %s", got)
	}
	result = false
	if err := w.unity.Open(t.Context(), script, nil, false); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("no program: %v", err)
	}
	w.fake.TurnOff("execute_code")
	if err := w.unity.Open(t.Context(), script, nil, false); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("turned off: %v", err)
	}
	if _, _, err := w.unity.Active(t.Context()); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("the active file: %v", err)
	}
}

// The tools of package editor work with it.
func TestTools_PackageEditor(t *testing.T) {
	w := newWorld(t)
	w.write(t, "Assets/A.cs", "class A {}\n")
	w.fake.Log(unitytest.Entry{Type: "Error", Message: "Assets/A.cs(1,7): error CS0001: wrong"})
	set, err := editor.New(t.Context(), tools.Env{Root: w.root}, editor.Options{Adapters: []adapter.Adapter{w.open(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(t.Context())
	opened, err := set.OpenFile(t.Context(), editor.OpenFileArgs{Path: "Game/Assets/A.cs", Line: 1})
	if err != nil || opened.Editor != "unity" {
		t.Errorf("%+v, %v", opened, err)
	}
	got, err := set.Diagnostics(t.Context(), editor.DiagnosticsArgs{Path: "Game/Assets/A.cs", WaitMS: 20_000})
	if text := fmt.Sprint(got.TextContent()); err != nil || !strings.Contains(text, "CS0001") {
		t.Errorf("%s, %v", text, err)
	}
}

// A minimal example, which also works without Unity.
func Example() {
	dir, err := os.MkdirTemp("", "unity")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	u, err := unity.New(unity.Options{StatusDir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	defer u.Close(ctx)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	set, err := unity.NewTools(tools.Env{Root: root}, u)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = set.ReadConsole(ctx, unity.ReadConsoleArgs{})
	fmt.Println(err)
	// Output: no Unity runs with a project of this directory
}
