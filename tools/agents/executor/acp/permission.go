package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// permission answers whether a call of a tool may be (tool calls, requesting permission).
func (t *talk) permission(params json.RawMessage, tell func(executor.Event)) (any, *wireError) {
	var asked struct {
		Call    json.RawMessage    `json:"toolCall"`
		Options []permissionOption `json:"options"`
	}
	if json.Unmarshal(params, &asked) != nil {
		return nil, &wireError{Code: codeInvalidParams, Message: "this asks for nothing that could be allowed"}
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
		why = "the program offers no way to allow it"
	}
	if why != "" && c.id != "" {
		t.tools.refuse(c, why, with)
	}
	return result, nil
}

// permissionOption is an answer that a program offers.
type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// harmless are the kinds of tools that change nothing.
var harmless = []string{"read", "search", "think", "fetch"}

// forbidden says why a call may not be; empty if it may.
func (t *talk) forbidden(c *call) string {
	kind := c.kind
	if len(c.edits) > 0 {
		kind = "edit"
	}
	s := &t.p.spec
	own := c.name != "" && len(c.edits) == 0 && kind == "other" // a tool of a server that it was given for this
	switch denied := slices.Contains(s.Tools, "!"+kind); {
	case denied:
		return "its permissions deny tools of the kind " + kind
	case own || slices.Contains(harmless, kind):
		return ""
	case s.ReadOnly:
		return "this agent is to read only"
	case !s.Trust:
		return "this agent may do nothing that has to be asked for"
	case allows(s.Tools) && !slices.Contains(s.Tools, kind):
		return "its permissions do not name tools of the kind " + kind
	}
	return ""
}

// allows says whether permissions name something that is allowed, and so deny all else.
func allows(tools []string) bool {
	return slices.ContainsFunc(tools, func(tool string) bool { return !strings.HasPrefix(tool, "!") })
}
