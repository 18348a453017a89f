package cursorcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The list of tools follows the settings, and clients hear of it.
func TestReload_NotifiesClients(t *testing.T) {
	s := serve(t, nil, sources{file: nested("tools.allowedTools", `["read_file"]`)})
	if got := s.tools(); !slices.Equal(got, []string{"read_file"}) {
		t.Fatalf("offered are %v", got)
	}
	for _, step := range []struct{ allowed, want string }{{`["get_server_stats","write_*"]`, "write_file get_server_stats"}, {`[]`, ""}, {`["read_file"]`, "read_file"}} {
		s.settings(nested("tools.allowedTools", step.allowed))
		if list := <-s.changed; list != "tools" {
			t.Errorf("told of %s", list)
		}
		if got := strings.Join(s.tools(), " "); got != step.want {
			t.Errorf("with %s offered are %q", step.allowed, got)
		}
	}
}

// A call ends with the tools that it began with.
func TestReload_RunningCalls(t *testing.T) {
	s := serve(t, map[string]string{"held.txt": "x"}, sources{flags: []string{"-log-level", "debug", "-server-request-timeout-ms", "60000"}})
	letGo := s.hold("held.txt")
	answer := make(chan string, 1)
	go func() {
		answer <- s.call(t.Context(), "write_file", map[string]any{"path": "held.txt", "content": "written"})
	}()
	s.awaitTold("write_file")
	file := nested("tools.allowedTools", `["read_file"]`)
	s.settings(file)
	s.applied(file)
	letGo()
	if got := <-answer; !strings.Contains(got, "held.txt") || strings.Contains(got, "error") {
		t.Errorf("the call: %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(s.dir, "held.txt")); err != nil || string(text) != "written" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// awaitTold waits until the client was sent a log with a text.
func (s *server) awaitTold(text string) {
	s.t.Helper()
	has := func(log string) bool { return strings.Contains(log, text) }
	if log := eventually(s.told.String, has); !has(log) {
		s.t.Fatalf("the client was not told of %q:\n%s", text, log)
	}
}

// reload applies a file to a quiet server, which follows none.
func (s *server) reload(file string) {
	s.t.Helper()
	ended, end := context.WithCancel(s.t.Context())
	end()
	following := s.service.options.values.Follow(ended, s.service.logging.log, s.service.apply)
	defer following.Stop()
	following.Reload([]byte(file), nil)
}

// Settings that cannot be applied are logged, and the former settings stay in force.
func TestReload_InvalidSettings(t *testing.T) {
	s := serve(t, nil, sources{quiet: true, file: nested("tools.allowedTools", `["read_file"]`)})
	apptest.Must(t, os.Rename(s.dir, s.dir+"-away"))
	s.reload(`{"tools":{"allowedTools":["write_file"]}}`)
	if log := s.stderr.String(); !strings.Contains(log, "the new settings cannot be applied; the old ones stay") {
		t.Errorf("logged %s", log)
	}
	apptest.Must(t, os.Rename(s.dir+"-away", s.dir))
	apptest.Write(t, s.dir, map[string]string{"x": "there again"})
	if got := s.tools(); !slices.Equal(got, []string{"read_file"}) {
		t.Errorf("offered are %v", got)
	}
	if got := s.call(t.Context(), "read_file", map[string]any{"path": "x"}); !strings.Contains(got, "there again") {
		t.Errorf("the old tools: %s", got)
	}
}

// A problem that stays is logged once.
func TestReload_ProblemsOnce(t *testing.T) {
	s := serve(t, nil, sources{env: []string{variablePrefix + "LOGGING_LEVEL=loud"}, file: nested("server.name", `"one"`)})
	for i := range 3 {
		file := nested("server.name", fmt.Sprintf(`"name %d"`, i))
		s.settings(file)
		s.applied(file)
	}
	if n := strings.Count(s.stderr.String(), "received"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, s.stderr)
	}
}

// Neither directories nor files stay open when the settings change often.
func TestReload_NoLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are counted in /proc")
	}
	s := serve(t, nil, sources{quiet: true})
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		apptest.Must(t, err)
		return len(entries)
	}
	reload := func(i int) {
		s.reload(nested("logging", fmt.Sprintf(`{"outputs":["file"],"maxLogSize":%d}`, 2000+i)))
	}
	reload(0)
	before := count()
	for i := range 50 {
		reload(i + 1)
	}
	closed := func() string { return fmt.Sprint(count() - before) }
	if more := eventually(closed, func(n string) bool { return n <= "0" || strings.HasPrefix(n, "-") }); more != "0" && !strings.HasPrefix(more, "-") {
		t.Errorf("%s files more are open", more)
	}
}

// By default a call ends after five seconds.
func TestTimeout_Default(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		apptest.Write(t, dir, map[string]string{"held.txt": "x"})
		v, _, err := open(t, dir, sources{quiet: true})
		apptest.Must(t, err)
		letGo := (&server{t: t, dir: dir}).hold("held.txt")
		params := json.RawMessage(`{"name":"write_file","arguments":{"path":"held.txt","content":"y"}}`)
		result, err := v.server.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: params, Meta: protocol.RequestMeta{Revision: protocol.Latest}})
		apptest.Must(t, err)
		if text := result.(*mcp.ToolResult).Blocks()[0].(mcp.TextContent).Text; !strings.Contains(text, "did not end within 5s") {
			t.Errorf("answered %s", text)
		}
		letGo()
		apptest.Must(t, v.close(t.Context()))
	})
}

// A file that cannot be used makes no room: hidden files stay hidden, and tools that were taken away stay away.
func TestReload_BrokenFile(t *testing.T) {
	const good = `{"tools":{"allowedTools":["read_file"],"fileOperations":{"blockedPatterns":["*.plain"]}}}`
	for name, spoil := range map[string]func(path string) error{
		"deleted":      os.Remove,
		"a directory":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
		"half written": func(path string) error { return os.WriteFile(path, []byte(good[:len(good)/2]), 0o644) },
		"empty":        func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"a wrong rule": func(path string) error {
			return os.WriteFile(path, []byte(nested("tools.fileOperations.blockedPatterns", `"*"`)), 0o644)
		},
		"a wrong limit": func(path string) error {
			return os.WriteFile(path, []byte(nested("server.requestTimeoutMs", `0`)), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]string{"file.plain": "plain"}, sources{file: good})
			path := filepath.Join(s.dir, filepath.FromSlash(settingsFile))
			apptest.Must(t, spoil(path))
			s.awaitLog("the settings stay unchanged")
			if got := s.tools(); !slices.Equal(got, []string{"read_file"}) {
				t.Errorf("offered are %v", got)
			}
			if got := s.call(t.Context(), "read_file", map[string]any{"path": "file.plain"}); !strings.Contains(got, "is hidden from tools") {
				t.Errorf("the hidden file: %s", got)
			}
			apptest.Must(t, os.RemoveAll(path))
			s.settings(`{}`)
			s.applied(`{}`)
			if got := s.call(t.Context(), "read_file", map[string]any{"path": "file.plain"}); !strings.Contains(got, "plain") {
				t.Errorf("after a good file: %s", got)
			}
		})
	}
}
