package gemini

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Decoder converts the lines that the Gemini CLI prints with --output-format stream-json to
// events. A Decoder serves one run and is not safe for concurrent use.
//
// An unknown kind of event becomes an event Unknown, and an unknown tool a tool call,
// because releases of the program add both.
type Decoder struct {
	session  string
	saying   []byte              // current message of the assistant
	last     string              // last complete message
	wrong    string              // last error of severity error
	open     map[string]opened   // commandLine without an end, by ID
	existing map[string]struct{} // files that existed at some time of the run
}

// opened is the data of a call that its result does not repeat.
type opened struct{ kind, server, name, path string }

const (
	maxSaying   = 256 << 10 // bytes of one message
	maxOpen     = 1024      // entries of Decoder.open
	maxExisting = 10_000    // entries of Decoder.there
	maxPath     = 4096      // bytes of a path
)

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder {
	return &Decoder{open: make(map[string]opened), existing: make(map[string]struct{})}
}

// message contains the members of one line.
type message struct {
	kind, session, model string
	role, content        string
	delta                bool
	tool, call           string
	args                 []byte // JSON; a part of the line
	status, output       string
	wrong, text          string
	severity             string
	usage                *record.Usage
}

// Decode reports the events of a line. It returns false if the line is not an event. See
// command.Decoder.
func (d *Decoder) Decode(line []byte, tell func(executor.Event)) bool {
	var m message
	if !pull.Line(line, m.member) || m.kind == "" {
		return false
	}
	if m.kind != "message" || m.role != "assistant" {
		d.flush(tell)
	}
	if !d.event(&m, tell) {
		tell(executor.Event{Kind: executor.Unknown, Session: d.session, Text: pull.Unknown(line)})
	}
	return true
}

// member reads one member of a line.
func (m *message) member(s *pull.Scanner, key []byte) {
	switch string(key) {
	case "type":
		m.kind = s.Name()
	case "session_id":
		m.session = s.Name()
	case "model":
		m.model = s.Name()
	case "role":
		m.role = s.Name()
	case "content":
		m.content = s.Text()
	case "delta":
		m.delta = s.Bool()
	case "tool_name":
		m.tool = s.Name()
	case "tool_id":
		m.call = s.Name()
	case "parameters":
		m.args = s.Raw()
	case "status":
		m.status = s.Name()
	case "severity":
		m.severity = s.Name()
	case "output":
		m.output = pull.Clip(s.Text(), pull.MaxError)
	case "message":
		m.text = s.Text()
	case "error":
		m.wrong = wrong(s)
	case "stats":
		m.usage = usage(s)
	default:
		s.Skip()
	}
}

// event reports the event of a line, or returns false if its kind is unknown.
func (d *Decoder) event(m *message, tell func(executor.Event)) bool {
	e := executor.Event{Session: d.session}
	switch {
	case m.kind == "init":
		d.session = m.session
		e.Kind, e.Session, e.Model = executor.Init, m.session, m.model
	case m.kind == "message" && m.role == "assistant":
		d.say(m, tell)
		return true
	case m.kind == "message":
		e.Kind = executor.Prompted
	case m.kind == "tool_use":
		e.Kind, e.Tool = executor.ToolStarted, d.start(m)
	case m.kind == "tool_result":
		e.Kind, e.Tool = executor.ToolCompleted, d.complete(m)
	case m.kind == "error": // the run may continue
		e.Kind, e.Text = executor.Line, pull.Clip(m.severity+": "+m.text, pull.MaxUnknown)
		if m.severity == "error" {
			d.wrong = m.text
		}
	case m.kind == "result":
		e.Kind, e.Text, e.Usage = executor.Finished, d.last, m.usage
		if e.Failed = m.status != "success"; e.Failed {
			e.Text = firstOf(m.wrong, d.wrong, "it ended with "+m.status)
		}
	default:
		return false
	}
	tell(e)
	return true
}

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	return texts[max(slices.IndexFunc(texts, func(text string) bool { return text != "" }), 0)]
}

