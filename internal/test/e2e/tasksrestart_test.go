package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// TestTasksRestart kills a server with -tasks. After the restart the client gets the result of the finished task, and the reason
// for the end of the unfinished one.
func TestTasksRestart(t *testing.T) {
	t.Parallel()
	make, err := exec.LookPath("make")
	testrequire.Thing(t, err == nil && runtime.GOOS != "windows", "the program make", "install it")
	program := build(t, "../../../examples/cursorcli")
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Makefile", "all:\n\t@while [ ! -e go ]; do sleep 0.05; done; echo built with "+make+"\n")
	start := func() (*mcp.Client, func()) {
		t.Helper()
		cmd := exec.Command(program, "serve", "-tasks", "-profile", "all", "-root", project, "-commands-sandbox", "off", "-http", "127.0.0.1:0", "-no-token")
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CACHE_HOME="+filepath.Join(home, "cache"))
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		says := follow("standard error", stderr)
		kill := func() {
			_ = cmd.Process.Kill() // kill -9
			says.all(t)
			_ = cmd.Wait() // it was killed
		}
		t.Cleanup(kill)
		line := says.until(t, "a URL", func(line string) bool { return strings.Contains(line, "serves http://") })
		_, url, _ := strings.Cut(line, "serves ")
		var o mcp.ClientOptions
		tasks.Declare(&o)
		c, err := mcp.Connect(t.Context(), &httpclient.Client{URL: strings.TrimSpace(url)}, mcp.Implementation{Name: "e2e", Version: "1"}, &o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // the server was killed
		return c, kill
	}
	c, kill := start()
	begin := func() *tasks.Task {
		t.Helper()
		task, err := tasks.Start(t.Context(), c, "execute_build", map[string]any{"buildType": "make"}, nil)
		if err != nil || task.ID() == "" {
			t.Fatalf("the task is %+v, %v", task, err)
		}
		return task
	}
	write("go", "")
	done := begin()
	if result, err := done.Wait(t.Context()); err != nil || result.IsError {
		t.Fatalf("the build has come to %+v, %v", result, err)
	}
	if err := os.Remove(filepath.Join(project, "go")); err != nil {
		t.Fatal(err)
	}
	running := begin()
	kill()
	write("go", "") // ends a build that outlives its server

	c, _ = start()
	result, err := tasks.Open(c, done.ID()).Wait(t.Context())
	if err != nil || !strings.Contains(text(result), "built with") {
		t.Errorf("the result of the task that had ended is %s, %v", text(result), err)
	}
	began := time.Now()
	_, err = tasks.Open(c, running.ID()).Wait(t.Context())
	var failed *protocol.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Message, "ended before the task did; the work may be done or not") {
		t.Errorf("the task that was at work has come to %v", err)
	}
	t.Logf("the end of the lost task was told after %v", time.Since(began).Round(time.Second))

	var files int
	err = filepath.WalkDir(filepath.Join(home, "state", "dougu", "tasks"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if files++; err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("the state has %d files, %v", files, err)
	}
}

// text returns a value as JSON.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
