package editor

import (
	"context"
	"flag"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
	"github.com/dougu-go/dougu/transport"
)

// newUnity is a project that Unity has open.
func newUnity(t *testing.T) (dir string, unity *unitytest.Editor) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(newProject(t))
	apptest.Must(t, err)
	status := t.TempDir()
	t.Setenv("UNITY_MCP_STATUS_DIR", status)
	return dir, unitytest.Start(t, status, filepath.Join(dir, "Game"))
}

func TestUnity(t *testing.T) {
	dir, unity := newUnity(t)
	apptest.Write(t, unity.Project, map[string]string{"Assets/A.cs": "class A {}\n"})
	unity.Log(unitytest.Entry{Type: "Error", Message: "Assets/A.cs(1,7): error CS0101: twice"})
	unity.HasTests(unitytest.Test{Name: "A.Works"})
	unity.SetCompiled(time.Now().Add(time.Hour), false)
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir, "-unity", "-audit", "-"}, args...)...)
	}
	apptest.Contains(t, call("read_console"), "Game/Assets/A.cs:1:7: error CS0101: twice")
	apptest.Contains(t, call("run_tests"), "passed, 1 of 1")
	apptest.Contains(t, call("unity_refresh"), "Unity is ready", "CS0101")
	apptest.Contains(t, call("get_diagnostics", "path=Game/Assets/A.cs", "waitMs=20000"), "CS0101")
	apptest.Contains(t, call("open_file_in_editor", "path=Game/Assets/A.cs", "line=1"), "open in unity")
	_, doctor, _ := program.Run(t, "doctor", "-root", dir, "-unity")
	apptest.Contains(t, doctor, "unity: ")
	if without := program.Tools(t, "-root", dir); slices.Contains(without, "read_console") {
		t.Error("the tools are offered unasked")
	}
	if got := append(fullTools(), unityTools()...); len(got) > 40 {
		t.Errorf("%d tools are more than clients take", len(got))
	}
	code, out, _ := program.Run(t, "call", "-root", dir, "-unity", "-read-only", "run_tests")
	if code == 0 {
		t.Errorf("tests were run in a read-only server: %s", out)
	}
}

// Clients are told of the tools when Unity comes, and when it goes.
func TestTools_Unity(t *testing.T) {
	dir, unity := newUnity(t)
	o := newOptions(func() []string { return nil }, Options{Sandbox: helper})
	flags := flag.NewFlagSet("editor", flag.ContinueOnError)
	o.flags(flags)
	apptest.Must(t, flags.Parse([]string{"-root", dir, "-unity", "-editors", "[]", "-audit", "-"}))
	s, err := openService(t.Context(), o, app.Start{Log: slog.New(slog.DiscardHandler)})
	apptest.Must(t, err)
	defer func() { apptest.Must(t, s.close(context.Background())) }()
	changes := make(chan struct{}, 100)
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: s.server}, mcp.Implementation{Name: "test", Version: "1"},
		&mcp.ClientOptions{OnListChanged: func(string) { changes <- struct{}{} }})
	apptest.Must(t, err)
	defer client.Close()
	listed := func() bool {
		for tool, err := range client.Tools(t.Context()) {
			apptest.Must(t, err)
			if tool.Name == "read_console" {
				return true
			}
		}
		return false
	}
	waittest.Until(t, "the tools are listed", listed)
	unity.Quit()
	waittest.Until(t, "they are not any more", func() bool { return !listed() })
	select {
	case <-changes:
	case <-time.After(time.Minute):
		t.Error("the client was not told")
	}
}
