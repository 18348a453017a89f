package worldtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// identifier matches names of parameters that take an id. Some other parameters take one, too.
var (
	identifier       = regexp.MustCompile(`(?:^id|_id|Id|ID|_ids|Ids|IDs)s?$`)
	otherIdentifiers = map[string]bool{"dependsOn": true, "session": true, "task": true, "process": true, "agent": true, "group": true}
)

// shared are parameters with ids that all principals share (of the project or the program), or that are looked up within the value
// of another parameter.
var shared = map[string]string{
	"occurrenceIds": "places in the text of files", "refactoringId": "a preview of changes of files", "fixId": "a fix of a diagnostic", "diagnosticId": "a diagnostic of a file",
	"jobId": "a run of tests in the one Unity editor", "chunkId": "a part of a file", "chunkIds": "parts of files", "threadId": "looked for in the session that sessionId names",
}

// thing is a kind of object that belongs to a principal.
type thing struct {
	create  func(t *testing.T, p person) string // creates one and returns its id
	alive   func(t *testing.T, p person, id string) bool
	unknown string // an id that never existed
}

func idOf(tool string, args map[string]any, member string) func(*testing.T, person) string {
	return func(t *testing.T, p person) string { return p.must(t, tool, args)[member].(string) }
}

// shows reports whether the result of a tool contains an id.
func shows(tool string) func(*testing.T, person, string) bool {
	return func(t *testing.T, p person, id string) bool {
		answer, _ := p.call(t, tool, nil)
		return strings.Contains(answer, id)
	}
}

var group = idOf("create_group", map[string]any{"description": "a group"}, "groupId")

func newAgent(t *testing.T, p person) string {
	return p.must(t, "list_agents", map[string]any{"groupId": groupWithAgent(t, p)})["agents"].([]any)[0].(map[string]any)["agentId"].(string)
}

// groupWithAgent creates a group with a running agent. A task would wait for its end.
func groupWithAgent(t *testing.T, p person) string {
	id := group(t, p)
	if _, err := tasks.Start(t.Context(), p.Client, "run_agent", map[string]any{"groupId": id, "role": "impl-code", "prompt": "work"}, nil); err != nil {
		t.Fatal(err)
	}
	return id
}

// works reports whether a running agent is listed.
func works(t *testing.T, p person, id string) bool {
	for _, agent := range p.must(t, "list_agents", nil)["agents"].([]any) {
		if a := agent.(map[string]any); a["agentId"] == id || a["groupId"] == id {
			return a["status"] == "running" || a["status"] == "queued"
		}
	}
	return false
}

var things = map[string]thing{
	"process": {idOf("execute_command", map[string]any{"command": "cat", "background": true, "waitMs": 0}, "processId"), shows("list_processes"), "p-zzzzzz"},
	"build":   {idOf("execute_build", map[string]any{"waitMs": 0}, "processId"), shows("list_processes"), "p-zzzzzz"},
	"agent":   {newAgent, works, "impl-code-1-0000"},
	"group":   {groupWithAgent, works, "grp-1-0000"},
	"session": {idOf("debug_start", map[string]any{"program": "a.fake", "waitMs": 0}, "sessionId"), shows("debug_status"), "d-zzzzzz"},
}

// uses maps parameters to the kind of their object, by tool and parameter, or by parameter alone.
var uses = map[string]string{
	"processId": "process", "execute_build.processId": "build", "agentId": "agent", "agentIds": "agent", "dependsOn": "agent", "groupId": "group", "sessionId": "session",
}

// others are arguments beside the id, with which a tool looks up the id.
var others = map[string]map[string]any{
	"run_agent.groupId": {"role": "impl-code", "prompt": "x"}, "send_followup.agentId": {"prompt": "x"}, "report_result.agentId": {"status": "success", "summary": "x"},
	"send_process_input.processId": {"input": "x"}, "debug_set_breakpoints.sessionId": {"breakpoints": []any{}}, "debug_evaluate.sessionId": {"expression": "x"}, "debug_step.sessionId": {"action": "over"},
	"debug_set_variable.sessionId": {"name": "x", "value": "1"}, "debug_wait.sessionId": {}, "wait_agent.agentIds": {"timeout_ms": 1},
}

// use is a parameter of a tool that takes an id.
type use struct {
	tool, parameter, thing string
	list                   bool
}

