package codex

import (
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Decoder converts the lines that the Codex CLI prints with exec --json to events. A
// Decoder serves one run and is not safe for concurrent use.
//
// An unknown kind of event or item becomes an event Unknown, because releases of the
// program add kinds.
type Decoder struct {
	open map[string]struct{} // IDs of tool calls without an end
	last string              // last message of the assistant
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder { return &Decoder{open: make(map[string]struct{})} }

// maxLast limits Decoder.last, in bytes.
const maxLast = 256 << 10

// message contains the members of one line.
type message struct {
	kind    string
	session string
	item    item
	wrong   string
	usage   *record.Usage
}

// Decode reports the events of a line. It returns false if the line is not an event. See
// command.Decoder.
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

// member reads one member of a line.
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

// event reports the events of a line, or returns false if its kind is unknown.
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
	case "error": // the program may retry the request
		tell(executor.Event{Kind: executor.Line, Text: pull.Clip(plain(m.wrong), pull.MaxUnknown)})
	case "item.started", "item.updated", "item.completed":
		return d.item(m.kind, &m.item, tell)
	default:
		return false
	}
	return true
}

// item reports the events of an item, or returns false if its kind is unknown.
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

// maxOpen limits Decoder.open.
const maxOpen = 1024

// call reports the start and the end of a tool call. Some builds do not report the start of
// some kinds; the first report of a call then starts it.
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

// wrong reads an error: a string, or an object with a message.
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

// plain returns an error text for people. Some errors contain the JSON response of the
// service; plain returns the message in it.
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

// usage reads the numbers of tokens since the start of the session; nil if the value is not
// an object.
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
	// The program counts cached tokens as input, too.
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0)
	return u
}
