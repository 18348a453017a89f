package tasks_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	natstasks "github.com/dougu-go/dougu/nats/tasks"
)

const processVariable = "DOUGU_TEST_NATS_TASKS"

// The test binary is another process when it is told to be: its tests are one, that is
// killed.
func TestMain(m *testing.M) {
	if os.Getenv(processVariable) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

type none struct{}

type name struct {
	Name string `json:"name"`
}

// ask works until it is answered, and wait until it is cancelled.
var (
	ask = mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ none) (string, error) {
		answer, err := mcp.Elicit[name](ctx, "who", "Who?")
		if err != nil {
			return "", err
		}
		return "hello " + answer.Value.Name, nil
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
	wait = mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ none) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
)

// serve returns a client of a server whose tasks are in a store.
func serve(t *testing.T, store tasks.Store) *mcp.Client {
	t.Helper()
	runner := tasks.New(&tasks.Options{Store: store, Log: quiet, PollInterval: 20 * time.Millisecond})
	t.Cleanup(func() { must(t, runner.Close()) })
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Tasks: runner, Log: quiet})
	must(t, srv.Err())
	must(t, srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{ask, wait}}))
	o := mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{}, errors.New("the test answers by itself")
	}}
	tasks.Declare(&o)
	return mcptest.Connect(t, srv, &o)
}

func start(t *testing.T, c *mcp.Client, tool string) string {
	t.Helper()
	task, err := tasks.Start(t.Context(), c, tool, none{}, nil)
	must(t, err)
	return task.ID()
}

// becomes waits until a task has a status.
func becomes(t *testing.T, task *tasks.Task, want tasks.Status) (info tasks.Info) {
	t.Helper()
	eventually(t, "the task", func() (err error) {
		if info, err = task.Get(t.Context()); err == nil && info.Status != want {
			err = fmt.Errorf("it is %s, want %s", info.Status, want)
		}
		return err
	})
	return info
}

// Answers and cancellations at one machine reach the work at the other, also over a
// restart of NATS.
func TestTwoRunners(t *testing.T) {
	server := natstest.Start(t)
	o := natstasks.Options{Timeout: 5 * time.Second}
	here, there := serve(t, open(t, server, o)), serve(t, open(t, server, o))
	for _, restart := range []bool{false, true} {
		asked, waiting := tasks.Open(there, start(t, here, "ask")), tasks.Open(there, start(t, here, "wait"))
		becomes(t, asked, tasks.InputRequired)
		if restart {
			server.Stop()
			server.Restart(t)
		}
		becomes(t, asked, tasks.InputRequired)
		must(t, asked.Answer(t.Context(), map[string]json.RawMessage{"who": json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`)}))
		info := becomes(t, asked, tasks.Completed)
		if result, err := info.Result(); err != nil || !strings.Contains(fmt.Sprint(result.Blocks()), "hello Ada") {
			t.Errorf("answered elsewhere: %v", err)
		}
		must(t, waiting.Cancel(t.Context()))
		becomes(t, waiting, tasks.Cancelled)
	}
}

// brief is a store in which a runner lives for a moment only after its word, so that a
// test need not wait for half a minute.
type brief struct{ tasks.Store }

func (b brief) Beat(ctx context.Context, owner string, _ time.Time) error {
	return b.Store.Beat(ctx, owner, time.Now().Add(5*time.Second))
}

// TestProcess is the other process of TestStore_ProcessKilled.
func TestProcess(t *testing.T) {
	url := os.Getenv(processVariable)
	if url == "" {
		t.Skip("it is for another test")
	}
	nc, err := nats.Connect(url)
	must(t, err)
	store, err := natstasks.New(t.Context(), nc, nil)
	must(t, err)
	c := serve(t, brief{store})
	fmt.Printf("\ntask %s\n", start(t, c, "wait"))
	<-t.Context().Done()
}

// The tasks of a killed process have failed when its lease has expired.
func TestStore_ProcessKilled(t *testing.T) {
	server := natstest.Start(t)
	program, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestProcess$", "-test.timeout=100s")
	cmd.Env = append(os.Environ(), processVariable+"="+server.URL())
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var id string
	lines := bufio.NewScanner(out)
	for id == "" && lines.Scan() {
		id, _ = strings.CutPrefix(lines.Text(), "task ")
		if id == lines.Text() {
			id = ""
		}
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if id == "" {
		t.Fatal("it has begun no task")
	}
	task := tasks.Open(serve(t, open(t, server, natstasks.Options{})), id)
	if info := becomes(t, task, tasks.Failed); info.Err == nil || !strings.Contains(info.Err.Error(), "ended before") {
		t.Errorf("it has failed with %v", info.Err)
	}
}
