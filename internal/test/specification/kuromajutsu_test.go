package specification

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/transport"
)

// orchestra is a running kuromajutsu whose agents play recordings.
type orchestra struct {
	*subject
	env []string
	// calls is the directory with a file for each start of the Cursor CLI, which has its arguments and variables.
	calls string

	mu     sync.Mutex
	stderr []string
}

// newOrchestra starts kuromajutsu in a project with files.
func newOrchestra(t *testing.T, files map[string]string, env, flags []string) *orchestra {
	t.Helper()
	o := &orchestra{subject: &subject{t: t, dir: t.TempDir(), joint: true, extra: []string{"cancel_agent", "get_agent_output", "send_followup"}}, calls: t.TempDir()}
	o.write(files)
	agent := filepath.Join(t.TempDir(), "agent")
	script := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done > \"" + o.calls + "/$$\"\nprintf 'KEY %s\\nDIR %s\\n' \"$CURSOR_API_KEY\" \"$PWD\" >> \"" + o.calls + "/$$\"\nexec \"" + program(t, "fakeagent") + "\" \"$@\"\n"
	if err := os.WriteFile(agent, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	o.env = environ(t, append([]string{"FAKEAGENT_SPEED=0"}, env...)...)
	args := append([]string{"-root", o.dir, "-agent-stagger_ms", "0", "-agent-cursor-program", agent}, flags...)
	o.connect(transport.Command{Path: program(t, "kuromajutsu"), Env: o.env, Args: args, Stderr: func(line string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stderr = append(o.stderr, line)
	}}, nil)
	return o
}

// log returns standard error so far.
func (o *orchestra) log() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.stderr, "\n")
}

// address returns the address of the dashboard.
func (o *orchestra) address() string {
	o.t.Helper()
	at := regexp.MustCompile(`dashboard: (http://[^ #]+)`)
	o.await("the address of the dashboard", func() bool { return at.MatchString(o.log()) })
	return at.FindStringSubmatch(o.log())[1]
}

// token returns the token of the dashboard.
func (o *orchestra) token() string {
	o.t.Helper()
	cmd := exec.Command(program(o.t, "kuromajutsu"), "token", "-root", o.dir)
	cmd.Env = append(os.Environ(), o.env...)
	out, err := cmd.Output()
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// await polls a condition with calls of a tool in between.
func (o *orchestra) await(what string, met func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); {
		if time.Now().After(deadline) {
			o.t.Fatalf("waited for %s: %s", what, o.log())
		}
		o.mustMembers("list_roles", nil)
	}
}

// ready waits until the roles are checked.
func (o *orchestra) ready() {
	o.t.Helper()
	o.await("the roles", func() bool {
		states, _ := lookUp([]any{any(o.mustMembers("list_roles", nil))}, "roles[].healthCheck.status")
		return len(states) >= 4 && !slices.ContainsFunc(states, func(s any) bool { return s == "pending" || s == "running" })
	})
}

// group creates a group.
func (o *orchestra) group() any {
	o.t.Helper()
	return o.mustMembers("create_group", map[string]any{"description": "work"})["groupId"]
}

// start starts an agent that plays a recording.
func (o *orchestra) start(group any, recording string, more map[string]any) any {
	o.t.Helper()
	args := map[string]any{"groupId": group, "role": "impl-code", "prompt": "Do it. [fake:" + recording + "]"}
	maps.Copy(args, more)
	return o.mustMembers("run_agent", args)["agentId"]
}

// ended starts an agent, waits for its end and returns its status.
func (o *orchestra) ended(group any, recording string, more map[string]any) map[string]any {
	o.t.Helper()
	id := o.start(group, recording, more)
	o.mustMembers("wait_agent", map[string]any{"agentIds": []any{id}})
	return o.status(id)
}

// status returns the status of an agent.
func (o *orchestra) status(id any) map[string]any {
	o.t.Helper()
	return o.mustMembers("get_agent_status", map[string]any{"agentId": id})
}

