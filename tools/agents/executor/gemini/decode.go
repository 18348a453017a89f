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

// Decoder reads the lines that the Gemini CLI prints with --output-format
// stream-json. It serves one run and is not used concurrently.
//
// What is not known is told as such, never refused: new kinds of events and tools
// come with any release.
type Decoder struct {
	session string
	saying  []byte              // what the agent is saying
	last    string              // what it has said before
	wrong   string              // the last error that it has told
	open    map[string]opened   // calls of tools that have not ended
	there   map[string]struct{} // files that are known to be there
}

// opened is a call of a tool that has not ended: what its result does not repeat.
type opened struct{ kind, server, name, path string }

const (
	maxSaying = 256 << 10 // bytes of one message
	maxOpen   = 1024      // calls that are at work
	maxThere  = 10_000    // files
	maxPath   = 4096      // bytes of the path of a file
)

// NewDecoder makes a Decoder.
func NewDecoder() *Decoder {
	return &Decoder{open: make(map[string]opened), there: make(map[string]struct{})}
}

// message is what a line says.
type message struct {
	kind, session, model string
	role, content        string
	delta                bool
	tool, call           string
	args                 []byte // JSON, a part of the line
	status, output       string
	wrong, text          string
	severity             string
	usage                *record.Usage
}

// Decode tells what a line says; false means that it is no event. See command.Decoder.
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

// member reads a member of an event.
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

// event tells what a line says, if it is known.
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
	case m.kind == "error": // it may go on
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

func firstOf(texts ...string) string {
	return texts[max(slices.IndexFunc(texts, func(text string) bool { return text != "" }), 0)]
}

// say tells what the agent says, bit by bit or as a whole.
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

// flush ends what the agent is saying: the program does not repeat it as a whole.
func (d *Decoder) flush(tell func(executor.Event)) {
	if len(d.saying) == 0 {
		return
	}
	d.last = strings.ToValidUTF8(string(d.saying), "")
	d.saying = nil
	tell(executor.Event{Kind: executor.Said, Session: d.session, Text: d.last})
}

// start reads the beginning of a call.
func (d *Decoder) start(m *message) *executor.Tool {
	t := &executor.Tool{CallID: m.call, Type: m.tool}
	most := pull.MaxArgs
	if rest, ok := strings.CutPrefix(m.tool, "mcp_"); ok { // of a server whose name has no underscore
		t.Server, t.Name, _ = strings.Cut(rest, "_")
		most = pull.MaxMCPArgs
	}
	t.Args = slices.Clone(command.Shorten(m.args, most))
	if len(d.open) < maxOpen {
		d.open[m.call] = opened{t.Type, t.Server, t.Name, path(m.args)}
	}
	return t
}

// path is the file that a call is about.
func path(args []byte) string {
	var all struct {
		Path string `json:"file_path"`
	}
	if json.Unmarshal(args, &all) != nil || len(all.Path) > maxPath || strings.ContainsRune(all.Path, 0) {
		return ""
	}
	return all.Path
}

// complete reads the end of a call.
func (d *Decoder) complete(m *message) *executor.Tool {
	call := d.open[m.call]
	delete(d.open, m.call)
	t := &executor.Tool{CallID: m.call, Type: call.kind, Server: call.server, Name: call.name, Failed: m.status != "success"}
	if t.Failed {
		t.Error = pull.Clip(firstOf(m.wrong, m.output, "it ended with "+m.status), pull.MaxError)
		return t
	}
	_, there := d.there[call.path]
	kind := ""
	switch call.kind {
	case "write_file": // which tells of no difference; before one is written to anew it is mostly read
		if kind = "created"; there {
			kind = "edited"
		}
	case "replace":
		kind = "edited"
	case "read_file":
	default:
		return t
	}
	if call.path != "" && len(d.there) < maxThere {
		d.there[call.path] = struct{}{}
	}
	if call.path != "" && kind != "" {
		t.Changes = []executor.FileChange{{Path: call.path, Kind: kind}}
	}
	return t
}

// wrong reads an error.
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

// usage reads what a run has cost.
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
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens, 0) // those of the cache are among the input here
	return u
}
