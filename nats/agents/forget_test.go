package agents_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	natsagents "github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// crowd makes a group with agents that have ended, but for the first.
func crowd(t *testing.T, s *natsagents.Store, group string, created time.Time, agents int) {
	t.Helper()
	must(t, s.CreateGroup(t.Context(), record.Group{ID: group, Status: record.GroupActive, CreatedAt: created}))
	for i := range agents {
		a := record.Agent{ID: fmt.Sprintf("%s-%d", group, i), GroupID: group, Status: record.Completed, CreatedAt: created}
		if i == 0 {
			a.Status = record.Running
		}
		must(t, s.CreateAgent(t.Context(), a))
	}
}

// there returns the agents of a store, the agents that its groups name, and the number of groups.
func there(t *testing.T, s *natsagents.Store) (agents, named []string, groups int) {
	t.Helper()
	page, err := s.Agents(t.Context(), record.Query{})
	must(t, err)
	for _, a := range page.Agents {
		agents = append(agents, a.ID)
	}
	all, err := s.Groups(t.Context(), true)
	must(t, err)
	for _, g := range all {
		named = append(named, g.AgentIDs...)
	}
	slices.Sort(named)
	return agents, named, len(all)
}

// Ended agents beyond the limits of number and age are removed, and running agents are not.
func TestStore_RemoveOldAgents(t *testing.T) {
	server := natstest.Start(t)
	now, year := time.Now(), time.Now().AddDate(-1, 0, 0)
	for name, test := range map[string]struct {
		o      natsagents.Options
		want   []string
		groups int
	}{
		"too old":  {natsagents.Options{MaxAgents: 5, Age: time.Hour}, []string{"a-0", "b-0", "b-1", "c-0"}, 3},
		"too many": {natsagents.Options{MaxAgents: 3, Age: 10 * 365 * 24 * time.Hour}, []string{"a-0", "b-0", "c-0"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			o := small()
			o.MaxAgents, o.Age = test.o.MaxAgents, test.o.Age
			s := open(t, server, o)
			crowd(t, s, "a", year, 3)
			crowd(t, s, "deleted", year, 0)
			_, err := s.UpdateGroup(t.Context(), "deleted", func(g *record.Group) error {
				g.Status = record.GroupDeleted
				return nil
			})
			must(t, err)
			crowd(t, s, "empty", year, 0)
			crowd(t, s, "b", now, 2)
			crowd(t, s, "c", now, 1)
			v, err := s.Serve(t.Context())
			must(t, err)
			defer func() { must(t, v.Close()) }()
			until(t, "what is old is removed", func() bool {
				agents, named, groups := there(t, s)
				return slices.Equal(agents, test.want) && slices.Equal(named, test.want) && groups == test.groups
			})
			must(t, s.CreateAgent(t.Context(), record.Agent{ID: "b-9", GroupID: "b", Status: record.Queued, CreatedAt: now}))
			if g, err := s.Group(t.Context(), "b"); err != nil || !slices.Contains(g.AgentIDs, "b-9") {
				t.Errorf("afterwards a group is %+v, %v", g, err)
			}
		})
	}
}