// called returns whether a start of the Cursor CLI had lines in its record.
func (o *orchestra) called(lines ...string) error {
	files, err := filepath.Glob(filepath.Join(o.calls, "*"))
	if err != nil {
		return err
	}
	var all []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text := "\n" + string(content); containsAll(text, lines...) {
			return nil
		}
		all = append(all, string(content))
	}
	return fmt.Errorf("found %q", all)
}

func TestKuromajutsu(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the recorded agents need a Unix system")
	}
	s := newOrchestra(t, nil, []string{"CURSOR_API_KEY=the-key"}, []string{"-port", "0"})
	s.ready()
	group := s.group()
	agent := s.start(group, "normal", nil)
	s.mustMembers("wait_agent", map[string]any{"agentIds": []any{agent}})
	reported := s.start(group, "normal", nil)
	s.mustMembers("wait_agent", map[string]any{"agentIds": []any{reported}})
	crashed := s.ended(group, "crash", nil)
	empty := s.group()
	s.samples = []sample{
		{"create_group", map[string]any{"description": "more"}},
		{"delete_group", map[string]any{"groupId": empty}},
		{"run_agent", map[string]any{"groupId": group, "role": "impl-code", "prompt": "Do it. [fake:normal]"}},
		{"wait_agent", map[string]any{"agentIds": []any{agent}}},
		{"list_agents", nil},
		{"report_result", map[string]any{"agentId": reported, "status": "success", "summary": "Done."}},
		{"get_agent_status", map[string]any{"agentId": reported}},
		{"get_agent_status", map[string]any{"agentId": crashed["agentId"]}},
		{"list_roles", nil},
	}
	matches := func(id any, pattern string) error {
		return expect(regexp.MustCompile(pattern).MatchString(fmt.Sprint(id)), id)
	}
	s.checks = map[string]check{
		"behaviour the form of a group id":         func(row) error { return matches(group, `^grp-\d{10}-[0-9a-f]{4,}$`) },
		"behaviour the form of an agent id":        func(row) error { return matches(agent, `^impl-code-\d{10}-[0-9a-f]{4,}$`) },
		"behaviour run_agent in an unknown group":  s.failsAs("UNKNOWN_GROUP", "run_agent", map[string]any{"groupId": "grp-0", "role": "impl-code", "prompt": "x"}),
		"behaviour run_agent with an unknown role": s.failsAs("UNKNOWN_ROLE", "run_agent", map[string]any{"groupId": group, "role": "none", "prompt": "x"}),
		"behaviour run_agent takes no model":       s.failsAs("INVALID_PARAMS", "run_agent", map[string]any{"groupId": group, "role": "impl-code", "prompt": "x", "model": "m"}),
		"error UNKNOWN_AGENT":                      s.fails("get_agent_status", map[string]any{"agentId": "impl-code-0-0000"}),
		"error UNKNOWN_GROUP":                      s.fails("delete_group", map[string]any{"groupId": "grp-0"}),
		"error GROUP_BUSY": func(r row) error {
			busy := s.group()
			running := s.start(busy, "silent", nil)
			err := s.fails("delete_group", map[string]any{"groupId": busy})(r)
			s.mustMembers("cancel_agent", map[string]any{"agentId": running})
			return err
		},
	}
	for _, r := range readTable(t, "kuromajutsu.tsv") {
		if role, ok := strings.CutPrefix(r.name, "role "); ok {
			s.checks["behaviour "+r.name] = func(row) error {
				ids, _ := lookUp([]any{any(s.mustMembers("list_roles", nil))}, "roles[].id")
				return expect(slices.Contains(ids, any(role)), ids)
			}
		}
	}
	for _, more := range []map[string]check{s.agentChecks(), s.programChecks(), s.eventChecks(), s.roleChecks(), kuromajutsuSettings(t)} {
		maps.Copy(s.checks, more)
	}
	s.run("kuromajutsu.tsv", nil)
}

