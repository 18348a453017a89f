package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// server is a server that runs agents, with a session.
type server struct {
	*driver.Session
	pid   int
	mark  string // variable in the environment of all its processes
	page  string // URL of the dashboard
	group string
}

// role is the role of all agents.
const role = "worker"

const settings = `roles:
  - id: ` + role + `
    name: Worker
    model: auto
    systemPrompt: Work.
    healthCheckPrompt: "Hello, respond with exactly: OK"
    tools: []
`

// project creates a directory with a git repository, settings and a state directory.
func (b *bench) project(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp(b.dir, "server-"); err != nil {
		return "", err
	}
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		return "", err
	}
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(project, fmt.Sprintf("file%d.txt", i)), []byte("text\n"), 0o644); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(settings), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "files"}} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = project
		if out, err := git.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return dir, nil
}

// open starts the example with a limit of concurrent agents, and waits until it is ready.
func (b *bench) open(ctx context.Context, most int, stagger time.Duration) (*server, error) {
	cmd, at, err := b.command(ctx, most, stagger)
	if err != nil {
		return nil, err
	}
	return start(cmd, at)
}

// place is the directory of a server and the URL of its dashboard.
type place struct{ dir, page string }

// command returns the command that starts the example.
func (b *bench) command(ctx context.Context, most int, stagger time.Duration) (*exec.Cmd, place, error) {
	if err := b.build(ctx); err != nil {
		return nil, place{}, err
	}
	dir, err := b.project(ctx)
	if err != nil {
		return nil, place{}, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, place{}, err
	}
	cmd := exec.CommandContext(ctx, b.example, "-root", filepath.Join(dir, "project"), "-config", filepath.Join(dir, "settings.yaml"), "-port", strconv.Itoa(port), "-no-token", "-structured", "always",
		"-agent-cursor-program", b.standin, "-agent-max-concurrent", strconv.Itoa(most), "-agent-stagger_ms", strconv.Itoa(int(stagger.Milliseconds())), "-agent-max-queued", "1000", "-agent-max-per-hour", "100000", "-log-level", "warn")
	return cmd, place{dir, fmt.Sprintf("http://127.0.0.1:%d/", port)}, nil
}

// start starts a server.
func start(cmd *exec.Cmd, at place) (*server, error) {
	mark := "DOUGU_BENCH=" + rand.Text()
	cmd.Env = append(os.Environ(), mark, "XDG_STATE_HOME="+filepath.Join(at.dir, "state"), "FAKEAGENT_SPEED=0")
	session, err := driver.OpenSession(cmd)
	if err != nil {
		return nil, err
	}
	s := &server{Session: session, pid: cmd.Process.Pid, mark: mark, page: at.page}
	var made struct{ GroupID string }
	if _, err := s.call("create_group", map[string]any{"description": "measurement"}, &made); err != nil {
		s.Close()
		return nil, err
	}
	s.group = made.GroupID
	id, _, err := s.order("[fake:ok]")
	if err == nil {
		err = s.await([]string{id})
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// freePort returns an unused port.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// call calls a tool and returns the response time.
func (s *server) call(tool string, args map[string]any, into any) (time.Duration, error) {
	answer, took, err := s.Ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return 0, err
	}
	var result struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return 0, err
	}
	if result.IsError || result.Structured == nil {
		return 0, fmt.Errorf("%s: %.500s", tool, answer)
	}
	return took, json.Unmarshal(result.Structured, into)
}

// order orders an agent and returns its id and the response time.
func (s *server) order(prompt string) (id string, took time.Duration, err error) {
	var run struct{ AgentID, Status string }
	took, err = s.call("run_agent", map[string]any{"groupId": s.group, "role": role, "prompt": prompt, "timeout_ms": 600_000}, &run)
	if err == nil && run.Status != "queued" {
		err = fmt.Errorf("the agent is %q, not queued", run.Status)
	}
	return run.AgentID, took, err
}

// orders orders the same agent n times.
func (s *server) orders(n int, prompt string) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		var err error
		if ids[i], _, err = s.order(prompt); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// await waits until agents have ended.
func (s *server) await(ids []string) error {
	for deadline := time.Now().Add(driver.MeasurementTimeout); time.Now().Before(deadline); {
		var got struct{ Pending []json.RawMessage }
		if _, err := s.call("wait_agent", map[string]any{"agentIds": ids, "timeout_ms": 40_000}, &got); err != nil {
			return err
		}
		if len(got.Pending) == 0 {
			return nil
		}
	}
	return errors.New("the agents do not end")
}

// cancel cancels agents.
func (s *server) cancel(ids []string) error {
	for _, id := range ids {
		var got struct{}
		if _, err := s.call("cancel_agent", map[string]any{"agentId": id}, &got); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.await(ids)
}
