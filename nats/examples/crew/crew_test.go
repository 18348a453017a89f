package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	lease = 30 * time.Second
	slots = 8
	// many is how many agents are ordered at once.
	many = 500
)

// crewRoles are run by a program that is begun twice if need be, and by one that is not.
const crewRoles = `roles:
  - {id: again, name: Again, model: auto, systemPrompt: Work., healthCheckPrompt: Hello, executor: again}
  - {id: once, name: Once, model: auto, systemPrompt: Work., healthCheckPrompt: Hello, executor: once}
`

// site is three NATS servers, a runner at each of them, and a server that orders.
type site struct {
	*testing.T
	nats    *natstest.Cluster
	dir     string
	runners map[string]*process
	store   *agents.Store
	*server
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, nats: natstest.StartCluster(t, 3), dir: t.TempDir(), runners: make(map[string]*process)}
	nc, err := nats.Connect(s.nats.URL(0), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if s.store, err = agents.New(t.Context(), nc, &agents.Options{Prefix: "crew", Replicas: 3, Lease: lease, MaxOutputBytes: 256 << 20}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.store.Close() })
	config := filepath.Join(t.TempDir(), "roles.yaml")
	s.write(config, crewRoles, 0o600)
	// The script in front of the agent counts its starts.
	s.write(filepath.Join(s.dir, "agent.sh"), fmt.Sprintf("#!/bin/sh\n[ \"$1\" = models ] || echo x >>%s/begun\nexec %s \"$@\"\n", s.dir, agent), 0o700)
	_, found := start(t, "server", append(s.common("serve", 0), "-no-token", "-listen", "127.0.0.1:0", "-dashboard", "127.0.0.1:0", "-config", config,
		"-executor", "again=cursor*2", "-executor", "once=cursor", "-concurrent", fmt.Sprint(4*slots)), `url=(http\S+)`, `page=(http\S+)`)
	s.server = connect(t, found[0], found[1])
	for i, name := range []string{"r0", "r1", "r2"} {
		s.runners[name], _ = start(t, name, append(s.common("run", i), "-name", name, "-slots", fmt.Sprint(slots), "-cursor", filepath.Join(s.dir, "agent.sh"), "-state", t.TempDir()), `INFO ready`)
	}
	return s
}

func (s *site) common(what string, node int) []string {
	return []string{what, "-nats", s.nats.URL(node), "-root", s.dir, "-replicas", "3", "-lease", lease.String(), "-max-output", fmt.Sprint(256 << 20)}
}

func (s *site) write(name, text string, mode os.FileMode) {
	s.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		s.Fatal(err)
	}
}

// begun is how often an agent was begun.
func (s *site) begun() int {
	data, err := os.ReadFile(filepath.Join(s.dir, "begun"))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return strings.Count(string(data), "x")
}

// Runners die and lose their connections while their agents work, and the dashboard shows the end of each agent. Then there is
// much to do.
func TestCrew(t *testing.T) {
	s := newSite(t)
	team := s.group()
	// Two agents of each kind at each runner, or nearly, since any free runner takes an agent.
	const each = 12
	var again, once []string
	for range each {
		again = append(again, s.order(team, "again", "[fake:working file="+s.dir+"/go]"))
		once = append(once, s.order(team, "once", "[fake:working file="+s.dir+"/go]"))
	}
	at := make(map[string]string)
	for _, id := range append(again[:each:each], once...) {
		a := s.await(id, "running", func(a record.Agent) bool { return a.Status == record.Running && a.ToolCallCount == 1 })
		if a.Attempt != 1 || s.runners[a.Runner] == nil {
			t.Errorf("%s is attempt %d on %q", id, a.Attempt, a.Runner)
		}
		at[id] = a.Runner
	}
	lost := func(id string) bool { return at[id] != "r0" }
	s.runners["r1"].kill()
	s.nats.Cut(2)
	cut := time.Now()
	for _, id := range once { // which have failed then
		if !lost(id) {
			continue
		}
		a := s.await(id, "lost", func(a record.Agent) bool { return a.Status.Ended() })
		if a.Outcome != record.Failed || !a.Lost || a.Attempt != 1 || !strings.Contains(a.Error, at[id]) {
			t.Errorf("%s is %+v", id, a)
		}
	}
	for _, id := range again {
		if lost(id) {
			s.await(id, "begun again", func(a record.Agent) bool { return a.Attempt == 2 })
		}
	}
	t.Logf("lost after %v", time.Since(cut))
	s.nats.Heal(2)
	s.write(filepath.Join(s.dir, "go"), "", 0o600)
	begun := 2 * each
	for _, id := range append(again[:each:each], once...) {
		a := s.await(id, "ended", func(a record.Agent) bool { return a.Status.Ended() })
		switch {
		case lost(id) && a.Role == "once":
			continue
		case lost(id):
			begun++
		}
		if want := map[bool]int{true: 2, false: 1}[lost(id)]; a.Outcome != record.Completed || a.Attempt != want || a.Lost || a.Result.Summary != "It is built." {
			t.Errorf("%s is %+v", id, a)
		}
	}
	if n := s.begun(); n != begun {
		t.Errorf("agents were begun %d times, want %d", n, begun)
	}
	s.runners["r1"], _ = start(t, "r1 again", append(s.common("run", 1), "-name", "r1", "-slots", fmt.Sprint(slots), "-cursor", filepath.Join(s.dir, "agent.sh"), "-state", t.TempDir()), `INFO ready`)
	s.much(team, begun)
}

// much orders many agents, which all runners run, in all of their slots.
func (s *site) much(team string, before int) {
	began := time.Now()
	var ordering group.Group
	const clients = 10
	for range clients {
		ordering.Go(func() {
			for range many / clients {
				s.order(team, "again", "[fake:working file="+s.dir+"/all]")
			}
		})
	}
	ordering.Wait()
	ordered := time.Since(began)
	var history struct {
		Agents []record.Agent
		Total  int
	}
	until(s.T, "every slot is busy, and all others wait", func() bool {
		s.get("/api/history?status=running&limit=1", &history)
		running := history.Total
		s.get("/api/history?status=queued&limit=1", &history)
		return running == 3*slots && history.Total == many-3*slots
	})
	s.write(filepath.Join(s.dir, "all"), "", 0o600)
	until(s.T, "all have ended", func() bool {
		s.get("/api/history?status=queued&status=running&limit=1", &history)
		return history.Total == 0
	})
	s.Logf("%d agents ordered in %v, and ended after %v", many, ordered, time.Since(began))
	s.get("/api/history?status=completed&limit=1&text=/all", &history)
	if history.Total != many {
		s.Errorf("%d have completed, want %d", history.Total, many)
	}
	if n := s.begun(); n != before+many {
		s.Errorf("agents were begun %d times, want %d", n-before, many)
	}
	until(s.T, "all runners are known to have run as many agents at once as they have slots", func() bool {
		states, err := s.store.Runners(s.Context())
		if err != nil {
			return false
		}
		full := make(map[string]bool)
		for _, r := range states {
			if r.Peak > slots {
				s.Fatalf("%s has run %d at once", r.Name, r.Peak)
			}
			full[r.Name] = full[r.Name] || r.Peak == slots
		}
		return full["r0"] && full["r1"] && full["r2"]
	})
}
