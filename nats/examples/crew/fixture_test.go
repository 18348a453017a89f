package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// patience is how long anything may take on a machine that is busy.
const patience = 90 * time.Second

// raceFlag builds programs with the race detector if the test has it.
var raceFlag = []string{fmt.Sprint("-race=", testrequire.Race)}

// program and agent are the binaries of this command and of the agent that stands in for the
// Cursor CLI.
var program, agent string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "crew")
	if err != nil {
		panic(err)
	}
	program, agent = filepath.Join(dir, "crew.exe"), filepath.Join(dir, "fakeagent.exe")
	for binary, source := range map[string]string{program: ".", agent: "github.com/dougu-go/dougu/tools/agents/replay/fakeagent"} {
		args := []string{"build", "-o", binary, source}
		if binary == program {
			args = append(append([]string{"build"}, raceFlag...), args[1:]...)
		}
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v: %s", err, out))
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// process is a program that runs.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu  sync.Mutex
	log strings.Builder
}

// start starts the command, and waits for a line of its log that fits each pattern. It returns the matches.
func start(t *testing.T, name string, args []string, patterns ...string) (*process, []string) {
	t.Helper()
	p := &process{name: name, cmd: exec.Command(program, args...), done: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var reading group.Group
	reading.Go(func() {
		defer close(p.done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			p.mu.Lock()
			fmt.Fprintln(&p.log, lines.Text())
			p.mu.Unlock()
		}
		_ = p.cmd.Wait() // it may be killed
	})
	t.Cleanup(func() {
		p.kill()
		reading.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", name, p.logged())
		}
	})
	found := make([]string, len(patterns))
	until(t, name+" is ready", func() bool {
		for i, pattern := range patterns {
			m := regexp.MustCompile(pattern).FindStringSubmatch(p.logged())
			if m == nil {
				select {
				case <-p.done:
					t.Fatalf("%s has ended: %s", name, p.logged())
				default:
				}
				return false
			}
			found[i] = m[len(m)-1]
		}
		return true
	})
	return p, found
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// until tries something until it is true.
func until(t *testing.T, what string, try func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !try() {
		if time.Now().After(deadline) {
			t.Fatalf("within %v it was not so that %s", patience, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// server is "crew serve" as its client and its page see it.
type server struct {
	*testing.T
	client *mcp.Client
	page   string
}

func connect(t *testing.T, url, page string) *server {
	t.Helper()
	carrier := &http.Transport{}
	t.Cleanup(carrier.CloseIdleConnections)
	client, err := mcp.Connect(t.Context(), &httpclient.Client{URL: url, HTTPClient: &http.Client{Transport: carrier}}, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return &server{t, client, strings.TrimSuffix(page, "/")}
}

// call calls a tool.
func call[Out any](s *server, tool string, arguments any) Out {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	out, err := mcp.Call[Out](ctx, s.client, tool, arguments)
	if err != nil {
		s.Fatalf("%s: %v", tool, err)
	}
	return out
}

// group makes a group.
func (s *server) group() string {
	s.Helper()
	return call[struct{ GroupID string }](s, "create_group", map[string]any{"description": "test"}).GroupID
}

// order orders an agent.
func (s *server) order(group, role, prompt string) string {
	s.Helper()
	return call[struct{ AgentID string }](s, "run_agent", map[string]any{"groupId": group, "role": role, "prompt": prompt, "timeout_ms": patience.Milliseconds()}).AgentID
}

// get reads JSON from a path of the dashboard.
func (s *server) get(path string, into any) {
	s.Helper()
	resp, err := http.Get(s.page + path)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		s.Fatalf("%s: status %d, %v", path, resp.StatusCode, err)
	}
}

// agent is an agent as the dashboard shows it.
func (s *server) agent(id string) (a record.Agent) {
	s.Helper()
	s.get("/api/agents/"+id, &a)
	return a
}

// await waits until an agent is as it should be.
func (s *server) await(id, what string, is func(a record.Agent) bool) (a record.Agent) {
	s.Helper()
	deadline := time.Now().Add(patience)
	for {
		if a = s.agent(id); is(a) {
			return a
		}
		if time.Now().After(deadline) {
			s.Fatalf("%s is not %s, but %+v", id, what, a)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
