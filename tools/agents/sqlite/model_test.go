package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

// storePair is a database and a store in memory with the same content.
type storePair struct {
	t     *testing.T
	file  string
	delay time.Duration
	db    *sqlite.DB
	model *record.Memory
}

func (p *storePair) open() {
	db, err := sqlite.Open(p.t.Context(), p.file, sqlite.Options{WriteDelay: p.delay})
	must(p.t, err)
	p.db = db
}

// both calls both stores, whose results must be equal.
func (p *storePair) both(do func(record.Store) (any, error)) {
	p.t.Helper()
	got, err := do(p.db)
	want, wanted := do(p.model)
	for _, kind := range []error{record.ErrExists, record.ErrNotFound} {
		if errors.Is(err, kind) != errors.Is(wanted, kind) {
			p.t.Fatalf("the error is %v, want %v", err, wanted)
		}
	}
	g, broken := json.Marshal(got)
	w, brokenToo := json.Marshal(want)
	must(p.t, errors.Join(broken, brokenToo))
	if (err == nil) != (wanted == nil) || string(g) != string(w) {
		p.t.Fatalf("got %s, %v\nwant %s, %v", g, err, w, wanted)
	}
}

// After random operations and reopenings, a database equals a store in memory.
func TestDB_RandomOperations(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			p := &storePair{t: t, file: file(t), delay: []time.Duration{1, time.Hour}[seed%2], model: record.NewMemory(record.MemoryOptions{})}
			p.open()
			defer func() { must(t, errors.Join(p.db.Close(), p.model.Close())) }()
			for range 80 {
				p.step(random)
				p.both(func(s record.Store) (any, error) { return s.Agents(t.Context(), record.Query{}) })
				p.both(func(s record.Store) (any, error) { return s.Groups(t.Context(), true) })
				p.both(func(s record.Store) (any, error) { return s.Agent(t.Context(), "a1") })
			}
		})
	}
}

// step performs a random operation.
func (p *storePair) step(random *rand.Rand) {
	ctx := p.t.Context()
	statuses := []record.Status{record.Queued, record.Running, record.Completed, record.Failed, record.ResultReported}
	group, agent, status, n := fmt.Sprint("g", random.IntN(3)), fmt.Sprint("a", random.IntN(5)), statuses[random.IntN(5)], random.IntN(100)
	now := time.Now().UTC()
	switch random.IntN(12) {
	case 0:
		p.both(func(s record.Store) (any, error) {
			return nil, s.CreateGroup(ctx, record.Group{ID: group, Status: record.GroupActive, CreatedAt: now})
		})
	case 1:
		p.both(func(s record.Store) (any, error) {
			return s.UpdateGroup(ctx, group, func(g *record.Group) error { g.Status = record.GroupDeleted; return nil })
		})
	case 2, 3, 4:
		p.both(func(s record.Store) (any, error) {
			return nil, s.CreateAgent(ctx, record.Agent{ID: agent, GroupID: group, Status: status, Prompt: "p", CreatedAt: now})
		})
	case 5:
		p.both(func(s record.Store) (any, error) {
			return s.Agents(ctx, record.Query{Statuses: []record.Status{status}, Newest: n%2 == 0, Limit: n % 3})
		})
	case 6:
		must(p.t, p.db.Close())
		p.open()
	default:
		p.both(func(s record.Store) (any, error) {
			return s.UpdateAgent(ctx, agent, func(a *record.Agent) error {
				a.Status, a.ToolCallCount, a.Timeout = status, n, time.Duration(n)
				if n < 15 {
					return errors.New("refused")
				}
				return nil
			})
		})
	}
}
