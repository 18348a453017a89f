package health_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is an executor whose models respond after a delay.
type program struct {
	name  string
	takes time.Duration
	more  map[string]time.Duration // for some models

	answer string // default OK

	mu      sync.Mutex
	models  []string
	err     error // of Models
	broken  map[string]executor.Exit
	listed  int
	asked   []executor.Spec
	running int
	most    int
	seen    []string // problems with the directories
}

func (p *program) Name() string { return p.name }
func (p *program) Close() error { return nil }

func (p *program) Models(ctx context.Context) ([]executor.Model, error) {
	if err := sleep(ctx, 100*time.Millisecond); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed++
	var all []executor.Model
	for i, id := range p.models {
		all = append(all, executor.Model{ID: id, Name: strings.ToUpper(id), Default: i == 0})
	}
	return all, p.err
}

func (p *program) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	p.mu.Lock()
	p.asked = append(p.asked, s)
	p.running++
	p.most = max(p.most, p.running)
	exit, broken := p.broken[s.Model]
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) > 0 || !filepath.IsAbs(s.Dir) || !s.ReadOnly {
		p.seen = append(p.seen, s.Dir)
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running--
	}()
	if err := sleep(ctx, p.takes+p.more[s.Model]); err != nil {
		return executor.Exit{Signal: "SIGTERM"}, nil
	}
	if broken {
		return exit, nil
	}
	answer := cmp.Or(p.answer, "OK")
	tell(executor.Event{Kind: executor.Said, Text: answer})
	tell(executor.Event{Kind: executor.Finished, Text: answer})
	return executor.Exit{Finished: true}, nil
}

func (p *program) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// askedFor returns the models that were asked, sorted.
func (p *program) askedFor() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, s := range p.asked {
		all = append(all, s.Model)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// journal is a record.Log that keeps its events.
type journal struct {
	record.Log
	mu     sync.Mutex
	events []record.Event
	full   bool
}

func (j *journal) Append(_ context.Context, e record.Event) (record.Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.full {
		return e, errors.New("the log is full")
	}
	j.events = append(j.events, e)
	return e, nil
}

// told returns the events, one on each line.
func (j *journal) told() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all strings.Builder
	for _, e := range j.events {
		data := string(e.Data)
		if e.Type == record.HealthModelValidation || e.Type == record.HealthRoleComplete {
			data = ""
			if i := strings.Index(string(e.Data), `"id":"`); i >= 0 && e.Type == record.HealthRoleComplete {
				data, _, _ = strings.Cut(string(e.Data)[i+6:], `"`)
			}
		}
		all.WriteString(strings.TrimSpace(string(e.Type)+" "+data) + "\n")
	}
	return all.String()
}

// staff is a list of roles that tests change.
type staff struct {
	mu  sync.Mutex
	all []roles.Role
}

func (s *staff) roles() []roles.Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

func (s *staff) set(all ...roles.Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = all
}

func as(id, model string) roles.Role {
	return roles.Role{ID: id, Name: strings.ToUpper(id), Model: model, HealthCheckPrompt: "say OK"}
}

func settle(t *testing.T, c *health.Checker) {
	t.Helper()
	if err := c.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, c *health.Checker, id string) health.State {
	t.Helper()
	s, ok := c.State(id)
	if !ok {
		t.Fatalf("there is no role %s", id)
	}
	return s
}
