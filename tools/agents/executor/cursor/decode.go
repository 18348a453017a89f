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

// Decoder converts the lines that the Cursor CLI prints with --output-format stream-json to
// events. A Decoder serves one run and is not safe for concurrent use.
//
// An unknown kind of event becomes an event Unknown, and an unknown kind of tool a tool
// call of this kind, because releases of the program add both.
type Decoder struct {
	// CompleteMessages must be set if the program runs without --stream-partial-output. Each text is
	// then a complete message, even with a timestamp.
	CompleteMessages bool

	seed  maphash.Seed
	files map[uint64]struct{} // hashes of paths of files that existed at some time of the run
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder {
	return &Decoder{seed: maphash.MakeSeed(), files: make(map[uint64]struct{})}
}

// message contains the members of one line.
type message struct {
	kind, subtype    string
	session, model   string
	callID           string
	text             string // text of an assistant, a user or a thought
	result           string
	failed           bool
	stamped, flushed bool // timestamp_ms and model_call_id are present
	tool             *executor.Tool
	usage            *record.Usage
}

// Decode reports the event of a line. It returns false if the line is not an event. See
// command.Decoder.
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

// member reads one member of a line.
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
		m.stamped = !isNull(s.Raw())
	case "model_call_id":
		m.flushed = !isNull(s.Raw())
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

// event returns the event for a line; its Kind is empty if there is nothing to report.
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

// said returns the kind of an assistant's text. With --stream-partial-output, texts with a
// timestamp are parts of a message. The program repeats the complete message before tool
// calls, with model_call_id, and at the end, without a timestamp. Without that option it
// prints only complete messages.
func (d *Decoder) said(m *message) executor.Kind {
	switch {
	case m.text == "":
		return ""
	case m.stamped && !m.flushed && !d.CompleteMessages:
		return executor.Delta
	}
	return executor.Said
}

// call completes the event of a tool call and returns its kind.
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

// content reads the text of a message: a string, or the texts of a list of blocks.
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

// usage reads the numbers of tokens; nil if the value is not an object.
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

func isNull(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }

// maxFiles limits Decoder.files.
const maxFiles = 4096

// function is the member for a tool call without a kind of its own.
const function = "function"

// outcome is the result of a tool call.
type outcome struct {
	variant       string // "success", "failure", "error", "rejected" …
	path, diff    string
	before, after bool // the contents before and after are present
	hadText       bool // the content before was not empty
	exit          int64
	signal        string
	said          string // error text
	answered      string // text of an MCP tool's result
	failed        bool   // isError of an MCP tool's result
	timedOut      bool
}

// tool reads a tool call: an object with one member, named after the kind of tool.
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

// kind reads the value of that member: the arguments and, after the call, the result.
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

// describe sets the arguments of a call, and returns the value of their member path.
func describe(t *executor.Tool, args []byte) (path string) {
	switch {
	case len(args) > 0 && args[0] == '"': // a string that contains JSON
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

// describeMCP sets server, tool and arguments of an MCP tool call.
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

// shorten returns a copy of JSON with at most most bytes, or nil if that is not possible.
func shorten(raw []byte, most int) json.RawMessage { return slices.Clone(command.Shorten(raw, most)) }

// read reads a result: an object whose member names the variant. The variant "success" has
// priority over others.
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
		o.before, o.hadText = !isNull(raw), len(raw) > len(`""`)
	case "afterFullFileContent":
		o.after = !isNull(s.Raw())
	case "exitCode":
		o.exit = s.Int()
	case "signal":
		o.signal = s.Name()
	case "timedOut":
		o.timedOut = s.Bool()
	case "isError":
		o.failed = s.Bool()
	case "content":
		o.answered = firstText(s)
	case "reason", "errorMessage", "error", "message", "stderr":
		if text := pull.Clip(s.Text(), pull.MaxError); o.said == "" || string(key) != "stderr" {
			o.said = text
		}
	default:
		s.Skip()
	}
}

// firstText returns the first text of an MCP tool's result, of at most pull.MaxError bytes.
// For other values, such as the string of a file, it returns "".
func firstText(s *pull.Scanner) string {
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

// failure reports whether the call has failed, and describes the failure.
func (o *outcome) failure() (failed bool, why string) {
	switch {
	case o.variant == "":
		return false, ""
	case o.failed:
		return true, joinDetails("the tool answered with an error", o.answered)
	case o.exit != 0:
		return true, joinDetails(fmt.Sprintf("exit code %d", o.exit), strings.TrimSpace(o.said))
	case o.signal != "":
		return true, "ended by " + o.signal
	case o.timedOut:
		return true, "it took too long"
	case o.variant == "success":
		return false, ""
	}
	return true, joinDetails(o.variant, strings.TrimSpace(o.said))
}

// joinDetails joins a description and its details.
func joinDetails(what, words string) string {
	if words == "" {
		return what
	}
	return what + ": " + words
}

// changes sets the changed file of a successful call, and its diff.
func (d *Decoder) changes(t *executor.Tool, path string, o *outcome) {
	if path == "" || len(path) > 16*pull.MaxName || strings.ContainsRune(path, 0) {
		return
	}
	kind := ""
	switch t.Type {
	case "readToolCall":
		d.recordFile(path)
		return
	case "editToolCall":
		kind = o.edited()
	case "writeToolCall": // the result does not say whether the file existed
		kind = created
		if d.fileExists(path) {
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
		d.recordFile(path)
	}
}

// Kinds of changes; see record.Change.Kind.
const (
	created = "created"
	edited  = "edited"
	deleted = "deleted"
)

// edited returns whether an edit has created or edited its file. A diff header decides;
// without one, an empty or missing content before means a new file.
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

// hash returns the key of a path in Decoder.files.
func (d *Decoder) hash(path string) uint64 { return maphash.String(d.seed, path) }

// fileExists reports whether the file existed earlier in the run.
func (d *Decoder) fileExists(path string) bool {
	_, ok := d.files[d.hash(path)]
	return ok
}

// recordFile records that a file exists, up to maxFiles files.
func (d *Decoder) recordFile(path string) {
	if len(d.files) < maxFiles {
		d.files[d.hash(path)] = struct{}{}
	}
}
