package acp

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// talk is the client side of one run: a JSON-RPC connection with the program. It sends
// initialize, the request for a session, its settings and the prompt, and handles the
// program's requests for files and permissions. It implements command.Dialogue and
// command.Decoder, and is not safe for concurrent use.
type talk struct {
	p *program
	// say writes one line to the program.
	say func([]byte)
	// sent is the ID of the last request; IDs count from 1.
	sent int
	// waiting are the handlers of responses, by request ID.
	waiting map[int]func(result json.RawMessage, wrong *wireError, tell func(executor.Event))

	// offers reports that the program may use the file methods.
	offers bool
	// session is the ID of the open session; empty before.
	session string
	// prompting reports that the prompt turn is running.
	prompting bool
	cancelled bool
	// over reports that Finished was sent; later messages are ignored.
	over bool

	// saying is the current message of the assistant, and message its ID.
	saying  strings.Builder
	message string
	// last is the last complete message of the assistant.
	last string
	// cost is the highest reported cost of the session, in US dollars.
	cost  float64
	tools tools

	// root is opened at the first request for a file; nil before.
	root *security.Root
	// seen are SHA-256 digests of files that the program has read or written, by path.
	seen map[string]string
	// wrote counts the files written through the client.
	wrote int
}

func newTalk(p *program) *talk {
	return &talk{p: p, offers: !p.o.NoFiles, waiting: make(map[int]func(json.RawMessage, *wireError, func(executor.Event))), seen: make(map[string]string)}
}

// Begin starts the conversation. say writes one line to the program.
func (t *talk) Begin(say func([]byte)) {
	t.say = say
	t.initialize()
}

// Cancel sends session/cancel if the prompt turn is running. Later requests for changes and
// permissions are refused.
func (t *talk) Cancel() {
	t.cancelled = true
	if t.prompting {
		t.say(encode(notification{"2.0", "session/cancel", sessionParams{t.session}}))
	}
}

// Close closes the Root of the run.
func (t *talk) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// call sends a request. then is called with its response, by Decode.
func (t *talk) call(method string, params any, then func(json.RawMessage, *wireError, func(executor.Event))) {
	t.sent++
	t.waiting[t.sent] = then
	t.say(encode(request{"2.0", t.sent, method, params}))
}

// Decode handles one line of the program. It returns false if the line is not a JSON-RPC
// message. See command.Decoder.
func (t *talk) Decode(line []byte, tell func(executor.Event)) bool {
	m, ok := parse(line)
	if !ok {
		return false
	}
	switch {
	case t.over:
	case m.Method != "" && len(m.ID) > 0:
		t.asked(m, tell)
	case m.Method == "session/update":
		if !t.update(m.Params, tell) {
			tell(executor.Event{Kind: executor.Unknown, Session: t.session, Text: pull.Unknown(line)})
		}
	case m.Method != "":
		if !strings.HasPrefix(m.Method, "$/") { // the protocol allows clients to ignore this prefix
			tell(executor.Event{Kind: executor.Unknown, Session: t.session, Text: pull.Unknown(line)})
		}
	default:
		t.answered(m, line, tell)
	}
	return true
}

// answered passes a response to the handler of its request. A response without an open
// request is reported as Unknown.
func (t *talk) answered(m message, line []byte, tell func(executor.Event)) {
	id, err := strconv.Atoi(string(m.ID))
	then, ok := t.waiting[id]
	if err != nil || !ok {
		tell(executor.Event{Kind: executor.Unknown, Session: t.session, Text: pull.Unknown(line)})
		return
	}
	delete(t.waiting, id)
	then(m.Result, m.Error, tell)
}

// asked responds to a request of the program. Requests for another session and unsupported
// methods get an error.
func (t *talk) asked(m message, tell func(executor.Event)) {
	var about sessionParams
	if err := json.Unmarshal(m.Params, &about); err != nil {
		t.refuse(m.ID, codeInvalidParams, "the parameters are not an object: "+err.Error())
		return
	}
	var result any
	var wrong *wireError
	switch {
	case t.session == "" || about.Session != t.session:
		wrong = &wireError{Code: codeInvalidParams, Message: "there is no session " + strconv.Quote(pull.Clip(about.Session, pull.MaxName)) + " here"}
	case m.Method == "session/request_permission":
		result, wrong = t.permission(m.Params, tell)
	case m.Method == "fs/read_text_file" && t.offers:
		result, wrong = t.readFile(m.Params)
	case m.Method == "fs/write_text_file" && t.offers && !t.p.spec.ReadOnly:
		result, wrong = t.writeFile(m.Params, tell)
	default:
		wrong = &wireError{Code: codeNoMethod, Message: "this client does not offer " + strconv.Quote(pull.Clip(m.Method, pull.MaxName))}
	}
	if wrong != nil {
		t.refuse(m.ID, wrong.Code, wrong.Message)
		return
	}
	t.say(encode(answer{"2.0", m.ID, result}))
}

// refuse sends an error response.
func (t *talk) refuse(id json.RawMessage, code int, why string) {
	t.say(encode(refusal{"2.0", id, &wireError{Code: code, Message: why}}))
}

// fail ends the run with a failure message.
func (t *talk) fail(reason string, tell func(executor.Event)) {
	t.end(executor.Event{Kind: executor.Finished, Failed: true, Text: pull.Clip(reason, pull.MaxUnknown)}, tell)
}

// end reports the event Finished, with the cost added, and ignores all later messages.
func (t *talk) end(e executor.Event, tell func(executor.Event)) {
	t.prompting, t.over = false, true
	e.Session = t.session
	if t.cost > 0 {
		if e.Usage == nil {
			e.Usage = new(record.Usage)
		}
		e.Usage.CostUSD = t.cost
	}
	tell(e)
}