// agentChecks are the checks of the life of agents.
func (o *orchestra) agentChecks() map[string]check {
	group := o.group()
	lists := func(args map[string]any, ok func(agents []any) bool) check {
		return o.returns("list_agents", args, func(got map[string]any) bool { return ok(got["agents"].([]any)) })
	}
	allHave := func(member, value string, least int) func([]any) bool {
		return func(agents []any) bool {
			return len(agents) >= least && !slices.ContainsFunc(agents, func(a any) bool { return at(a, member) != value })
		}
	}
	// running calls test while an agent runs.
	running := func(test func(id any) error) check {
		return func(row) error {
			id := o.start(group, "silent", nil)
			o.await("a running agent", func() bool { return o.status(id)["status"] == "running" })
			err := test(id)
			o.mustMembers("cancel_agent", map[string]any{"agentId": id})
			return err
		}
	}
	ends := func(recording string, args map[string]any, status, verdict string) check {
		return func(row) error {
			got := o.ended(group, recording, args)
			return expect(got["status"] == status && at(got["result"], "status") == verdict, got)
		}
	}
	return map[string]check{
		"behaviour workingDirectory of run_agent": func(row) error {
			o.write(map[string]string{"below/x": ""})
			o.ended(group, "normal", map[string]any{"workingDirectory": "below"})
			return o.called("DIR ", "/below\n")
		},
		"behaviour run_agent without workingDirectory": func(row) error { return o.called("stream-json", "DIR ", "/"+filepath.Base(o.dir)+"\n") },
		"behaviour timeout_ms of run_agent":            ends("silent", map[string]any{"timeout_ms": 1000}, "timedOut", "timeout"),
		"behaviour list_agents with groupId":           lists(map[string]any{"groupId": group}, allHave("groupId", fmt.Sprint(group), 1)),
		"behaviour list_agents with status running": running(func(id any) error {
			return lists(map[string]any{"status": "running"}, func(agents []any) bool {
				return allHave("status", "running", 1)(agents) && slices.ContainsFunc(agents, func(a any) bool { return at(a, "agentId") == id })
			})(row{})
		}),
		"behaviour list_agents with status completed": lists(map[string]any{"status": "completed"}, func(agents []any) bool {
			return len(agents) > 0 && !slices.ContainsFunc(agents, func(a any) bool { return at(a, "status") != "completed" && at(a, "status") != "resultReported" })
		}),
		"behaviour list_agents with status failed": lists(map[string]any{"status": "failed"}, allHave("status", "failed", 1)),
		"behaviour wait_agent with mode any": running(func(id any) error {
			other := o.start(group, "normal", nil)
			return o.returns("wait_agent", map[string]any{"agentIds": []any{id, other}, "mode": "any"}, func(got map[string]any) bool {
				return len(got["completed"].([]any)) == 1 && got["timedOut"] == false && len(got["pending"].([]any)) == 1
			})(row{})
		}),
		"behaviour wait_agent with timeout_ms": running(func(id any) error {
			return o.returns("wait_agent", map[string]any{"agentIds": []any{id}, "timeout_ms": 100}, func(got map[string]any) bool {
				return got["timedOut"] == true && len(got["pending"].([]any)) == 1
			})(row{})
		}),
		"behaviour report_result after the end": func(row) error {
			got := o.ended(group, "normal", nil)
			o.mustMembers("report_result", map[string]any{"agentId": got["agentId"], "status": "success", "summary": "Done."})
			got = o.status(got["agentId"])
			return expect(got["status"] == "resultReported" && at(got["result"], "summary") == "Done.", got)
		},
		"behaviour the status of an agent that succeeds":       ends("normal", nil, "completed", "success"),
		"behaviour the status of an agent whose program fails": ends("failure", nil, "failed", "failure"),
		"behaviour an exit code of 0 without a result event":   ends("noresult", nil, "failed", "failure"),
		"behaviour a program that ends with another exit code": func(row) error {
			got := o.ended(group, "crash", nil)
			return expect(at(got["result"], "status") == "failure" && strings.Contains(fmt.Sprint(at(got["result"], "errorMessage")), "ConnectError"), got)
		},
		"behaviour files of writeToolCall events": func(row) error {
			got := o.ended(group, "edits", nil)
			return expect(strings.Contains(fmt.Sprint(at(got["result"], "createdFiles")), "greet.go") && got["toolCallCount"].(float64) > 0, got)
		},
		"behaviour a report and the stream together": func(row) error {
			got := o.ended(group, "report", nil)
			created := fmt.Sprint(at(got["result"], "createdFiles"))
			o.mustMembers("list_agents", nil)
			return expect(at(got["result"], "summary") == "One file was written." && strings.Contains(created, "report.txt"), got)
		},
		"behaviour a report of failure": func(row) error {
			got := o.ended(group, "normal", nil)
			o.mustMembers("report_result", map[string]any{"agentId": got["agentId"], "status": "failure", "summary": "No.", "errorMessage": "why"})
			got = o.status(got["agentId"])
			return expect(at(got["result"], "status") == "failure" && at(got["result"], "errorMessage") == "why", got)
		},
		"behaviour the status of a health check that has not ended": func(r row) error {
			early := newOrchestra(o.t, nil, []string{"FAKEAGENT_SPEED=1", "FAKEAGENT=silent"}, []string{"-port", "0"})
			states, _ := lookUp([]any{any(early.mustMembers("list_roles", nil))}, "roles[].healthCheck.status")
			return expect(!slices.ContainsFunc(states, func(s any) bool { return !hasType(s, r.spec) }), states)
		},
		"behaviour toolCallCount": func(row) error {
			got := o.ended(group, "edits", nil)
			calls, _ := got["recentToolCalls"].([]any)
			return expect(len(calls) > 1 && got["toolCallCount"] == float64(len(calls)), got)
		},
		"behaviour duration_ms of wait_agent": func(row) error {
			got := o.ended(group, "normal", nil)
			return o.returns("wait_agent", map[string]any{"agentIds": []any{got["agentId"]}}, func(waited map[string]any) bool {
				durations, _ := lookUp([]any{any(waited)}, "completed[].duration_ms")
				return len(durations) == 1 && durations[0] == at(got["result"], "duration_ms")
			})(row{})
		},
		"behaviour no report": func(row) error {
			got := o.ended(group, "normal", nil)
			return expect(at(got["result"], "summary") != "" && strings.Contains(fmt.Sprint(got["lastAssistantMessage"]), fmt.Sprint(at(got["result"], "summary"))), got)
		},
	}
}

