package jetbrains_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/jetbrains"
)

var _ interface {
	adapter.Adapter
	adapter.Windows
	adapter.Diagnoser
	adapter.Formatter
} = (*jetbrains.JetBrains)(nil)

// open opens an adapter, which ends with the test.
func open(t *testing.T, o jetbrains.Options) *jetbrains.JetBrains {
	t.Helper()
	j, err := jetbrains.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return j
}

// launcher returns a launcher of a kind, and a function that returns its arguments.
func launcher(t *testing.T, kind string) (path string, given func() []string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "arguments")
	t.Setenv(launcherVariable, kind+":"+file)
	return exe, func() []string {
		t.Helper()
		data, err := os.ReadFile(file)
		var all []string
		if err == nil {
			err = json.Unmarshal(data, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
}

func TestLauncher(t *testing.T) {
	exe, given := launcher(t, "opens")
	j := open(t, jetbrains.Options{Launcher: exe})
	if s := j.State(); !s.Running || !strings.Contains(s.Detail, exe) {
		t.Errorf("%+v", s)
	}
	file := filepath.Join(t.TempDir(), "--line 日.go")
	if err := j.Open(t.Context(), file, &adapter.Position{Line: 12, Column: 1}, false); err != nil {
		t.Fatal(err)
	}
	if got, want := given(), []string{"--line", "12", "--column", "0", file}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := j.Open(t.Context(), file, nil, false); err != nil {
		t.Fatal(err)
	}
	if got, want := given(), []string{file}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := j.Open(t.Context(), "--wait", nil, false); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("a path that is none: %v", err)
	}
	if _, _, err := j.Active(t.Context()); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("the active file: %v", err)
	}
}

func TestLauncher_Failure(t *testing.T) {
	exe, _ := launcher(t, "fails")
	j := open(t, jetbrains.Options{Launcher: exe})
	file := filepath.Join(t.TempDir(), "a.go")
	if err := j.Open(t.Context(), file, nil, false); err == nil || errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"-", filepath.Join(t.TempDir(), "none"), "there-is-no-such-launcher"} {
		j := open(t, jetbrains.Options{Launcher: name})
		if s := j.State(); s.Running || s.Start == "" {
			t.Errorf("%s: %+v", name, s)
		}
		if err := j.Open(t.Context(), file, nil, false); !errors.Is(err, adapter.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A launcher that has not ended is the IDE, which lives on.
func TestLauncher_KeepsRunning(t *testing.T) {
	exe, _ := launcher(t, "stays")
	_, file, _ := strings.Cut(os.Getenv(launcherVariable), ":")
	j := open(t, jetbrains.Options{Launcher: exe})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := j.Open(ctx, filepath.Join(t.TempDir(), "a.go"), nil, false); err != nil {
		t.Error(err)
	}
	waittest.Until(t, "it is there", func() bool { _, err := os.Stat(file); return err == nil })
	if err := os.Remove(file); err != nil {
		t.Error(err)
	}
}

// Launchers are found where Toolbox puts them.
func TestToolbox(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("LOCALAPPDATA", home)
	t.Setenv("PATH", t.TempDir())
	if s := open(t, jetbrains.Options{}).State(); s.Running {
		t.Errorf("%+v", s)
	}
	for _, dir := range []string{".local/share/JetBrains/Toolbox/scripts", "Library/Application Support/JetBrains/Toolbox/scripts", "JetBrains/Toolbox/scripts"} {
		dir = filepath.Join(home, filepath.FromSlash(dir))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"goland", "goland.cmd"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := open(t, jetbrains.Options{}).State(); !s.Running || !strings.Contains(s.Detail, "goland") {
		t.Errorf("%+v", s)
	}
}

func TestWebServer(t *testing.T) {
	var asked string
	status := http.StatusOK
	ide := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path + " " + r.URL.Query().Encode()
		w.WriteHeader(status)
	}))
	defer ide.Close()
	j := open(t, jetbrains.Options{Launcher: "-", WebServer: ide.URL + "/"})
	if s := j.State(); !s.Running {
		t.Errorf("%+v", s)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a&b?#日.go")
	if err := j.Open(t.Context(), file, &adapter.Position{Line: 3, Column: 4}, false); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(asked, "GET /api/file column=4&file=") || !strings.Contains(asked, "a%26b%3F%23%E6%97%A5.go&focused=true&line=3") {
		t.Errorf("it was asked %s", asked)
	}
	for code, want := range map[int]string{403: "does not allow", 404: "does not have", 500: "500", 302: "302"} {
		status = code
		if err := j.Open(t.Context(), file, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", code, err)
		}
	}
	ide.Close()
	if err := j.Open(t.Context(), file, nil, false); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("after its end: %v", err)
	}
	for _, url := range []string{"http://example.com", "https://localhost:63342", "localhost:63342", "http://me@localhost", "http://localhost/?x", "http://localhost/x", "http://10.0.0.1", "http://[::2]:1", "%"} {
		if _, err := jetbrains.New(jetbrains.Options{WebServer: url}); err == nil {
			t.Errorf("%s is taken", url)
		}
	}
}

func TestFormat(t *testing.T) {
	exe, given := launcher(t, "formats")
	doc := adapter.Document{Path: filepath.Join(t.TempDir(), "a.java"), Text: "class A {\n\tint b;\n}\n"}
	j := open(t, jetbrains.Options{Launcher: exe})
	if _, err := j.Format(t.Context(), doc, nil); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("unasked: %v", err)
	}
	j = open(t, jetbrains.Options{Launcher: exe, Format: new(jetbrains.Format)})
	edits, err := j.Format(t.Context(), doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := adapter.Apply(doc.Text, edits); err != nil || after != "class A {\n    int b;\n}\n" {
		t.Errorf("%q, %v", after, err)
	}
	if got := given(); len(got) != 3 || got[0] != "format" || got[1] != "-allowDefaults" || filepath.Ext(got[2]) != ".java" || got[2] == doc.Path {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(given()[2]); err == nil {
		t.Error("the copy is left")
	}
	if _, err := j.Format(t.Context(), doc, new(adapter.Range)); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("a part: %v", err)
	}
	j = open(t, jetbrains.Options{Launcher: exe, Format: &jetbrains.Format{Settings: "/style.xml"}})
	if edits, err := j.Format(t.Context(), adapter.Document{Path: doc.Path}, nil); err != nil || edits != nil || given()[2] != "/style.xml" {
		t.Errorf("%v, %v, %q", edits, err, given())
	}
	for kind, want := range map[string]string{"fails": "no display", "removes": "reasonable size"} {
		exe, _ := launcher(t, kind)
		j := open(t, jetbrains.Options{Launcher: exe, Format: new(jetbrains.Format)})
		if _, err := j.Format(t.Context(), doc, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	exe, _ = launcher(t, "stays")
	j = open(t, jetbrains.Options{Launcher: exe, Format: new(jetbrains.Format)})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := j.Format(ctx, doc, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that does not end: %v", err)
	}
}
