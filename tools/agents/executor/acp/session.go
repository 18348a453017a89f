package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// sessionParams are the parameters that each message about a session contains.
type sessionParams struct {
	Session string `json:"sessionId"`
}

// variable is an environment variable of an MCP server (EnvVariable of the protocol).
type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// server is an MCP server that the program starts and connects over standard streams
// (McpServerStdio of the protocol).
type server struct {
	Name    string     `json:"name"`
	Command string     `json:"command"`
	Args    []string   `json:"args"`
	Env     []variable `json:"env"`
}

// initialize sends the request initialize with the version and the capabilities of this
// client (section "Initialization").
func (t *talk) initialize() {
	t.call("initialize", map[string]any{
		"protocolVersion": version,
		"clientCapabilities": map[string]any{
			"fs":       map[string]bool{"readTextFile": t.offers, "writeTextFile": t.offers && !t.p.spec.ReadOnly},
			"terminal": false,
		},
		"clientInfo": map[string]string{"name": "dougu", "title": "Dougu", "version": "1"},
	}, t.initialized)
}

// filesIncompatible are programs, by agentInfo.name, that treat the error for a missing
// file as a failure and therefore cannot create files through the client. The client
// initializes them a second time, without the file capabilities.
var filesIncompatible = []string{"gemini-cli"}

