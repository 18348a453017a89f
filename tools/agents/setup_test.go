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

// The test program stands in for the Cursor CLI, and for the server of an agent.
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

// act is what a fake agent does. Its end is that of the agent.
type act func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)

// stage is an executor whose agents do what their prompts name.
type stage struct {
	name string

	mu      sync.Mutex
	acts    map[string]act
	specs   []executor.Spec
	running int
	most    int // that were running at once
}

func (s *stage) Name() string { return s.name }

func (s *stage) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "auto"}}, nil
}

func (s *stage) Close() error { return nil }

func (s *stage) Run(ctx context.Context, spec executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
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

// on says what agents do whose prompts have a word.
func (s *stage) on(word string, play act) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts[word] = play
}

// spec is what an agent was given.
func (s *stage) spec(t testing.TB, agentID string) executor.Spec {
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

// order is which agents were run, in order.
func (s *stage) order() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, spec := range s.specs {
		ids = append(ids, spec.AgentID)
	}
	return ids
}

// succeed is an agent that says something and ends.
func succeed(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID, Model: "Fake 1"})
	tell(executor.Event{Kind: executor.Said, Text: "Done."})
	tell(executor.Event{Kind: executor.Finished, Text: "All is well.Done.", Usage: &record.Usage{InputTokens: 1000, OutputTokens: 100}})
	return executor.Exit{Finished: true}, nil
}

// linger is an agent that begins and goes on until it is ended.
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

// until is an agent that succeeds once a channel is closed.
func until(gate <-chan struct{}) act {
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

// crew is a set in a project, with what it was made of.
type crew struct {
	*agents.Agents
	stage  *stage
	memory *record.Memory
	dir    string
}

// newCrew makes a set whose agents are fake. Options that are nil are the usual ones of tests.
func newCrew(t testing.TB, o agents.Options) crew {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newCrewIn(t, dir, o)
}

func newCrewIn(t testing.TB, dir string, o agents.Options) crew {
	t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	c := crew{stage: &stage{name: "fake", acts: map[string]act{"linger": linger, "fail": fail}}, dir: dir}
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

// group makes a group.
func (c crew) group(t testing.TB) string {
	t.Helper()
	g, err := c.CreateGroup(t.Context(), agents.GroupArgs{Description: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return g.GroupID
}

// run orders an agent.
func (c crew) run(t testing.TB, args agents.RunArgs) string {
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

// status is what is known of an agent.
func (c crew) status(t testing.TB, id string) agents.StatusResult {
	t.Helper()
	s, err := c.Status(t.Context(), agents.StatusArgs{AgentID: id})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// end waits for the end of agents.
func (c crew) end(t testing.TB, ids ...string) agents.WaitResult {
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

// await waits until an agent is in a state.
func (c crew) await(t testing.TB, id string, want record.Status) agents.StatusResult {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if s := c.status(t, id); s.Status == want {
			return s
		} else if time.Now().After(deadline) {
			t.Fatalf("%s is %s, want %s", id, s.Status, want)
		}
	}
}

// said is the text of an error with its code.
func said(err error) string {
	return fmt.Sprintf("%s: %v", security.CodeOf(err), err)
}

// eventsOf are the events about an agent so far.
func (c crew) eventsOf(t testing.TB, id string) []record.Event {
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