// programChecks are the checks of the calls of the Cursor CLI.
func (o *orchestra) programChecks() map[string]check {
	return map[string]check{
		"behaviour arguments of the Cursor CLI": func(row) error {
			return o.called("\n-p\n", "\n--force\n", "\n--model\nclaude-4-sonnet\n", "\n--output-format\nstream-json\n", "\n--stream-partial-output\n")
		},
		"behaviour the prompt of the Cursor CLI": func(row) error { return o.called("\n-p\n", "\nDo it. [fake:normal]\n") },
		"behaviour the prompt of the Cursor CLI with agent.promptVia arg": func(row) error {
			other := newOrchestra(o.t, nil, nil, []string{"-port", "0", "-agent-prompt-via", "arg"})
			other.ready()
			other.ended(other.group(), "normal", nil)
			return errors.Join(other.called("\n-p\n", "\nHello, respond with exactly: OK\n"), other.called("\n-p\n", "\nあなたはコード実装の専門家です。", "結果を報告してください。\n\n", "Do it. [fake:normal]"))
		},
		"behaviour the models":                 func(row) error { return o.called("\nmodels\nKEY") },
		"behaviour the health check of a role": func(row) error { return o.called("\n-p\n", "--model\nclaude-4-sonnet\n", "ask") },
		"log the end of the health checks": func(row) error {
			return expect(regexp.MustCompile(`roles=4 available=4`).MatchString(o.log()), o.log())
		},
		"setting CURSOR_API_KEY": func(row) error { return o.called("stream-json", "KEY the-key\n") },
	}
}

