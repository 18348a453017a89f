package specification

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/transport"
)

func TestKuromajutsu(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the recorded agents need a Unix system")
	}
	s := &subject{t: t, dir: t.TempDir(), joint: true, extra: []string{"cancel_agent", "get_agent_output", "send_followup"}}
	s.connect(transport.Command{Path: program(t, "kuromajutsu"), Env: environ(t, "FAKEAGENT_SPEED=0"), Args: []string{
		"-root", s.dir, "-port", "0", "-no-token", "-agent-stagger_ms", "0", "-agent-cursor-program", program(t, "fakeagent"),
	}}, nil)
	roles := func() (ids []any) {
		ids, _ = lookUp([]any{any(s.mustMembers("list_roles", nil))}, "roles[].id")
		return ids
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		available, _ := lookUp([]any{any(s.mustMembers("list_roles", nil))}, "roles[].available")
		if len(available) == 4 && !slices.Contains(available, any(false)) {
			break
		}
	}
	group := s.mustMembers("create_group", map[string]any{"description": "work"})["groupId"]
	run := func(prompt string) any {
		return s.mustMembers("run_agent", map[string]any{"groupId": group, "role": "impl-code", "prompt": prompt})["agentId"]
	}
	agent := run("Do it. [fake:normal]")
	s.mustMembers("wait_agent", map[string]any{"agentIds": []any{agent}})
	reported := run("Do it. [fake:normal]")
	s.mustMembers("wait_agent", map[string]any{"agentIds": []any{reported}})
	empty := s.mustMembers("create_group", map[string]any{"description": "none"})["groupId"]
	s.samples = []sample{
		{"create_group", map[string]any{"description": "more"}},
		{"delete_group", map[string]any{"groupId": empty}},
		{"run_agent", map[string]any{"groupId": group, "role": "impl-code", "prompt": "Do it. [fake:normal]"}},
		{"wait_agent", map[string]any{"agentIds": []any{agent}}},
		{"list_agents", nil},
		{"report_result", map[string]any{"agentId": reported, "status": "success", "summary": "Done."}},
		{"get_agent_status", map[string]any{"agentId": reported}},
		{"list_roles", nil},
	}
	matches := func(id any, pattern string) error {
		return expect(regexp.MustCompile(pattern).MatchString(fmt.Sprint(id)), id)
	}
	s.checks = map[string]check{
		"behaviour the form of a group id":  func(row) error { return matches(group, `^grp-\d{10}-[0-9a-f]{4,}$`) },
		"behaviour the form of an agent id": func(row) error { return matches(agent, `^impl-code-\d{10}-[0-9a-f]{4,}$`) },
		"behaviour run_agent in an unknown group": func(row) error {
			return s.fails("run_agent", map[string]any{"groupId": "grp-0", "role": "impl-code", "prompt": "x"})(row{name: "UNKNOWN_GROUP"})
		},
		"behaviour run_agent with an unknown role": func(row) error {
			return s.fails("run_agent", map[string]any{"groupId": group, "role": "none", "prompt": "x"})(row{name: "UNKNOWN_ROLE"})
		},
		"behaviour run_agent takes no model": func(row) error {
			return s.fails("run_agent", map[string]any{"groupId": group, "role": "impl-code", "prompt": "x", "model": "m"})(row{name: "INVALID_PARAMS"})
		},
		"error GROUP_BUSY": func(r row) error {
			busy := s.mustMembers("create_group", map[string]any{"description": "busy"})["groupId"]
			running := s.mustMembers("run_agent", map[string]any{"groupId": busy, "role": "impl-code", "prompt": "Do it. [fake:silent]"})["agentId"]
			err := s.fails("delete_group", map[string]any{"groupId": busy})(r)
			s.mustMembers("cancel_agent", map[string]any{"agentId": running})
			return err
		},
	}
	for _, r := range readTable(t, "kuromajutsu.tsv") {
		if role, ok := strings.CutPrefix(r.name, "role "); ok {
			s.checks["behaviour "+r.name] = func(row) error { return expect(slices.Contains(roles(), any(role)), roles()) }
		}
	}
	s.run("kuromajutsu.tsv", nil)
}
