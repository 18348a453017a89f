package cursor

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
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

const maxFiles = 4096 // files that are remembered

const function = "function" // a call of a tool that the program has no kind for

// outcome is what the result of a tool says.
type outcome struct {
	variant       string // "success", "failure", "error", "rejected" …
	path, diff    string
	before, after bool // contents are told
	hadText       bool // the content before was not empty
	exit          int64
	signal        string
	said          string // words about a failure
	answered      string // what an MCP tool has answered
	failed        bool   // as an MCP tool says it
	timedOut      bool
}

// tool reads the call of a tool: an object with one member, whose name is the kind.
func (d *Decoder) tool(s *pull.Scanner) *executor.Tool {
	if s.Peek() != '{' {
		s.Skip()
		return nil
	}
	var t *executor.Tool
	s.Object(func(key []byte) {
		kind := string(key)
		if t != nil || kind != function && !strings.HasSuffix(kind, "ToolCall") || s.Peek() != '{' {
			s.Skip()
			return
		}
		t = d.kind(s, pull.Clip(kind, pull.MaxName))
	})
	if t == nil {
		t = &executor.Tool{Type: "unknown"}
	}
	return t
}

// kind reads the call of a tool of a kind.
func (d *Decoder) kind(s *pull.Scanner, kind string) *executor.Tool {
	t := &executor.Tool{Type: kind}
	var args []byte
	var o outcome
	s.Object(func(key []byte) {
		switch string(key) {
		case "args":
			args = s.Raw()
		case "result":
			o.read(s)
		case "name":
			t.Name = s.Name()
		case "arguments":
			args = s.Raw()
		default:
			s.Skip()
		}
	})
	path := describe(t, args)
	t.Failed, t.Error = o.failure()
	if o.path != "" {
		path = o.path
	}
	if o.variant == "success" && !t.Failed {
		d.changes(t, path, &o)
	}
	return t
}

// describe sets what the arguments of a call tell, and answers the file that it is about.
func describe(t *executor.Tool, args []byte) (path string) {
	switch {
	case len(args) > 0 && args[0] == '"': // JSON in a string
		text := pull.New(args).Text()
		if !json.Valid([]byte(text)) {
			return ""
		}
		t.Args = shorten([]byte(text), pull.MaxArgs)
		return ""
	case len(args) == 0 || args[0] != '{':
		return ""
	case t.Type == "mcpToolCall":
		describeMCP(t, args)
		return ""
	}
	t.Args = shorten(args, pull.MaxArgs)
	s := pull.New(args)
	s.Object(func(key []byte) {
		if string(key) == "path" {
			path = s.Text()
		} else {
			s.Skip()
		}
	})
	return path
}

// describeMCP reads the arguments of a call of an MCP tool, which hold those of the tool.
func describeMCP(t *executor.Tool, args []byte) {
	var full string
	s := pull.New(args)
	s.Object(func(key []byte) {
		switch string(key) {
		case "args":
			t.Args = shorten(s.Raw(), pull.MaxMCPArgs)
		case "toolName":
			t.Name = s.Name()
		case "providerIdentifier":
			t.Server = s.Name()
		case "name":
			full = s.Name()
		default:
			s.Skip()
		}
	})
	switch {
	case t.Name != "":
	case t.Server != "":
		t.Name = strings.TrimPrefix(full, t.Server+"-")
	default:
		t.Server, t.Name, _ = strings.Cut(full, "-")
		if t.Name == "" {
			t.Server, t.Name = "", full
		}
	}
}

// shorten is a copy of JSON with at most most bytes, or nothing.
func shorten(raw []byte, most int) json.RawMessage { return slices.Clone(command.Shorten(raw, most)) }

// read reads the result of a call: an object whose member names the variant.
func (o *outcome) read(s *pull.Scanner) {
	s.Object(func(key []byte) {
		variant := string(key)
		if variant == "isBackground" || o.variant == "success" {
			s.Skip()
			return
		}
		o.variant = pull.Clip(variant, pull.MaxName)
		if s.Peek() == '"' {
			o.said = pull.Clip(s.Text(), pull.MaxError)
			return
		}
		s.Object(func(key []byte) { o.member(s, key) })
	})
}

