package cursor

import (
	"hash/maphash"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Decoder reads the lines that the Cursor CLI prints with --output-format
// stream-json. It serves one run and is not used concurrently.
//
// What is not known is told as such, never refused: new kinds of events and tools
// come with any release.
type Decoder struct {
	// Whole says that the program was called without --stream-partial-output: each
	// text is a whole message, whatever else its event has.
	Whole bool

	seed  maphash.Seed
	files map[uint64]struct{} // that are known to have been there
}

// NewDecoder makes a Decoder.
func NewDecoder() *Decoder {
	return &Decoder{seed: maphash.MakeSeed(), files: make(map[uint64]struct{})}
}

// message is what a line says.
type message struct {
	kind, subtype    string
	session, model   string
	callID           string
	text             string // of an assistant, a user, or a thought
	result           string
	failed           bool
	stamped, flushed bool // it has timestamp_ms, model_call_id
	tool             *executor.Tool
	usage            *record.Usage
}

// Decode tells what a line says; false means that it is no event. See command.Decoder.
func (d *Decoder) Decode(line []byte, tell func(executor.Event)) bool {
	var m message
	object := pull.Line(line, func(s *pull.Scanner, key []byte) { d.member(s, &m, key) })
	if !object || m.kind == "" || m.kind == "error" {
		return false
	}
	if e := d.event(&m); e.Kind == executor.Unknown {
		e.Text = pull.Unknown(line)
		tell(e)
	} else if e.Kind != "" {
		tell(e)
	}
	return true
}

// member reads a member of an event.
func (d *Decoder) member(s *pull.Scanner, m *message, key []byte) {
	switch string(key) {
	case "type":
		m.kind = s.Name()
	case "subtype":
		m.subtype = s.Name()
	case "session_id":
		m.session = s.Name()
	case "model":
		m.model = s.Name()
	case "call_id":
		m.callID = s.Name()
	case "timestamp_ms":
		m.stamped = !null(s.Raw())
	case "model_call_id":
		m.flushed = !null(s.Raw())
	case "message":
		m.text = content(s)
	case "text":
		m.text = s.Text()
	case "result":
		m.result = s.Text()
	case "error":
		if text := s.Text(); m.result == "" {
			m.result = text
		}
	case "is_error":
		m.failed = s.Bool()
	case "usage":
		m.usage = usage(s)
	case "tool_call":
		m.tool = d.tool(s)
	default:
		s.Skip()
	}
}

// event makes of a line what is told of it; no kind: nothing.
func (d *Decoder) event(m *message) executor.Event {
	e := executor.Event{Kind: executor.Unknown, Session: m.session}
	switch m.kind {
	case "system":
		if m.subtype == "init" {
			e.Kind, e.Model = executor.Init, m.model
		}
	case "user":
		e.Kind = executor.Prompted
	case "thinking":
		e.Kind, e.Text = executor.Thinking, m.text
		if m.subtype == "completed" {
			e.Kind = ""
		}
	case "assistant":
		e.Kind, e.Text = d.said(m), m.text
	case "tool_call":
		if m.tool != nil {
			e.Kind, e.Tool = d.call(m), m.tool
		}
	case "result":
		e.Kind, e.Text, e.Usage = executor.Finished, m.result, m.usage
		e.Failed = m.failed || m.subtype != "success"
	}
	return e
}

// said tells what the text of an assistant is. With --stream-partial-output what
// is stamped comes bit by bit, and is repeated as a whole by an event with
// model_call_id before tools are called, and by one without a stamp in the end. Without the option there are only those two.
func (d *Decoder) said(m *message) executor.Kind {
	switch {
	case m.text == "":
		return ""
	case m.stamped && !m.flushed && !d.Whole:
		return executor.Delta
	}
	return executor.Said
}

// call completes a call of a tool.
func (d *Decoder) call(m *message) executor.Kind {
	m.tool.CallID = m.callID
	switch m.subtype {
	case "started":
		m.tool.Failed, m.tool.Error, m.tool.Changes, m.tool.Diff = false, "", nil, ""
		return executor.ToolStarted
	case "completed":
		return executor.ToolCompleted
	}
	return executor.Unknown
}

// content reads the text of a message.
func content(s *pull.Scanner) string {
	var parts []string
	s.Object(func(key []byte) {
		if string(key) != "content" {
			s.Skip()
			return
		}
		if s.Peek() == '"' {
			parts = append(parts, s.Text())
			return
		}
		s.Array(func() {
			s.Object(func(key []byte) {
				if string(key) == "text" {
					parts = append(parts, s.Text())
				} else {
					s.Skip()
				}
			})
		})
	})
	return strings.Join(parts, "")
}

func usage(s *pull.Scanner) *record.Usage {
	if s.Peek() != '{' {
		s.Skip()
		return nil
	}
	u := new(record.Usage)
	s.Object(func(key []byte) {
		n := s.Int()
		switch string(key) {
		case "inputTokens":
			u.InputTokens = n
		case "outputTokens":
			u.OutputTokens = n
		case "cacheReadTokens":
			u.CacheReadTokens = n
		case "cacheWriteTokens":
			u.CacheWriteTokens = n
		}
	})
	return u
}

func null(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }
