package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

const (
	maxSaying = 256 << 10 // bytes of one message
	maxPlan   = 1 << 10   // bytes of what is told of a plan
)

// update is what an agent tells of its session.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Message string          `json:"messageId"`
	Content json.RawMessage `json:"content"` // one block, or those of a call
	Entries []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
	Cost struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// update takes what an agent tells; false if it is not known, or of a session that is not its own.
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
	if !own { // what is told while a session is opened again is what was told before
		return t.session == "" && t.p.spec.Resume != "" && about.Session == t.p.spec.Resume
	}
	if !t.prompting {
		return true // it is of the past
	}
	e := executor.Event{Session: t.session}
	switch u.Kind {
	case "agent_message_chunk":
		t.chunk(u, tell)
		return true
	case "agent_thought_chunk":
		e.Kind, e.Text = executor.Thinking, wordsOf(u.Content)
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

// chunk tells a bit of what the agent says.
func (t *talk) chunk(u update, tell func(executor.Event)) {
	text := wordsOf(u.Content)
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

// flush ends what the agent is saying: programs do not repeat it as a whole.
func (t *talk) flush(tell func(executor.Event)) {
	if t.saying.Len() == 0 {
		return
	}
	t.last = t.saying.String()
	t.saying.Reset()
	tell(executor.Event{Kind: executor.Said, Session: t.session, Text: t.last})
}

// wordsOf is what a block of content says.
func wordsOf(raw json.RawMessage) string {
	var c content
	_ = json.Unmarshal(raw, &c) // what is none says nothing
	return c.words()
}

// plan is the step that is taken, and how many are done.
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
