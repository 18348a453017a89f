package claude

import (
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Decoder converts the lines that Claude Code prints with --output-format stream-json to
// events. A Decoder serves one run and is not safe for concurrent use.
//
// An unknown kind of event becomes an event Unknown, and an unknown tool a tool call,
// because releases of the program add both.
type Decoder struct {
	open map[string]opened // tool calls without an end, by ID
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder { return &Decoder{open: make(map[string]opened)} }

// message contains the members of one line.
type message struct {
	kind, subtype  string
	session, model string
	result, wrong  string
	failed         bool
	nested         bool // the line belongs to an agent that this agent has started
	blocks         []block
	delta          block
	patch          patch
	usage          *record.Usage
	cost           float64
}

// block is a content block of a message.
type block struct {
	kind     string // "text", "thinking", "tool_use", "tool_result"
	text     string
	id, name string
	input    []byte // JSON; a part of the line
	failed   bool
}

// Decode reports the events of a line. It returns false if the line is not an event. See
// command.Decoder.
func (d *Decoder) Decode(line []byte, tell func(executor.Event)) bool {
	var m message
	if !pull.Line(line, m.member) || m.kind == "" {
		return false
	}
	if !d.event(&m, tell) {
		tell(executor.Event{Kind: executor.Unknown, Session: m.session, Text: pull.Unknown(line)})
	}
	return true
}

// member reads one member of a line.
func (m *message) member(s *pull.Scanner, key []byte) {
	switch string(key) {
	case "type":
		m.kind = s.Name()
	case "subtype":
		m.subtype = s.Name()
	case "session_id":
		m.session = s.Name()
	case "model":
		m.model = s.Name()
	case "parent_tool_use_id":
		m.nested = s.Text() != ""
	case "message":
		m.blocks = blocks(s)
	case "event":
		m.delta = delta(s)
	case "tool_use_result", "toolUseResult":
		m.patch.read(s)
	case "result":
		m.result = s.Text()
	case "error":
		m.wrong = s.Text()
	case "errors":
		s.Array(func() {
			if text := s.Text(); m.wrong == "" {
				m.wrong = text
			}
		})
	case "is_error":
		m.failed = s.Bool()
	case "total_cost_usd":
		m.cost = s.Float()
	case "usage":
		m.usage = usage(s)
	default:
		s.Skip()
	}
}

// event reports the events of a line, or returns false if its kind is unknown.
func (d *Decoder) event(m *message, tell func(executor.Event)) bool {
	switch {
	case m.kind == "system" && m.subtype == "init":
		tell(executor.Event{Kind: executor.Init, Session: m.session, Model: m.model})
	case m.kind == "assistant" || m.kind == "user":
		d.message(m, tell)
	case m.kind == "stream_event":
		if m.delta.text != "" && !m.nested {
			tell(executor.Event{Kind: map[string]executor.Kind{"text": executor.Delta, "thinking": executor.Thinking}[m.delta.kind], Session: m.session, Text: m.delta.text})
		}
	case m.kind == "result":
		tell(m.end())
	default:
		return false
	}
	return true
}

// message reports the content blocks of a message.
func (d *Decoder) message(m *message, tell func(executor.Event)) {
	for _, b := range m.blocks {
		e := executor.Event{Session: m.session, Text: b.text}
		switch {
		case b.kind == "tool_use":
			e.Kind, e.Text, e.Tool = executor.ToolStarted, "", d.start(b)
		case b.kind == "tool_result":
			e.Kind, e.Text, e.Tool = executor.ToolCompleted, "", d.complete(b, &m.patch)
		case m.nested, b.text == "":
			continue // texts of nested agents are not reported
		case b.kind == "thinking":
			e.Kind = executor.Thinking
		case b.kind == "text" && m.kind == "user":
			e.Kind, e.Text = executor.Prompted, ""
		case b.kind == "text":
			e.Kind = executor.Said
		default:
			continue
		}
		tell(e)
	}
}

// end returns the event Finished.
func (m *message) end() executor.Event {
	e := executor.Event{Kind: executor.Finished, Session: m.session, Text: m.result, Failed: m.failed || m.subtype != "success", Usage: m.usage}
	if m.cost > 0 {
		if e.Usage == nil {
			e.Usage = new(record.Usage)
		}
		e.Usage.CostUSD = m.cost
	}
	if e.Failed && e.Text == "" {
		e.Text = m.wrong
		if words, ok := ends[m.subtype]; ok && e.Text == "" {
			e.Text = words
		} else if e.Text == "" {
			e.Text = "it ended with " + m.subtype
		}
	}
	return e
}

// ends are failure messages for the subtypes of the result.
var ends = map[string]string{
	"error_max_turns":        "the agent reached its limit of turns",
	"error_max_budget_usd":   "the agent reached its budget",
	"error_during_execution": "the agent failed during the execution",
}

// blocks reads the content of a message: a string, or a list of blocks.
func blocks(s *pull.Scanner) []block {
	var all []block
	s.Object(func(key []byte) {
		switch {
		case string(key) != "content":
			s.Skip()
		case s.Peek() == '"':
			all = append(all, block{kind: "text", text: s.Text()})
		default:
			s.Array(func() { all = append(all, part(s)) })
		}
	})
	return all
}

// part reads a content block.
func part(s *pull.Scanner) block {
	var b block
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			b.kind = s.Name()
		case "text", "thinking":
			b.text = s.Text()
		case "id", "tool_use_id":
			b.id = s.Name()
		case "name":
			b.name = s.Name()
		case "input":
			b.input = s.Raw()
		case "content":
			b.text = answer(s)
		case "is_error":
			b.failed = s.Bool()
		default:
			s.Skip()
		}
	})
	return b
}

// answer reads the first text of a tool's result, of at most pull.MaxError bytes.
func answer(s *pull.Scanner) (text string) {
	if s.Peek() == '"' {
		return pull.Clip(s.Text(), pull.MaxError)
	}
	s.Array(func() {
		s.Object(func(key []byte) {
			if string(key) == "text" && text == "" {
				text = pull.Clip(s.Text(), pull.MaxError)
			} else {
				s.Skip()
			}
		})
	})
	return text
}

// delta reads the text of a partial message.
func delta(s *pull.Scanner) block {
	var b block
	s.Object(func(key []byte) {
		if string(key) != "delta" {
			s.Skip()
			return
		}
		s.Object(func(key []byte) {
			switch string(key) {
			case "text", "thinking":
				b.kind, b.text = string(key), s.Text()
			default:
				s.Skip()
			}
		})
	})
	return b
}

// usage reads the numbers of tokens; nil if the value is not an object.
func usage(s *pull.Scanner) *record.Usage {
	if s.Peek() != '{' {
		s.Skip()
		return nil
	}
	u := new(record.Usage)
	s.Object(func(key []byte) {
		switch string(key) {
		case "input_tokens":
			u.InputTokens = s.Int()
		case "output_tokens":
			u.OutputTokens = s.Int()
		case "cache_read_input_tokens":
			u.CacheReadTokens = s.Int()
		case "cache_creation_input_tokens":
			u.CacheWriteTokens = s.Int()
		default:
			s.Skip()
		}
	})
	return u
}
