package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/transport"
)

// house is a project with a home directory, in which the example kuromajutsu runs recorded agents.
type house struct {
	t               *testing.T
	project, home   string
	program, cursor string
	environ         []string
}

// newHouse creates a project. programs are kuromajutsu and the fake of the Cursor CLI.
func newHouse(t *testing.T, programs [2]string) *house {
	t.Helper()
	h := &house{t: t, project: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), program: programs[0], cursor: programs[1]}
	if err := os.Mkdir(h.project, 0o755); err != nil {
		t.Fatal(err)
	}
	h.environ = append(os.Environ(), "HOME="+h.home, "XDG_STATE_HOME="+filepath.Join(h.home, "state"), "XDG_CONFIG_HOME=", "FAKEAGENT_SPEED=0")
	return h
}

// master is a running kuromajutsu with a client.
type master struct {
	*server
	house     *house
	client    *mcp.Client
	dashboard string
}

// begin starts kuromajutsu and connects a client.
func (h *house) begin(flags ...string) *master {
	h.t.Helper()
	args := append([]string{"-root", h.project, "-port", "0", "-no-token", "-agent-cursor-program", h.cursor, "-agent-stagger_ms", "0"}, flags...)
	cmd := exec.Command(h.program, args...)
	cmd.Env = h.environ
	p := launchCommand(h.t, cmd)
	m := &master{server: attend(h.t, cmd, p.stdin, nil, follow("standard error", p.stderr)), house: h}
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	client, err := mcp.Connect(ctx, wire{p}, mcp.Implementation{Name: "e2e", Version: "1.0.0"}, &mcp.ClientOptions{Timeout: patience})
	if err != nil {
		h.t.Fatalf("%v\n%s", err, m.said())
	}
	m.client = client
	h.t.Cleanup(func() { _ = client.Close() }) // the server has ended or is killed by the test
	said := m.stderr.until(h.t, "the address of the dashboard", func(line string) bool { return strings.HasPrefix(line, "dashboard: ") })
	m.dashboard = regexp.MustCompile(`http://\S+/`).FindString(said)
	return m
}

// said returns the end of the server's standard error.
func (m *master) said() string {
	lines, _, _ := m.stderr.now()
	return tail(strings.Join(lines, "\n"))
}

// end closes the server's input and waits for the end of the server.
func (m *master) end() {
	m.t.Helper()
	m.stdin.Close()
	if state := m.waits(); state.ExitCode() != 0 {
		m.t.Errorf("the server ended with %v\n%s", state, m.said())
	}
}

// wire is a transport over the pipes of a process.
type wire struct{ pipes }

func (w wire) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	closer := func() error { return errors.Join(ignoreClosed(w.stdin.Close()), ignoreClosed(w.stdout.Close())) }
	return transport.ConnectStream(ctx, transport.NewLines(w.stdout, w.stdin, closer, 0), host, nil)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// do calls a tool, which must succeed.
func do[Out any](m *master, tool string, args any) Out {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	out, err := mcp.Call[Out](ctx, m.client, tool, args)
	if err != nil {
		m.t.Fatalf("%s %v: %v\n%s", tool, args, err, m.said())
	}
	return out
}

// refuses calls a tool, which must fail with an error that contains words.
func (m *master) refuses(tool string, args any, words ...string) {
	m.t.Helper()
	text, err := mcp.Call[string](m.t.Context(), m.client, tool, args)
	var failure *mcp.ToolFailure
	if !errors.As(err, &failure) {
		m.t.Errorf("%s %.200v: %q, %v", tool, args, text, err)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			m.t.Errorf("%s %.200v: %q is missing in %v", tool, args, word, err)
		}
	}
}

func (m *master) group() string {
	m.t.Helper()
	return do[agents.GroupResult](m, "create_group", agents.GroupArgs{Description: "a test"}).GroupID
}

// order starts an agent that plays a recording, and returns its id.
func (m *master) order(group, recording string, change ...func(*agents.RunArgs)) string {
	m.t.Helper()
	args := agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "Play. [fake:" + recording + "]"}
	for _, c := range change {
		c(&args)
	}
	return do[agents.RunResult](m, "run_agent", args).AgentID
}

// after makes an agent depend on others.
func after(ids ...string) func(*agents.RunArgs) {
	return func(args *agents.RunArgs) { args.DependsOn = ids }
}

// await waits until agents have ended, with several calls if necessary.
func (m *master) await(ids ...string) []agents.EndedAgent {
	m.t.Helper()
	for late := time.Now().Add(patience); ; {
		r := do[agents.WaitResult](m, "wait_agent", agents.WaitArgs{AgentIDs: ids})
		if len(r.Pending) == 0 && len(r.Completed) == len(ids) && !r.TimedOut && !r.Slice {
			return r.Completed
		}
		if time.Now().After(late) {
			m.t.Fatalf("the agents have not ended: %+v", r)
		}
	}
}

// ended waits for the end of an agent and checks its status.
func (m *master) ended(id string, want record.Status) agents.StatusResult {
	m.t.Helper()
	m.await(id)
	s := m.status(id)
	if s.Outcome != want || s.Result == nil {
		m.t.Errorf("%s has ended as %s, want %s: %+v\n%s", id, s.Outcome, want, s, m.said())
		s.Result = new(record.Result)
	}
	return s
}

func (m *master) status(id string) agents.StatusResult {
	m.t.Helper()
	return do[agents.StatusResult](m, "get_agent_status", agents.StatusArgs{AgentID: id})
}

// says waits until an agent has printed words.
func (m *master) says(id, words string) {
	m.t.Helper()
	m.until("words of "+id, func() bool { return strings.Contains(m.status(id).LastAssistantMessage, words) })
}

// until polls a condition.
func (m *master) until(what string, met func() bool) {
	m.t.Helper()
	eventually(m.t, what, met)
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("waited for %s: nothing for %v", what, patience)
		}
	}
}

// get requests a page of the dashboard.
func (m *master) get(path string) (code int, body string) {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.dashboard+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// has checks the content of a file of the project.
func (h *house) has(name, want string) {
	h.t.Helper()
	got, err := os.ReadFile(filepath.Join(h.project, filepath.FromSlash(name)))
	if err != nil || !strings.Contains(string(got), want) {
		h.t.Errorf("%s lacks %q (%v):\n%s", name, want, err, got)
	}
}

func (h *house) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.project, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}
