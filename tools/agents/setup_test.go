package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/replay"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// TestMain also runs the test program as the Cursor CLI and as the Child server of an agent.
func TestMain(m *testing.M) {
	process.Supervise()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "fakeagent":
			os.Exit(replay.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		case "child":
			os.Exit(serveChild())
		}
	}
	goleak.VerifyTestMain(m)
}

var _ tools.Set = (*agents.Agents)(nil)

// act is the behaviour of a fake agent. Its result is the exit of the agent.
type act func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)

// fakeExecutor runs the act whose word occurs in the prompt; succeed by default.
type fakeExecutor struct {
	name string

	mu      sync.Mutex
	acts    map[string]act
	specs   []executor.Spec
	running int
	most    int // highest value of running
}

func (s *fakeExecutor) Name() string { return s.name }

func (s *fakeExecutor) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "auto"}}, nil
}

func (s *fakeExecutor) Close() error { return nil }

func (s *fakeExecutor) Run(ctx context.Context, spec executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	s.mu.Lock()
	s.specs = append(s.specs, spec)
	s.running++
	s.most = max(s.most, s.running)
	var play act
	for word := range strings.FieldsSeq(spec.Prompt) {
		if play = s.acts[word]; play != nil {
			break
		}
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if play == nil {
		play = succeed
	}
	return play(ctx, spec, tell)
}

// on sets the act of prompts that contain a word.
func (s *fakeExecutor) on(word string, play act) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts[word] = play
}

// spec returns the order of an agent.
func (s *fakeExecutor) spec(t testing.TB, agentID string) executor.Spec {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, spec := range s.specs {
		if spec.AgentID == agentID {
			return spec
		}
	}
	t.Fatalf("%s was not run", agentID)
	return executor.Spec{}
}

// order returns the IDs of the agents in the order of their starts.
func (s *fakeExecutor) order() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, spec := range s.specs {
		ids = append(ids, spec.AgentID)
	}
	return ids
}

// succeed is an agent that sends a message and completes.
func succeed(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID, Model: "Fake 1"})
	tell(executor.Event{Kind: executor.Said, Text: "Done."})
	tell(executor.Event{Kind: executor.Finished, Text: "All is well.Done.", Usage: &record.Usage{InputTokens: 1000, OutputTokens: 100}})
	return executor.Exit{Finished: true}, nil
}

// linger is an agent that runs until it is ended.
func linger(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID})
	<-ctx.Done()
	return executor.Exit{Signal: "SIGTERM", Code: 143}, nil
}

// fail is an agent whose program fails.
func fail(_ context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init})
	return executor.Exit{Failed: true, Code: 1, Message: "it did not work out"}, nil
}

// succeedAfter is an agent that completes when a channel is closed.
func succeedAfter(gate <-chan struct{}) act {
	return func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID})
		select {
		case <-gate:
			return succeed(ctx, s, tell)
		case <-ctx.Done():
			return executor.Exit{Signal: "SIGTERM"}, nil
		}
	}
}

// book is a list of roles.
type book []roles.Role

func (b book) Roles() []roles.Role { return b }

func (b book) Role(id string) (roles.Role, bool) {
	for _, role := range b {
		if role.ID == id {
			return role, true
		}
	}
	return roles.Role{}, false
}

var usualRoles = book{
	{ID: "impl-code", Name: "コード実装者", Model: "auto", SystemPrompt: "You write code."},
	{ID: "code-review", Name: "コードレビュワー", Model: "auto", SystemPrompt: "You review code.", ReadOnly: true},
}

// fixture is a tool set in a temporary project, with its parts.
type fixture struct {
	*agents.Agents
	stage  *fakeExecutor
	memory *record.Memory
	dir    string
}

// newFixture returns a set with a fake executor. Unset options have the defaults of the tests.
func newFixture(t testing.TB, o agents.Options) fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newFixtureIn(t, dir, o)
}

func newFixtureIn(t testing.TB, dir string, o agents.Options) fixture {
	t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	c := fixture{stage: &fakeExecutor{name: "fake", acts: map[string]act{"linger": linger, "fail": fail}}, dir: dir}
	if o.Executors == nil {
		o.Executors = []executor.Executor{c.stage}
	}
	if o.Roles == nil {
		o.Roles = usualRoles
	}
	if o.Store == nil {
		c.memory = record.NewMemory(record.MemoryOptions{Dir: t.TempDir()})
		t.Cleanup(func() { c.memory.Close() })
		o.Store, o.Log, o.Outputs = c.memory, c.memory.Log(), c.memory.Outputs()
	}
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	if o.Stagger == 0 {
		o.Stagger = -1
	}
	c.Agents, err = agents.New(t.Context(), tools.Env{Root: root}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// group creates a group.
func (c fixture) group(t testing.TB) string {
	t.Helper()
	g, err := c.CreateGroup(t.Context(), agents.GroupArgs{Description: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return g.GroupID
}

// run orders an agent.
func (c fixture) run(t testing.TB, args agents.RunArgs) string {
	t.Helper()
	if args.GroupID == "" {
		args.GroupID = c.group(t)
	}
	if args.Role == "" {
		args.Role = "impl-code"
	}
	if args.Prompt == "" {
		args.Prompt = "do something"
	}
	r, err := c.Run(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	return r.AgentID
}

// status returns the status of an agent.
func (c fixture) status(t testing.TB, id string) agents.StatusResult {
	t.Helper()
	s, err := c.Status(t.Context(), agents.StatusArgs{AgentID: id})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// end waits for the end of agents.
func (c fixture) end(t testing.TB, ids ...string) agents.WaitResult {
	t.Helper()
	for {
		w, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		if !w.Slice {
			return w
		}
	}
}

// await waits until an agent has a status.
func (c fixture) await(t testing.TB, id string, want record.Status) agents.StatusResult {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if s := c.status(t, id); s.Status == want {
			return s
		} else if time.Now().After(deadline) {
			t.Fatalf("%s is %s, want %s", id, s.Status, want)
		}
	}
}

// errorText returns the text of an error with its code.
func errorText(err error) string {
	return fmt.Sprintf("%s: %v", security.CodeOf(err), err)
}

// eventsOf returns the events of an agent so far.
func (c fixture) eventsOf(t testing.TB, id string) []record.Event {
	t.Helper()
	last, err := c.memory.Log().Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []record.Event
	for e, err := range c.memory.Log().Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.AgentID == id {
			all = append(all, e)
		}
		if e.Seq == last {
			break
		}
	}
	return all
}

func decode[T any](t testing.TB, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