// identifiers returns the parameters of all tools that take ids.
func identifiers(t *testing.T, all []mcp.Tool) (found []use) {
	t.Helper()
	for _, tool := range all {
		var schema struct {
			Properties map[string]struct {
				Type any `json:"type"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		for name, property := range schema.Properties {
			if !identifier.MatchString(name) && !otherIdentifiers[name] || shared[name] != "" {
				continue
			}
			if tool.Name == "debug_start" && name == "processId" {
				continue // an id of the operating system: TestAttach_OfPrincipal
			}
			kind := uses[tool.Name+"."+name]
			if kind == "" {
				kind = uses[name]
			}
			if kind == "" {
				t.Errorf("the parameter %s of %s takes an id: say in this test what it names, or why all principals share it", name, tool.Name)
				continue
			}
			found = append(found, use{tool.Name, name, kind, fmt.Sprint(property.Type) == "array" || strings.Contains(fmt.Sprint(property.Type), "array")})
		}
	}
	slices.SortFunc(found, func(a, b use) int { return strings.Compare(a.tool+a.parameter, b.tool+b.parameter) })
	return found
}

func (u use) args(t *testing.T, p person, id string) map[string]any {
	args := maps.Clone(others[u.tool+"."+u.parameter])
	if args == nil {
		args = make(map[string]any)
	}
	args[u.parameter] = id
	if u.list {
		args[u.parameter] = []string{id}
	}
	if u.parameter == "dependsOn" {
		args["groupId"], args["role"], args["prompt"] = group(t, p), "impl-code", "x"
	}
	return args
}

// unknownCode matches the error codes for an unknown id.
var unknownCode = regexp.MustCompile(`UNKNOWN_(PROCESS|AGENT|GROUP|SESSION)|BAD_DEPENDENCY|NO_SESSION`)

func TestTools_OfAnotherPrincipal(t *testing.T) {
	srv := newServer(t)
	alice := connect(t, srv, "alice")
	all := alice.tools(t)
	found := identifiers(t, all)
	if len(found) < 20 {
		t.Errorf("%d parameters take ids", len(found))
	}
	var lists []string // tools without required arguments
	for _, tool := range all {
		if tool.Annotations != nil && tool.Annotations.ReadOnly != nil && *tool.Annotations.ReadOnly && (strings.HasPrefix(tool.Name, "list_") || strings.HasSuffix(tool.Name, "_status") || strings.Contains(tool.Name, "stat")) {
			lists = append(lists, tool.Name)
		}
	}
	ids := make(map[string]string)
	for kind, thing := range things {
		ids[kind] = thing.create(t, alice)
	}
	for _, name := range []string{"bob", "", "Alice", "ALICE", "alice/", "../alice", "alice\x00", "alice\n", " alice"} {
		bob := connect(t, srv, name)
		for _, tool := range lists {
			answer, _ := bob.call(t, tool, nil)
			for kind, id := range ids {
				if strings.Contains(answer, id) {
					t.Errorf("%s shows to %q the %s %s of another principal", tool, name, kind, id)
				}
			}
		}
		for _, u := range found {
			id, unknown := ids[u.thing], things[u.thing].unknown
			args := u.args(t, bob, id)
			got, _ := bob.call(t, u.tool, args)
			args[u.parameter] = u.args(t, bob, unknown)[u.parameter]
			want, _ := bob.call(t, u.tool, args)
			if strings.ReplaceAll(got, id, "ID") != strings.ReplaceAll(want, unknown, "ID") {
				t.Errorf("%s with the %s of another principal answers to %q\n%s\nand with none\n%s", u.tool, u.parameter, name, got, want)
			}
			if !unknownCode.MatchString(got) {
				t.Errorf("%s does not come to look for %s: %s", u.tool, u.parameter, got)
			}
			if !things[u.thing].alive(t, alice, id) {
				t.Fatalf("after %s by %q the %s of the owner is not there any more", u.tool, name, u.thing)
			}
		}
	}
	t.Logf("%d parameters of %d tools, %d lists", len(found), len(all), len(lists))
}

func TestTasks_OfAnotherPrincipal(t *testing.T) {
	srv := newServer(t)
	alice := connect(t, srv, "alice")
	task, err := tasks.Start(t.Context(), alice.Client, "run_agent", map[string]any{"groupId": group(t, alice), "role": "impl-code", "prompt": "work"}, nil)
	if err != nil || task.ID() == "" {
		t.Fatalf("%+v, %v", task, err)
	}
	for _, name := range []string{"bob", "", "Alice", "alice\x00"} {
		bob := connect(t, srv, name)
		for method, more := range map[string]string{"tasks/get": "", "tasks/cancel": "", "tasks/update": `,"inputResponses":{}`} {
			_, got := bob.Request(t.Context(), method, []byte(`{"taskId":"`+task.ID()+`"`+more+`}`), nil)
			_, want := bob.Request(t.Context(), method, []byte(`{"taskId":"never"`+more+`}`), nil)
			if got == nil || want == nil || got.Error() != want.Error() {
				t.Errorf("%s of %q answers %v, and for no task %v", method, name, got, want)
			}
		}
	}
	if info, err := task.Get(t.Context()); err != nil || info.Status != tasks.Working {
		t.Errorf("the task of its owner is %+v, %v", info, err)
	}
}

// Many principals create, list and end their own objects concurrently.
func TestTools_ManyPrincipals(t *testing.T) {
	srv := newServer(t)
	var all sync.WaitGroup
	for i := range 8 {
		p := connect(t, srv, strings.Repeat("a", i))
		all.Go(func() {
			for i := range 3 {
				id := p.must(t, "execute_command", map[string]any{"command": "cat", "background": true, "waitMs": 0})["processId"]
				if got := p.must(t, "list_processes", nil)["total"]; got != float64(i+1) {
					t.Errorf("%q has %v processes, want %d", p.name, got, i+1)
				}
				p.must(t, "kill_process", map[string]any{"processId": id, "force": true})
				works := group(t, p)
				p.must(t, "delete_group", map[string]any{"groupId": works})
			}
		})
	}
	all.Wait()
}

func TestAttach_OfPrincipal(t *testing.T) {
	srv := newServer(t)
	for principal, refused := range map[string]bool{"alice": true, "": false} {
		answer, _ := connect(t, srv, principal).call(t, "debug_start", map[string]any{"mode": "attach", "processId": os.Getppid(), "waitMs": 0})
		if strings.Contains(answer, "Only the user of this machine can attach") != refused {
			t.Errorf("%q: %s", principal, answer)
		}
	}
}