// roleChecks are the checks of roles.
func (o *orchestra) roleChecks() map[string]check {
	t := o.t
	custom := newOrchestra(t, map[string]string{"kuromajutsu.config.yaml": "roles:\n" +
		"  - {id: impl-code, name: 実装, model: composer-2.5, systemPrompt: x, healthCheckPrompt: y, tools: []}\n" +
		"  - {id: code-review, name: コードレビュワー, model: invalid-model-name, systemPrompt: x, healthCheckPrompt: y, tools: []}\n"}, nil, []string{"-port", "0"})
	roleOf := func(o *orchestra, id string) map[string]any {
		for _, r := range o.mustMembers("list_roles", nil)["roles"].([]any) {
			if at(r, "id") == id {
				return r.(map[string]any)
			}
		}
		return nil
	}
	custom.await("the roles of the file", func() bool {
		status := at(roleOf(custom, "code-review"), "healthCheck.status")
		return status != "pending" && status != "running"
	})
	checks := map[string]check{
		"behaviour a role of the file": func(row) error {
			got := roleOf(custom, "impl-code")
			return expect(got["name"] == "実装" && got["model"] == "composer-2.5", got)
		},
		"behaviour run_agent with a role that is not available": custom.failsAs("ROLE_UNAVAILABLE", "run_agent", map[string]any{"groupId": custom.group(), "role": "code-review", "prompt": "x"}),
		"behaviour a role with an unknown model": func(row) error {
			got := roleOf(custom, "code-review")
			models, _ := at(got, "modelValidation.availableModels").([]any)
			return expect(got["available"] == false && at(got, "modelValidation.status") == "invalid" && strings.Contains(fmt.Sprint(at(got, "modelValidation.message")), "invalid-model-name") &&
				len(models) > 0 && at(got, "healthCheck.status") == "skipped" && hasType(at(got, "healthCheck.reason"), "string"), got)
		},
		"log a role with an unknown model": func(row) error {
			return expect(regexp.MustCompile(`(?m)level=WARN.*role=code-review.*invalid-model-name`).MatchString(custom.log()), custom.log())
		},
	}
	roles := openPage(t, o.address(), o.token()).snapshot["roles"].([]any)
	for _, r := range readTable(t, "kuromajutsu.tsv") {
		parts := strings.Split(r.name, ".")
		if len(parts) != 3 || parts[0] != "roles" {
			continue
		}
		checks["setting "+r.name] = func(r row) error {
			for _, role := range roles {
				if at(role, "id") == parts[1] {
					value := strings.ReplaceAll(fmt.Sprint(at(role, parts[2])), "\n", "")
					return expect(value == r.spec, value)
				}
			}
			return errors.New("there is no such role")
		}
	}
	return checks
}