// member reads a member of any variant.
func (o *outcome) member(s *pull.Scanner, key []byte) {
	switch string(key) {
	case "path":
		o.path = s.Text()
	case "diffString":
		o.diff = pull.Clip(s.Text(), pull.MaxDiff)
	case "beforeFullFileContent":
		raw := s.Raw()
		o.before, o.hadText = !null(raw), len(raw) > len(`""`)
	case "afterFullFileContent":
		o.after = !null(s.Raw())
	case "exitCode":
		o.exit = s.Int()
	case "signal":
		o.signal = s.Name()
	case "timedOut":
		o.timedOut = s.Bool()
	case "isError":
		o.failed = s.Bool()
	case "content":
		o.answered = answer(s)
	case "reason", "errorMessage", "error", "message", "stderr":
		if text := pull.Clip(s.Text(), pull.MaxError); o.said == "" || string(key) != "stderr" {
			o.said = text
		}
	default:
		s.Skip()
	}
}

// answer reads the beginning of what an MCP tool has answered; files have a string there.
func answer(s *pull.Scanner) string {
	text := ""
	s.Array(func() {
		s.Object(func(key []byte) {
			switch {
			case string(key) != "text":
				s.Skip()
			case s.Peek() == '{':
				s.Object(func(key []byte) {
					if string(key) == "text" && text == "" {
						text = pull.Clip(s.Text(), pull.MaxError)
					} else {
						s.Skip()
					}
				})
			default:
				if got := pull.Clip(s.Text(), pull.MaxError); text == "" {
					text = got
				}
			}
		})
	})
	return text
}

// failure says whether a call has failed, and how.
func (o *outcome) failure() (failed bool, why string) {
	switch {
	case o.variant == "":
		return false, ""
	case o.failed:
		return true, tagged("the tool answered with an error", o.answered)
	case o.exit != 0:
		return true, tagged(fmt.Sprintf("exit code %d", o.exit), strings.TrimSpace(o.said))
	case o.signal != "":
		return true, "ended by " + o.signal
	case o.timedOut:
		return true, "it took too long"
	case o.variant == "success":
		return false, ""
	}
	return true, tagged(o.variant, strings.TrimSpace(o.said))
}

func tagged(what, words string) string {
	if words == "" {
		return what
	}
	return what + ": " + words
}

// changes sets which file a call has changed, and how.
func (d *Decoder) changes(t *executor.Tool, path string, o *outcome) {
	if path == "" || len(path) > 16*pull.MaxName || strings.ContainsRune(path, 0) {
		return
	}
	kind := ""
	switch t.Type {
	case "readToolCall":
		d.know(path)
		return
	case "editToolCall":
		kind = o.edited()
	case "writeToolCall": // it does not say what was there
		kind = created
		if d.knows(path) {
			kind = edited
		}
	case "deleteToolCall":
		kind = deleted
	default:
		return
	}
	t.Changes, t.Diff = []executor.FileChange{{Path: path, Kind: kind}}, o.diff
	if kind == deleted {
		delete(d.files, d.hash(path))
	} else {
		d.know(path)
	}
}

// The kinds of changes are those of record.Change.
const (
	created = "created"
	edited  = "edited"
	deleted = "deleted"
)

// edited says whether an edit has made a file: its diff says so, or that there is nothing that was there before.
func (o *outcome) edited() string {
	header, _, _ := strings.Cut(o.diff, "@@")
	switch {
	case strings.Contains(header, "--- /dev/null"):
		return created
	case strings.Contains(header, "--- ") || o.hadText:
		return edited
	case o.before || o.after:
		return created
	}
	return edited
}

func (d *Decoder) hash(path string) uint64 { return maphash.String(d.seed, path) }

func (d *Decoder) knows(path string) bool {
	_, ok := d.files[d.hash(path)]
	return ok
}

func (d *Decoder) know(path string) {
	if len(d.files) < maxFiles {
		d.files[d.hash(path)] = struct{}{}
	}
}
