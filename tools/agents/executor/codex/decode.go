package codex

import (
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Decoder reads the lines that the Codex CLI prints with exec --json. It serves one
// run and is not used concurrently.
//
// What is not known is told as such, never refused: new kinds of events and items
// come with any release.
type Decoder struct {
	open map[string]struct{} // calls of tools that have not ended
	last string              // what the agent has said last
}

// NewDecoder makes a Decoder.
func NewDecoder() *Decoder { return &Decoder{open: make(map[string]struct{})} }

// maxLast is how much is kept of what the agent has said last, in bytes.
const maxLast = 256 << 10

// message is what a line says.
type message struct {
	kind    string
	session string
	item    item
	wrong   string
	usage   *record.Usage
}

// Decode tells what a line says; false means that it is no event. See command.Decoder.
func (d *Decoder) Decode(line []byte, tell func(executor.Event)) bool {
	var m message
	if !pull.Line(line, m.member) || m.kind == "" {
		return false
	}
	if !d.event(&m, tell) {
		tell(executor.Event{Kind: executor.Unknown, Text: pull.Unknown(line)})
	}
	return true
}

// member reads a member of an event.
func (m *message) member(s *pull.Scanner, key []byte) {
	switch string(key) {
	case "type":
		m.kind = s.Name()
	case "thread_id":
		m.session = s.Name()
	case "item":
		m.item.read(s)
	case "message":
		m.wrong = s.Text()
	case "error":
		m.wrong = wrong(s)
	case "usage":
		m.usage = usage(s)
	default:
		s.Skip()
	}
}

// event tells what a line says, if it is known.
func (d *Decoder) event(m *message, tell func(executor.Event)) bool {
	switch m.kind {
	case "thread.started":
		tell(executor.Event{Kind: executor.Init, Session: m.session})
	case "turn.started":
		tell(executor.Event{Kind: executor.Prompted})
	case "turn.completed":
		tell(executor.Event{Kind: executor.Finished, Text: d.last, Usage: m.usage, Cumulative: m.usage != nil})
	case "turn.failed":
		text := plain(m.wrong)
		if text == "" {
			text = "the turn has failed"
		}
		tell(executor.Event{Kind: executor.Finished, Failed: true, Text: text})
	case "error": // the turn may go on: it is tried again
		tell(executor.Event{Kind: executor.Line, Text: pull.Clip(plain(m.wrong), pull.MaxUnknown)})
	case "item.started", "item.updated", "item.completed":
		return d.item(m.kind, &m.item, tell)
	default:
		return false
	}
	return true
}

// item tells of a thing that the agent does.
func (d *Decoder) item(stage string, i *item, tell func(executor.Event)) bool {
	e := executor.Event{Text: i.text}
	switch i.kind {
	case "agent_message":
		e.Kind, d.last = executor.Said, pull.Clip(i.text, maxLast)
	case "reasoning", "plan", "todo_list":
		e.Kind = executor.Thinking
	case "error": // a warning
		e.Kind, e.Text = executor.Line, pull.Clip(plain(i.text), pull.MaxUnknown)
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		d.call(stage, i, tell)
		return true
	default:
		return false
	}
	if stage == "item.completed" || i.kind == "todo_list" {
		tell(e)
	}
	return true
}

// maxOpen bounds the calls that are known to be at work.
const maxOpen = 1024

// call tells of a call of a tool. Builds differ in which kinds they tell the beginning of.
func (d *Decoder) call(stage string, i *item, tell func(executor.Event)) {
	_, open := d.open[i.id]
	if !open {
		tell(executor.Event{Kind: executor.ToolStarted, Tool: i.started()})
	}
	switch {
	case stage == "item.completed":
		delete(d.open, i.id)
		tell(executor.Event{Kind: executor.ToolCompleted, Tool: i.completed()})
	case !open && len(d.open) < maxOpen:
		d.open[i.id] = struct{}{}
	}
}

// wrong reads an error: an object with a message, or a text.
func wrong(s *pull.Scanner) (text string) {
	if s.Peek() == '"' {
		return s.Text()
	}
	s.Object(func(key []byte) {
		if string(key) == "message" {
			text = s.Text()
		} else {
			s.Skip()
		}
	})
	return text
}

// plain is an error for people: some come as the JSON that the service has answered.
func plain(text string) string {
	inner := ""
	pull.Line([]byte(text), func(s *pull.Scanner, key []byte) {
		switch string(key) {
		case "detail", "message":
			inner = s.Text()
		case "error":
			inner = wrong(s)
		default:
			s.Skip()
		}
	})
	if inner != "" {
		return inner
	}
	return text
}

// usage reads what a session has cost since its beginning.
func usage(s *pull.Scanner) *record.Usage {
	if s.Peek() != '{' {
		s.Skip()
		return nil
	}
	u := new(record.Usage)
	s.Object(func(key []byte) {
		n := max(s.Int(), 0)
		switch string(key) {
		case "input_tokens":
			u.InputTokens = n
		case "cached_input_tokens":
			u.CacheReadTokens = n
		case "cache_write_input_tokens":
			u.CacheWriteTokens = n
		case "output_tokens":
			u.OutputTokens = n
		}
	})
	// Those of the cache are among the input here.
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0)
	return u
}
