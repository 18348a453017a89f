package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// permission responds to session/request_permission (section "Tool Calls", "Requesting
// Permission"). It selects the narrowest option that allows or rejects the call, and
// reports a rejected call as failed.
func (t *talk) permission(params json.RawMessage, tell func(executor.Event)) (any, *wireError) {
	var asked struct {
		Call    json.RawMessage    `json:"toolCall"`
		Options []permissionOption `json:"options"`
	}
	if json.Unmarshal(params, &asked) != nil {
		return nil, &wireError{Code: codeInvalidParams, Message: "expected toolCall and options"}
	}
	outcome := map[string]string{"outcome": "cancelled"}
	result := map[string]any{"outcome": outcome}
	if t.cancelled || !t.prompting {
		return result, nil
	}
	with := func(e executor.Event) { e.Session = t.session; tell(e) }
	t.flush(tell)
	c, _ := t.tools.note(asked.Call, t.p.spec.Servers, with)
	if c == nil {
		c = &call{kind: "other"}
	}
	kinds := []string{"allow_once", "allow_always"}
	why := t.forbidden(c)
	if why != "" {
		kinds = []string{"reject_once", "reject_always"}
	}
	for _, kind := range kinds {
		if i := slices.IndexFunc(asked.Options, func(o permissionOption) bool { return o.Kind == kind && o.ID != "" }); i >= 0 {
			outcome["outcome"], outcome["optionId"] = "selected", asked.Options[i].ID
			break
		}
	}
	if why == "" && outcome["outcome"] == "cancelled" {
		why = "the program offers no option that allows the call"
	}
	if why != "" && c.id != "" {
		t.tools.refuse(c, why, with)
	}
	return result, nil
}

// permissionOption is a response that the program offers.
type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// harmless are the kinds of tools that change nothing. They are allowed unless Spec.Tools
// denies them.
var harmless = []string{"read", "search", "think", "fetch"}

// forbidden returns the reason why a call is refused; empty if it is allowed. The package
// comment describes the rules.
func (t *talk) forbidden(c *call) string {
	kind := c.kind
	if len(c.edits) > 0 {
		kind = "edit"
	}
	s := &t.p.spec
	own := c.name != "" && len(c.edits) == 0 && kind == "other" // a tool of one of Spec.Servers
	switch denied := slices.Contains(s.Tools, "!"+kind); {
	case denied:
		return "the permissions of the agent deny tools of the kind " + kind
	case own || slices.Contains(harmless, kind):
		return ""
	case s.ReadOnly:
		return "this agent is read-only"
	case !s.Trust:
		return "this agent is not trusted"
	case allows(s.Tools) && !slices.Contains(s.Tools, kind):
		return "the permissions of the agent do not include tools of the kind " + kind
	}
	return ""
}

// allows reports whether permissions name an allowed kind. All other kinds are then
// refused.
func allows(tools []string) bool {
	return slices.ContainsFunc(tools, func(tool string) bool { return !strings.HasPrefix(tool, "!") })
}
