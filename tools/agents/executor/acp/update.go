package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

const (
	maxSaying = 256 << 10 // bytes of one message of the assistant
	maxPlan   = 1 << 10   // bytes of the current step of a plan
)

// update is the parameter update of session/update. Its fields belong to different kinds.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Message string          `json:"messageId"`
	Content json.RawMessage `json:"content"` // one block, or a list of blocks in a tool call
	Entries []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
	Cost struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// update handles session/update. It returns false if the kind or the session is unknown.
func (t *talk) update(params json.RawMessage, tell func(executor.Event)) bool {
	var about struct {
		sessionParams
		Update json.RawMessage `json:"update"`
	}
	var u update
	if json.Unmarshal(params, &about) != nil || json.Unmarshal(about.Update, &u) != nil {
		return false
	}
	own := t.session != "" && about.Session == t.session
	switch u.Kind {
	case "available_commands_update", "current_mode_update", "config_option_update", "session_info_update", "user_message_chunk":
		return true
	case "usage_update":
		if own && strings.EqualFold(u.Cost.Currency, "USD") {
			t.cost = max(t.cost, u.Cost.Amount)
		}
		return own
	}
	if !own { // session/load repeats the earlier updates of the session before its response
		return t.session == "" && t.p.spec.Resume != "" && about.Session == t.p.spec.Resume
	}
	if !t.prompting {
		return true // an update of an earlier turn
	}
	e := executor.Event{Session: t.session}
	switch u.Kind {
	case "agent_message_chunk":
		t.chunk(u, tell)
		return true
	case "agent_thought_chunk":
		e.Kind, e.Text = executor.Thinking, blockText(u.Content)
	case "plan":
		e.Kind, e.Text = executor.Thinking, u.plan()
	case "tool_call", "tool_call_update":
		t.flush(tell)
		t.tools.update(about.Update, t.p.spec.Servers, func(e executor.Event) { e.Session = t.session; tell(e) })
		return true
	default:
		return false
	}
	t.flush(tell)
	tell(e)
	return true
}

// chunk appends text to the current message and reports it as Delta. A new message ID ends
// the message before.
func (t *talk) chunk(u update, tell func(executor.Event)) {
	text := blockText(u.Content)
	if u.Message != t.message {
		t.flush(tell)
		t.message = u.Message
	}
	if text == "" {
		return
	}
	t.saying.WriteString(pull.Clip(text, maxSaying-t.saying.Len()))
	tell(executor.Event{Kind: executor.Delta, Session: t.session, Text: text})
}

// flush ends the current message and reports it as Said: programs send only chunks, and
// never the complete message.
func (t *talk) flush(tell func(executor.Event)) {
	if t.saying.Len() == 0 {
		return
	}
	t.last = t.saying.String()
	t.saying.Reset()
	tell(executor.Event{Kind: executor.Said, Session: t.session, Text: t.last})
}

// blockText returns the text of a content block.
func blockText(raw json.RawMessage) string {
	var c content
	_ = json.Unmarshal(raw, &c) // an invalid block has no text
	return c.words()
}

// plan summarizes a plan: the number of completed steps and the current step.
func (u *update) plan() string {
	now, done := "", 0
	for _, e := range u.Entries {
		switch {
		case e.Status == "completed":
			done++
		case now == "" || e.Status == "in_progress":
			now = e.Content
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d of %d steps are done. %s", done, len(u.Entries), pull.Clip(now, maxPlan)))
}