// eventChecks are the checks of the WebSocket events of the dashboard.
func (o *orchestra) eventChecks() map[string]check {
	t := o.t
	p := openPage(t, o.address(), o.token())
	group := o.group()
	id := o.start(group, "normal", nil)
	o.mustMembers("wait_agent", map[string]any{"agentIds": []any{id}})
	o.mustMembers("report_result", map[string]any{"agentId": id, "status": "success", "summary": "Done."})
	o.mustMembers("delete_group", map[string]any{"groupId": group})
	events := p.collect("group:deleted")
	p.ask(map[string]any{"type": "health:run", "id": 2})
	checksOfRoles := p.collect("healthcheck:complete")
	roles, _ := p.snapshot["roles"].([]any)
	old := maps.Clone(roles[0].(map[string]any))
	delete(old, "state")
	changed := maps.Clone(old)
	changed["name"] = "実装担当"
	p.ask(map[string]any{"type": "config:update_role", "id": 3, "role": changed, "old": old})
	updates := p.collect("config:updated")
	p.ask(map[string]any{"type": "config:revalidate_model", "id": 4, "roleId": old["id"], "model": "no-such-model"})
	var validity message
	for validity.ID != 4 {
		validity = p.until("reply")
	}
	p.ask(map[string]any{"type": "config:update_role", "id": 5, "role": old, "old": changed})
	p.collect("config:updated")
	has := func(events []message, kind string, members map[string]string) check {
		return func(row) error {
			e, err := event(events, kind)
			if err != nil {
				return err
			}
			for member, want := range members {
				if !hasType(at(e.Data, member), want) {
					return fmt.Errorf("%s has no %s: %v", kind, member, e.Data)
				}
			}
			return expect(!e.At.IsZero(), e)
		}
	}
	inOrder := func(events []message, want string) error {
		var got []string
		for _, kind := range kinds(events) {
			if strings.Contains(want, kind) {
				got = append(got, kind)
			}
		}
		return expect(strings.Join(got, ", ") == want, got)
	}
	agent := map[string]string{"agentId": "string", "groupId": "string", "role": "string", "model": "string", "status": "string"}
	done := maps.Clone(agent)
	done["result"] = "object"
	groups := map[string]string{"id": "string", "description": "string", "status": "string", "createdAt": "time"}
	return map[string]check{
		"event server:startup": func(row) error {
			return expect(at(p.snapshot, "server.name") == "kuromajutsu" && hasType(at(p.snapshot, "server.version"), "string") && hasType(at(p.snapshot, "server.startedAt"), "time"), p.snapshot["server"])
		},
		"event healthcheck:model_validation": has(checksOfRoles, "healthcheck:model_validation", map[string]string{"roles": "array", "models": "object"}),
		"event healthcheck:role_start":       has(checksOfRoles, "healthcheck:role_start", map[string]string{"roleId": "string", "model": "string"}),
		"event healthcheck:role_complete":    has(checksOfRoles, "healthcheck:role_complete", map[string]string{"id": "string", "available": "boolean", "healthCheck": "object", "modelValidation": "object"}),
		"event healthcheck:complete":         has(checksOfRoles, "healthcheck:complete", map[string]string{"total": "number", "available": "number"}),
		"event the order of health checks": func(r row) error {
			return inOrder(checksOfRoles, "healthcheck:model_validation, healthcheck:role_start, healthcheck:role_complete, healthcheck:complete")
		},
		"event group:created":         has(events, "group:created", groups),
		"event group:deleted":         has(events, "group:deleted", groups),
		"event members of a group":    has(events, "group:deleted", map[string]string{"id": "string", "description": "string", "status": "enum deleted", "createdAt": "time", "agentIds": "array"}),
		"event agent:created":         has(events, "agent:created", agent),
		"event agent:status_update":   has(events, "agent:status_update", agent),
		"event agent:completed":       has(events, "agent:completed", done),
		"event agent:result_reported": has(events, "agent:result_reported", done),
		"event the order of an agent": func(r row) error { return inOrder(events, r.spec) },
		"event config:updated":        has(updates, "config:updated", map[string]string{"roles": "array"}),
		"event config:update_role": func(row) error {
			return expect(strings.Contains(o.read("kuromajutsu.config.yaml"), "コード実装者") && strings.Contains(fmt.Sprint(updates[len(updates)-1].Data), "実装担当"), updates)
		},
		"event config:revalidate_model": func(row) error { return expect(strings.Contains(fmt.Sprint(validity.Data), "invalid"), validity) },
		"behaviour rawOutput of a result": func(row) error {
			record, err := p.get("api/agents/" + fmt.Sprint(id))
			return errors.Join(err, expect(hasType(at(record, "result.rawOutput"), "string"), record))
		},
		"behaviour the dashboard": func(row) error {
			body, err := p.fetch("")
			return errors.Join(err, expect(strings.Contains(string(body), "<script"), string(body)))
		},
	}
}

