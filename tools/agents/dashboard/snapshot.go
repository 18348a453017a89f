package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// snapshot is the complete state of a page at an event.
type snapshot struct {
	Type string       `json:"type"` // "snapshot"
	Seq  int64        `json:"seq"`
	Data snapshotData `json:"data"`
}

type snapshotData struct {
	Server   serverInfo                  `json:"server"`
	Writable bool                        `json:"writable"`
	Groups   []record.Group              `json:"groups"`
	Agents   []record.Agent              `json:"agents"`
	Roles    []roleRow                   `json:"roles"`
	Models   map[string][]executor.Model `json:"models"`
	Health   health.Progress             `json:"health"`
}

type serverInfo struct {
	Name          string    `json:"name"`
	Version       string    `json:"version"`
	StartedAt     time.Time `json:"startedAt"`
	URL           string    `json:"url"`
	MaxConcurrent int       `json:"maxConcurrent"`
	Language      string    `json:"language"`
	// Now is the time of the server, on which the page bases displayed times.
	Now time.Time `json:"now"`
}

// roleRow is a role with its health as one JSON object: the members of the role, and "state".
type roleRow struct {
	roles.Role
	state *health.State
}

// MarshalJSON implements json.Marshaler.
func (r roleRow) MarshalJSON() ([]byte, error) {
	role, err := json.Marshal(r.Role)
	if err != nil || r.state == nil {
		return role, err
	}
	state, err := json.Marshal(r.state)
	if err != nil {
		return nil, err
	}
	role = append(role[:len(role)-1], `,"state":`...)
	return append(append(role, state...), '}'), nil
}

// snapshot returns the first message of a page. Events during its creation follow it, and may
// repeat its content.
func (d *Dashboard) snapshot(ctx context.Context, writable bool) (*snapshot, error) {
	seq, err := d.o.Events.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	s := &snapshot{Type: "snapshot", Seq: seq, Data: snapshotData{
		Server:   serverInfo{d.o.Name, d.o.Version, d.started, d.URL(false), d.o.MaxConcurrent, d.o.Language, time.Now().UTC()},
		Writable: writable,
		Roles:    d.roles(),
		Models:   map[string][]executor.Model{},
	}}
	if d.o.Health != nil {
		s.Data.Models, s.Data.Health = d.o.Health.AllModels(), d.o.Health.Progress()
	}
	groups, err := d.o.Store.Groups(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("reading the groups: %w", err)
	}
	s.Data.Groups = list(groups)
	s.Data.Agents, err = d.visibleAgents(ctx, groups)
	return s, err
}

// visibleAgents returns the agents of the groups, and active agents of other groups.
func (d *Dashboard) visibleAgents(ctx context.Context, groups []record.Group) ([]record.Agent, error) {
	shown := []record.Agent{}
	active := make(map[string]bool, len(groups))
	for _, g := range groups {
		active[g.ID] = true
		page, err := d.o.Store.Agents(ctx, record.Query{GroupID: g.ID})
		if err != nil {
			return nil, fmt.Errorf("reading the agents: %w", err)
		}
		for _, a := range page.Agents {
			shown = append(shown, a.Compact())
		}
	}
	page, err := d.o.Store.Agents(ctx, record.Query{Statuses: []record.Status{record.Queued, record.Blocked, record.Running}})
	if err != nil {
		return nil, fmt.Errorf("reading the agents: %w", err)
	}
	for _, a := range page.Agents {
		if !active[a.GroupID] {
			shown = append(shown, a.Compact())
		}
	}
	return shown, nil
}

// roles returns the roles with their health.
func (d *Dashboard) roles() []roleRow {
	rows := []roleRow{}
	if d.o.Roles == nil {
		return rows
	}
	states := make(map[string]*health.State)
	if d.o.Health != nil {
		for _, s := range d.o.Health.States() {
			states[s.ID] = &s
		}
	}
	for _, r := range d.o.Roles.Roles() {
		rows = append(rows, roleRow{r, states[r.ID]})
	}
	return rows
}
