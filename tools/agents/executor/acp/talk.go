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

// talk is the conversation of one run. It is a command.Dialogue.
type talk struct {
	p       *program
	say     func([]byte)
	sent    int
	waiting map[int]func(result json.RawMessage, wrong *wireError, tell func(executor.Event))

	offers    bool // files
	session   string
	prompting bool // the prompt is with the program
	cancelled bool
	over      bool

	saying  strings.Builder // what the agent is saying
	message string          // the identifier of that
	last    string          // what it has said before
	cost    float64
	tools   tools

	root  *security.Root // nil as long as no file was asked for
	seen  map[string]string
	wrote int
}

func newTalk(p *program) *talk {
	return &talk{p: p, offers: !p.o.NoFiles, waiting: make(map[int]func(json.RawMessage, *wireError, func(executor.Event))), seen: make(map[string]string)}
}

// Begin begins the conversation.
func (t *talk) Begin(say func([]byte)) {
	t.say = say
	t.initialize()
}

// Cancel asks the agent to end its turn.
func (t *talk) Cancel() {
	t.cancelled = true
	if t.prompting {
		t.say(encode(notification{"2.0", "session/cancel", sessionParams{t.session}}))
	}
}

// Close releases what the conversation holds.
func (t *talk) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// call sends a request, whose answer then is given.
func (t *talk) call(method string, params any, then func(json.RawMessage, *wireError, func(executor.Event))) {
	t.sent++
	t.waiting[t.sent] = then
	t.say(encode(request{"2.0", t.sent, method, params}))
}

// Decode takes a message; false means that it is none. See command.Decoder.
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
		if !strings.HasPrefix(m.Method, "$/") { // those may always be ignored
			tell(executor.Event{Kind: executor.Unknown, Session: t.session, Text: pull.Unknown(line)})
		}
	default:
		t.answered(m, line, tell)
	}
	return true
}

// answered takes a response. One that nobody waits for is not taken.
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

// asked answers a request of the program.
func (t *talk) asked(m message, tell func(executor.Event)) {
	var about sessionParams
	if err := json.Unmarshal(m.Params, &about); err != nil {
		t.refuse(m.ID, codeInvalidParams, "the parameters are no object: "+err.Error())
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

func (t *talk) refuse(id json.RawMessage, code int, why string) {
	t.say(encode(refusal{"2.0", id, &wireError{Code: code, Message: why}}))
}

// fail ends the run for a reason.
func (t *talk) fail(reason string, tell func(executor.Event)) {
	t.end(executor.Event{Kind: executor.Finished, Failed: true, Text: pull.Clip(reason, pull.MaxUnknown)}, tell)
}

// end tells the end of the agent.
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