// say reports a text of the assistant: a part of a message as Delta, a complete message as
// Said.
func (d *Decoder) say(m *message, tell func(executor.Event)) {
	if m.content == "" {
		return
	}
	if !m.delta {
		d.saying, d.last = nil, pull.Clip(m.content, maxSaying)
		tell(executor.Event{Kind: executor.Said, Session: d.session, Text: m.content})
		return
	}
	d.saying = append(d.saying, m.content[:min(len(m.content), maxSaying-len(d.saying))]...)
	tell(executor.Event{Kind: executor.Delta, Session: d.session, Text: m.content})
}

// flush reports the collected parts as a complete message, because the program never
// repeats it.
func (d *Decoder) flush(tell func(executor.Event)) {
	if len(d.saying) == 0 {
		return
	}
	d.last = strings.ToValidUTF8(string(d.saying), "")
	d.saying = nil
	tell(executor.Event{Kind: executor.Said, Session: d.session, Text: d.last})
}

// start records a call and returns the data of its start.
func (d *Decoder) start(m *message) *executor.Tool {
	t := &executor.Tool{CallID: m.call, Type: m.tool}
	most := pull.MaxArgs
	if rest, ok := strings.CutPrefix(m.tool, "mcp_"); ok { // a server name must not contain an underscore
		t.Server, t.Name, _ = strings.Cut(rest, "_")
		most = pull.MaxMCPArgs
	}
	t.Args = slices.Clone(command.Shorten(m.args, most))
	if len(d.open) < maxOpen {
		d.open[m.call] = opened{t.Type, t.Server, t.Name, path(m.args)}
	}
	return t
}

// path returns the argument file_path of a call; empty if it is missing or invalid.
func path(args []byte) string {
	var all struct {
		Path string `json:"file_path"`
	}
	if json.Unmarshal(args, &all) != nil || len(all.Path) > maxPath || strings.ContainsRune(all.Path, 0) {
		return ""
	}
	return all.Path
}

// complete removes a call from the open ones and returns the data of its end.
func (d *Decoder) complete(m *message) *executor.Tool {
	call := d.open[m.call]
	delete(d.open, m.call)
	t := &executor.Tool{CallID: m.call, Type: call.kind, Server: call.server, Name: call.name, Failed: m.status != "success"}
	if t.Failed {
		t.Error = pull.Clip(firstOf(m.wrong, m.output, "it ended with "+m.status), pull.MaxError)
		return t
	}
	_, existing := d.existing[call.path]
	kind := ""
	switch call.kind {
	case "write_file": // the result does not say whether the file existed; agents usually read existing files first
		if kind = "created"; existing {
			kind = "edited"
		}
	case "replace":
		kind = "edited"
	case "read_file":
	default:
		return t
	}
	if call.path != "" && len(d.existing) < maxExisting {
		d.existing[call.path] = struct{}{}
	}
	if call.path != "" && kind != "" {
		t.Changes = []executor.FileChange{{Path: call.path, Kind: kind}}
	}
	return t
}

// wrong reads the message of an error.
func wrong(s *pull.Scanner) (text string) {
	s.Object(func(key []byte) {
		if string(key) == "message" {
			text = s.Text()
		} else {
			s.Skip()
		}
	})
	return text
}

// usage reads the numbers of tokens; nil if the value is not an object. The program counts
// cached tokens as input, too.
func usage(s *pull.Scanner) *record.Usage {
	if s.Peek() != '{' {
		s.Skip()
		return nil
	}
	u := new(record.Usage)
	s.Object(func(key []byte) {
		switch string(key) {
		case "input_tokens":
			u.InputTokens = max(s.Int(), 0)
		case "output_tokens":
			u.OutputTokens = max(s.Int(), 0)
		case "cached":
			u.CacheReadTokens = max(s.Int(), 0)
		default:
			s.Skip()
		}
	})
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens, 0)
	return u
}