// kuromajutsuSettings are the checks of settings: their defaults in the help, and their sources.
func kuromajutsuSettings(t *testing.T) map[string]check {
	help, err := exec.Command(program(t, "kuromajutsu"), "help", "flags").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(help)), " ")
	states := func(flag string) check {
		return func(r row) error {
			_, after, ok := strings.Cut(words, " "+flag+" ")
			after, _, _ = strings.Cut(after, " -")
			return expect(ok && strings.Contains(after, "(default "+r.spec+")"), after)
		}
	}
	// serves returns a check that the dashboard is at a free port, which the files and variables name in place of PORT and OTHER.
	serves := func(file string, env ...string) check {
		return func(row) error {
			port, other := strconv.Itoa(freePort(t)), strconv.Itoa(freePort(t))
			fill := strings.NewReplacer("PORT_", port, "OTHER_", other)
			files := map[string]string{"kuromajutsu.config.yaml": fill.Replace(file)}
			if file == "" {
				files = nil
			}
			for i := range env {
				env[i] = fill.Replace(env[i])
			}
			o := newOrchestra(t, files, env, nil)
			return expect(strings.Contains(o.address(), ":"+port+"/"), o.address())
		}
	}
	level := func(value string) check {
		return func(row) error {
			return exec.Command(program(t, "kuromajutsu"), "tools", "-log-level", value, "-root", t.TempDir()).Run()
		}
	}
	checks := map[string]check{
		"setting dashboard.port":            states("-dashboard-port"),
		"setting agent.defaultTimeout_ms":   states("-agent-default-timeout_ms"),
		"setting agent.maxConcurrent":       states("-agent-max-concurrent"),
		"setting log.level":                 states("-log-level"),
		"setting log.level none":            func(r row) error { return expect(level("none")(r) != nil, "no error") },
		"setting kuromajutsu.config.yaml":   serves("dashboard: {port: PORT_}\n"),
		"setting the file over the default": serves("dashboard: {port: PORT_}\n"),
		"setting a variable over the file":  serves("dashboard: {port: OTHER_}\n", "KUROMAJUTSU_PORT=PORT_"),
		"setting KUROMAJUTSU_PORT":          serves("", "KUROMAJUTSU_PORT=PORT_"),
		"setting KUROMAJUTSU_CONFIG": func(row) error {
			file := filepath.Join(t.TempDir(), "other.yaml")
			port := strconv.Itoa(freePort(t))
			if err := os.WriteFile(file, []byte("dashboard: {port: "+port+"}\n"), 0o600); err != nil {
				return err
			}
			o := newOrchestra(t, nil, []string{"KUROMAJUTSU_CONFIG=" + file}, nil)
			return expect(strings.Contains(o.address(), ":"+port+"/"), o.address())
		},
		"setting KUROMAJUTSU_LOG_LEVEL": func(row) error {
			o := newOrchestra(t, nil, []string{"KUROMAJUTSU_LOG_LEVEL=error"}, []string{"-port", "0"})
			o.ready()
			return expect(!strings.Contains(o.log(), "level=INFO"), o.log())
		},
		"setting the port of the container": func(r row) error {
			content, err := os.ReadFile("../../../examples/kuromajutsu/compose.yaml")
			return errors.Join(err, expect(strings.Contains(string(content), r.spec), string(content)))
		},
		"behaviour agent.defaultTimeout_ms": func(row) error {
			o := newOrchestra(t, map[string]string{"kuromajutsu.config.yaml": "agent: {defaultTimeout_ms: 1000}\n"}, nil, []string{"-port", "0"})
			o.ready()
			got := o.ended(o.group(), "silent", nil)
			return expect(got["status"] == "timedOut", got)
		},
		"behaviour agent.maxConcurrent": func(row) error {
			o := newOrchestra(t, map[string]string{"kuromajutsu.config.yaml": "agent: {maxConcurrent: 1}\n"}, nil, []string{"-port", "0"})
			o.ready()
			group := o.group()
			first, second := o.start(group, "silent", nil), o.start(group, "silent", nil)
			o.await("the first agent", func() bool { return o.status(first)["status"] == "running" })
			return expect(o.status(second)["status"] == "queued", o.status(second))
		},
	}
	for _, value := range []string{"debug", "info", "warn", "error"} {
		checks["setting log.level "+value] = level(value)
	}
	return checks
}

// freePort returns a port of the loopback interface that is free.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
