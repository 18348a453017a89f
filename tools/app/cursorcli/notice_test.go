package cursorcli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// identity returns a member of the server's implementation information.
func (s *server) identity(member string) string {
	result, err := s.service.server.Dispatch(s.t.Context(), &protocol.Request{Method: "server/discover", Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	apptest.Must(s.t, err)
	wire, err := result.AppendJSON(nil, protocol.Latest)
	apptest.Must(s.t, err)
	var answer struct {
		Meta map[string]map[string]any `json:"_meta"`
	}
	apptest.Must(s.t, json.Unmarshal(wire, &answer))
	return fmt.Sprint(answer.Meta["io.modelcontextprotocol/serverInfo"][member])
}

func noticeRead(name string) func(*server, string) string {
	return func(s *server, _ string) string {
		return s.call(s.t.Context(), "read_file", map[string]any{"path": name})
	}
}

// within calls a tool, and gives it up after a time.
func (s *server) within(limit time.Duration, tool string, args map[string]any) string {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	return s.call(ctx, tool, args)
}

// noticeTimeout calls a tool that cannot end by itself.
func noticeTimeout(s *server, want string) string {
	defer s.hold("held.txt")()
	limit := patience
	if want == "it waits" {
		limit = brief
	}
	got := s.within(limit, "write_file", map[string]any{"path": "held.txt", "content": "y"})
	if strings.HasPrefix(got, "error: ") {
		return "it waits"
	}
	return got
}

// noticeConcurrency calls a tool while another call cannot end.
func noticeConcurrency(s *server, want string) string {
	letGo := s.hold("held.txt")
	first := make(chan string, 1)
	go func() {
		first <- s.call(s.t.Context(), "write_file", map[string]any{"path": "held.txt", "content": "y"})
	}()
	s.awaitInFlight(1)
	limit := patience
	if want == "a second call waits" {
		limit = brief
	}
	second := s.within(limit, "read_file", map[string]any{"path": "free.txt"})
	letGo()
	if got := <-first; strings.Contains(got, "error: ") {
		s.t.Errorf("the first call: %s", got)
	}
	if strings.HasPrefix(second, "error: ") {
		return "a second call waits"
	}
	return "a second call runs"
}

// awaitInFlight waits until n calls are running.
func (s *server) awaitInFlight(n int) {
	s.t.Helper()
	stats, err := telemetry.New(tools.Env{}, telemetry.Options{Recorder: s.service.recorder})
	apptest.Must(s.t, err)
	inFlight := func() string {
		got, err := stats.ServerStats(s.t.Context(), telemetry.ServerStatsArgs{})
		apptest.Must(s.t, err)
		return fmt.Sprint(got.InFlight)
	}
	want := fmt.Sprint(n)
	if got := eventually(inFlight, func(n string) bool { return n == want }); got != want {
		s.t.Fatalf("%s calls are running, want %s", got, want)
	}
}

// logNames are the log files of the project.
func (s *server) logNames() []string {
	var names []string
	for _, pattern := range []string{"*.log*", "*/*.log*"} {
		found, err := filepath.Glob(filepath.Join(s.dir, settingsDir, filepath.FromSlash(pattern)))
		apptest.Must(s.t, err)
		for _, name := range found {
			rel, err := filepath.Rel(s.dir, name)
			apptest.Must(s.t, err)
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

// marked calls a tool and returns the text by which the log of the call is known.
func (s *server) marked() string {
	name := fmt.Sprintf("tool_%d", time.Now().UnixNano())
	s.call(s.t.Context(), name, nil)
	return name
}

func noticeDebug(s *server, want string) string {
	before := len(s.stderr.String())
	s.call(s.t.Context(), "list_directory", map[string]any{"path": "."})
	mark := s.marked()
	s.awaitLog(mark)
	if strings.Contains(s.stderr.String()[before:], "level=DEBUG") {
		return "debug"
	}
	return "no debug"
}

// noticeOutputs tells where the log of a call of a tool went.
func noticeOutputs(s *server, want string) string {
	before, told := len(s.stderr.String()), len(s.told.String())
	s.call(s.t.Context(), "list_directory", map[string]any{"path": "."})
	look := func() string {
		var got []string
		if strings.Contains(s.stderr.String()[before:], "list_directory") {
			got = append(got, "console")
		}
		if strings.Contains(s.told.String()[told:], "list_directory") {
			got = append(got, "client")
		}
		return strings.Join(got, " ")
	}
	return eventually(look, func(got string) bool { return got == want })
}

func noticeLogFile(s *server, want string) string {
	mark := s.marked()
	for _, name := range s.logNames() {
		text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
		apptest.Must(s.t, err)
		if strings.Contains(string(text), mark) {
			return name
		}
	}
	return "nowhere"
}

// noticeRotation logs more than 1,024 bytes, and looks at how many files there
// are.
func noticeRotation(several string) func(*server, string) string {
	return func(s *server, _ string) string {
		for _, name := range s.logNames() {
			if !strings.HasSuffix(name, ".log") {
				apptest.Must(s.t, os.Remove(filepath.Join(s.dir, filepath.FromSlash(name))))
			}
		}
		for range 20 {
			s.marked()
		}
		if slices.ContainsFunc(s.logNames(), func(name string) bool { return strings.HasSuffix(name, ".log.1") }) {
			return several
		}
		return "one file"
	}
}

func noticeDelete(s *server, _ string) string {
	apptest.Write(s.t, s.dir, map[string]string{"waste.txt": "x"})
	got := s.call(s.t.Context(), "delete_file", map[string]any{"path": "waste.txt", "permanent": true})
	if _, err := os.Stat(filepath.Join(s.dir, "waste.txt")); err != nil {
		return "deleted"
	}
	return got
}