// offers is the part of the initialize result that is used: protocol version, session
// capabilities, authentication methods and name.
type offers struct {
	Version int `json:"protocolVersion"`
	Agent   struct {
		Load     bool `json:"loadSession"`
		Sessions struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Logins []struct {
		ID string `json:"id"`
	} `json:"authMethods"`
	Info struct {
		Name string `json:"name"`
	} `json:"agentInfo"`
}

// initialized handles the response to initialize. It fails the run for another protocol
// version, and authenticates if Options.Login is set.
func (t *talk) initialized(result json.RawMessage, wrong *wireError, tell func(executor.Event)) {
	var o offers
	switch {
	case wrong != nil:
		t.fail("the program refused to initialize: "+wrong.String(), tell)
	case json.Unmarshal(result, &o) != nil:
		t.fail("the program reported no version of the protocol", tell)
	case o.Version != version:
		t.fail(fmt.Sprintf("the program speaks version %d of the protocol; only version %d is supported", o.Version, version), tell)
	case t.offers && slices.Contains(filesIncompatible, o.Info.Name):
		t.offers = false
		t.initialize()
	case t.p.o.Login == "":
		t.open(o, tell)
	default:
		t.call("authenticate", map[string]string{"methodId": t.p.o.Login}, func(_ json.RawMessage, wrong *wireError, tell func(executor.Event)) {
			if wrong != nil {
				t.fail(t.loginMessage(o, wrong), tell)
				return
			}
			t.open(o, tell)
		})
	}
}

// loginMessage returns the failure message for a missing login. It lists at most 20
// authentication methods of the program.
func (t *talk) loginMessage(o offers, wrong *wireError) string {
	var ways []string
	for _, l := range o.Logins[:min(len(o.Logins), 20)] {
		ways = append(ways, pull.Clip(l.ID, pull.MaxName))
	}
	text := loginWanted + ": " + wrong.String() + "; log in with the program itself"
	if len(ways) > 0 {
		text += ", or set Login to one of its authentication methods: " + strings.Join(ways, ", ")
	}
	return text
}

// open opens a session, or resumes the session Spec.Resume with session/resume or
// session/load (section "Session Setup"). It fails the run if the program supports neither.
func (t *talk) open(o offers, tell func(executor.Event)) {
	s := &t.p.spec
	servers := make([]server, 0, len(s.Servers))
	for _, given := range s.Servers {
		one := server{Name: given.Name, Command: given.Command, Args: append([]string{}, given.Args...), Env: []variable{}}
		for _, v := range given.Env {
			name, value, _ := strings.Cut(v, "=")
			one.Env = append(one.Env, variable{name, value})
		}
		servers = append(servers, one)
	}
	params := map[string]any{"cwd": s.Dir, "mcpServers": servers}
	method := "session/new"
	if s.Resume != "" {
		params["sessionId"] = s.Resume
		switch resume := string(o.Agent.Sessions.Resume); {
		case resume != "" && resume != "null" && resume != "false":
			method = "session/resume"
		case o.Agent.Load:
			method = "session/load"
		default:
			t.fail("the program cannot resume a session; start a new agent", tell)
			return
		}
	}
	t.call(method, params, func(result json.RawMessage, wrong *wireError, tell func(executor.Event)) {
		t.opened(o, result, wrong, tell)
	})
}

// opened handles the response to session/new, session/resume or session/load. It reports
// Init, ends a probe, or continues with the settings of the session.
func (t *talk) opened(offered offers, result json.RawMessage, wrong *wireError, tell func(executor.Event)) {
	var o opened
	switch {
	case wrong != nil && wrong.Code == codeLogin:
		t.fail(t.loginMessage(offered, wrong), tell)
		return
	case wrong != nil:
		t.fail("the program could not open a session: "+wrong.String(), tell)
		return
	}
	_ = json.Unmarshal(result, &o) // members of an unexpected type count as missing
	if t.session = o.Session; t.p.spec.Resume != "" {
		t.session = t.p.spec.Resume
	}
	if t.session == "" || len(t.session) > maxSession {
		t.session = ""
		t.fail("the program opened a session without a usable ID", tell)
		return
	}
	models := o.models()
	tell(executor.Event{Kind: executor.Init, Session: t.session, Model: pull.Clip(o.model(), pull.MaxName)})
	if t.p.probe {
		t.p.models = models
		t.end(executor.Event{Kind: executor.Finished}, tell)
		return
	}
	steps, problem := t.settings(&o, models)
	if problem != "" {
		t.fail(problem, tell)
		return
	}
	t.step(steps, tell)
}

// maxSession limits a session ID, in bytes.
const maxSession = 4096

// maxModels limits the number of models of one program.
const maxModels = 500

// models returns the selectable models: the values of the configuration option "model", or
// else the older list models.availableModels.
func (o *opened) models() []executor.Model {
	var all []executor.Model
	keep := func(id, name string) {
		if id != "" && len(id) <= pull.MaxName && len(all) < maxModels {
			all = append(all, executor.Model{ID: id, Name: pull.Clip(name, pull.MaxName), Current: id == o.model()})
		}
	}
	if c, ok := o.choice("model"); ok {
		for _, v := range c.values() {
			keep(v.Value, v.Name)
		}
		return all
	}
	for _, m := range o.Models.Available {
		keep(m.ID, m.Name)
	}
	return all
}

// model returns the ID of the session's current model; empty if the program does not report
// it.
func (o *opened) model() string {
	if c, ok := o.choice("model"); ok {
		var current string
		_ = json.Unmarshal(c.Current, &current)
		return current
	}
	return o.Models.Current
}

// step is a request that must succeed before the prompt is sent. doing names it in the
// failure message.
type step struct {
	method string
	params map[string]string
	doing  string
}

// settings returns the requests that set the mode and the model of the run. A non-empty
// problem is the reason why the model cannot be set.
func (t *talk) settings(o *opened, models []executor.Model) (steps []step, problem string) {
	if t.p.spec.ReadOnly {
		if s, ok := t.readOnly(o); ok {
			steps = append(steps, s)
		}
	}
	want := t.p.spec.Model
	if want == "" || want == o.model() || want == auto && !slices.ContainsFunc(models, func(m executor.Model) bool { return m.ID == auto }) {
		return steps, ""
	}
	s := step{"session/set_model", map[string]string{"sessionId": t.session, "modelId": want}, "selecting the model"}
	if c, ok := o.choice("model"); ok {
		s.method, s.params = "session/set_config_option", map[string]string{"sessionId": t.session, "configId": c.ID, "value": want}
	}
	if !slices.ContainsFunc(models, func(m executor.Model) bool { return m.ID == want }) {
		known := make([]string, 0, len(models))
		for _, m := range models[:min(len(models), 20)] {
			known = append(known, m.ID)
		}
		if len(known) == 0 {
			return nil, fmt.Sprintf("%s %q: the model of this program cannot be selected; use %q", modelUnknown, want, auto)
		}
		return nil, fmt.Sprintf("%s %q; available models: %s", modelUnknown, want, strings.Join(known, ", "))
	}
	return append(steps, s), ""
}

// readOnly returns the request that selects the first of Options.ReadOnlyModes that the
// session offers; ok is false if it offers none.
func (t *talk) readOnly(o *opened) (s step, ok bool) {
	const doing = "selecting a read-only mode"
	c, choices := o.choice("mode")
	for _, mode := range t.p.o.ReadOnlyModes {
		if choices && slices.ContainsFunc(c.values(), func(v option) bool { return v.Value == mode }) {
			return step{"session/set_config_option", map[string]string{"sessionId": t.session, "configId": c.ID, "value": mode}, doing}, true
		}
		for _, m := range o.Modes.Available {
			if m.ID == mode {
				return step{"session/set_mode", map[string]string{"sessionId": t.session, "modeId": mode}, doing}, true
			}
		}
	}
	return step{}, false
}

// step sends the requests one after the other, and then the prompt. The first error fails
// the run.
func (t *talk) step(steps []step, tell func(executor.Event)) {
	if len(steps) == 0 {
		t.prompt(tell)
		return
	}
	s := steps[0]
	t.call(s.method, s.params, func(_ json.RawMessage, wrong *wireError, tell func(executor.Event)) {
		if wrong != nil {
			t.fail(s.doing+" failed: "+wrong.String(), tell)
			return
		}
		t.step(steps[1:], tell)
	})
}

// prompt sends the prompt of the run and reports Prompted (section "Prompt Turn").
func (t *talk) prompt(tell func(executor.Event)) {
	text := t.p.spec.Prompt
	if strings.HasPrefix(strings.TrimSpace(text), "/") { // programs read a leading slash as a slash command
		text = "The task:\n" + text
	}
	t.prompting = true
	t.call("session/prompt", map[string]any{
		"sessionId": t.session, "prompt": []map[string]string{{"type": "text", "text": text}},
	}, t.prompted)
	tell(executor.Event{Kind: executor.Prompted, Session: t.session})
}

// stops are the failure messages for stop reasons other than end_turn.
var stops = map[string]string{
	"max_tokens":        "the model reached its token limit",
	"max_turn_requests": "the agent reached its limit of requests to the model",
	"refusal":           "the agent refused to continue",
	"cancelled":         "it was cancelled",
}

// prompted handles the response to session/prompt, which ends the run: it reports Finished
// with the last message and the token usage.
func (t *talk) prompted(result json.RawMessage, wrong *wireError, tell func(executor.Event)) {
	t.flush(tell)
	if wrong != nil {
		reason := wrong.String()
		if wrong.Code == codeLogin {
			reason = loginWanted + ": " + reason
		}
		t.fail(reason, tell)
		return
	}
	var end struct {
		Stop  string `json:"stopReason"`
		Usage *struct {
			Input      int64 `json:"inputTokens"`
			Output     int64 `json:"outputTokens"`
			CacheRead  int64 `json:"cachedReadTokens"`
			CacheWrite int64 `json:"cachedWriteTokens"`
		} `json:"usage"`
		Meta struct {
			Quota struct {
				Tokens *struct {
					Input  int64 `json:"input_tokens"`
					Output int64 `json:"output_tokens"`
				} `json:"token_count"`
			} `json:"quota"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(result, &end)
	e := executor.Event{Kind: executor.Finished, Text: t.last}
	if u := end.Usage; u != nil {
		e.Usage = &record.Usage{InputTokens: max(u.Input, 0), OutputTokens: max(u.Output, 0), CacheReadTokens: max(u.CacheRead, 0), CacheWriteTokens: max(u.CacheWrite, 0)}
	} else if u := end.Meta.Quota.Tokens; u != nil { // extension of the Gemini CLI
		e.Usage = &record.Usage{InputTokens: max(u.Input, 0), OutputTokens: max(u.Output, 0)}
	}
	if end.Stop != "end_turn" {
		e.Failed, e.Text = true, stops[end.Stop]
		if e.Text == "" {
			e.Text = fmt.Sprintf("the agent ended with the stop reason %q", pull.Clip(end.Stop, pull.MaxName))
		}
	}
	t.end(e, tell)
}
