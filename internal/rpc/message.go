package rpc

import (
	"github.com/dougu-go/dougu/internal/jsonx"
)

// ID is the raw JSON token of a request id, kept byte for byte: "1" and 1 are
// different ids, and 2^53+1 or a number of 23 digits survive.
type ID string

// Kind is the type of a message.
type Kind uint8

// The kinds of message.
const (
	Request Kind = iota
	Notification
	Response
)

// Message is one message. Its slices point into the frame that it was parsed
// from.
type Message struct {
	Kind   Kind
	ID     ID     // of a Request or a Response; empty in a Response whose id is null or absent
	Method string // of a Request or a Notification
	Params []byte // raw object or array; nil when absent
	Result []byte // of a successful Response
	Error  []byte // of a failed Response
}

// Parse reads the envelope of one message in a single scan. On an error the
// returned message carries the ID when that much could be read, and its Kind
// tells whether an answer is due: a malformed response never gets one.
func Parse(frame []byte) (Message, *Error) {
	var m Message
	err := m.parse(frame, nil)
	return m, err
}

// names are method names that have been seen, which saves their allocation.
type names []string

func (n names) find(method []byte) (string, bool) {
	for _, name := range n {
		if name == string(method) {
			return name, true
		}
	}
	return "", false
}

// parse is Parse.
func (m *Message) parse(frame []byte, known names) *Error {
	var e envelope
	members := jsonx.Object(frame)
	for members.Next() {
		e.member(&members)
	}
	if err := members.Err(); err != nil {
		if i := jsonx.Space(frame, 0); i < len(frame) && frame[i] != '{' && jsonx.Valid(frame) == nil {
			return invalidRequest("a message is a JSON object")
		}
		e.identify(m)
		return parseError(err)
	}
	e.identify(m)
	if end := jsonx.Space(frame, members.End()); end < len(frame) {
		return parseError(&jsonx.SyntaxError{Offset: end, Msg: "more input after the message"})
	}
	if members.Flags()&jsonx.InvalidUTF8 != 0 {
		return &Error{Code: CodeParse, Message: "Parse error: the message is not UTF-8"}
	}
	return e.read(m, known)
}

// envelope holds the raw members of a message while it is scanned.
type envelope struct {
	version, id, method, params, result, error []byte
	duplicate                                  string
}

func (e *envelope) member(m *jsonx.Members) {
	key := m.Key()
	if m.Escaped() {
		key = []byte(m.Name())
	}
	var at *[]byte
	switch string(key) {
	case "jsonrpc":
		at = &e.version
	case "id":
		at = &e.id
	case "method":
		at = &e.method
	case "params":
		at = &e.params
	case "result":
		at = &e.result
	case "error":
		at = &e.error
	default:
		return
	}
	if *at != nil {
		e.duplicate = string(key)
		return
	}
	*at = m.Value()
}

// readableID is the id when it is a legal one.
func (e *envelope) readableID() ID {
	if legalID(e.id) {
		return ID(e.id)
	}
	return ""
}

// legalID reports whether token is a string or an integer, the two kinds of id
// that MCP has.
func legalID(token []byte) bool {
	if len(token) == 0 {
		return false
	}
	if token[0] == '"' {
		_, f, err := jsonx.String(token, 0)
		return err == nil && f&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) == 0
	}
	end, integer, err := jsonx.Number(token, 0)
	return err == nil && integer && end == len(token)
}

// isResponse reports whether the members are the members of a response.
func (e *envelope) isResponse() bool {
	return e.method == nil && (e.result != nil || e.error != nil)
}

// identify sets the known fields of a message, also after an incomplete parse.
func (e *envelope) identify(m *Message) {
	m.ID = e.readableID()
	if e.isResponse() {
		m.Kind = Response
	}
}

// read fills in the rest.
func (e *envelope) read(m *Message, known names) *Error {
	m.Result, m.Error = e.result, e.error
	switch {
	case e.duplicate != "":
		return invalidRequest("the member \"" + e.duplicate + "\" appears twice")
	case string(e.version) != `"2.0"`:
		return invalidRequest(`the member "jsonrpc" must be "2.0"`)
	case m.Kind == Response:
		return e.checkResponse(m.ID)
	case e.method == nil:
		return invalidRequest(`the member "method" is missing`)
	case e.method[0] != '"':
		return invalidRequest(`the member "method" must be a string`)
	case e.result != nil || e.error != nil:
		return invalidRequest(`a request has no "result" or "error"`)
	case e.id != nil && m.ID == "":
		return invalidRequest(`the member "id" must be a string or an integer`)
	}
	if e.id == nil {
		m.Kind = Notification
	}
	method := e.method[1 : len(e.method)-1]
	if name, ok := known.find(method); ok {
		m.Method = name
	} else if name, err := jsonx.Unquote(e.method); err == nil {
		m.Method = name
	}
	if e.params != nil && string(e.params) != "null" {
		if e.params[0] != '{' && e.params[0] != '[' {
			return invalidRequest(`the member "params" must be an object`)
		}
		m.Params = e.params
	}
	return nil
}

func (e *envelope) checkResponse(id ID) *Error {
	switch {
	case e.result != nil && e.error != nil:
		return invalidRequest(`a response has either "result" or "error"`)
	case e.id != nil && id == "" && string(e.id) != "null":
		return invalidRequest(`the member "id" must be a string or an integer`)
	case e.error != nil && e.error[0] != '{':
		return invalidRequest(`the member "error" must be an object`)
	}
	return nil
}

// prefixID finds the id in the beginning of a frame that was too large to keep, so that its sender can still learn which
// request was refused. The last member of the beginning is usually not complete: one that is a result or an error is that of
// a response.
func prefixID(prefix []byte) (id ID, isRequest bool) {
	var e envelope
	members := jsonx.Object(prefix)
	for members.Next() {
		e.member(&members)
	}
	if key := members.Key(); e.method == nil && (string(key) == "result" || string(key) == "error") {
		return e.readableID(), false
	}
	return e.readableID(), !e.isResponse()
}

// decodeError reads an error object leniently: a peer that sends a malformed
// one still meant to report a failure.
func decodeError(raw []byte) *Error {
	e := &Error{Code: CodeInternal, Message: "the peer sent a malformed error object"}
	members := jsonx.Object(raw)
	for members.Next() {
		value := members.Value()
		switch members.Name() {
		case "code":
			if n, ok := parseCode(value); ok {
				e.Code = n
			}
		case "message":
			if s, err := jsonx.Unquote(value); err == nil {
				e.Message = s
			}
		case "data":
			e.Data = append([]byte(nil), value...)
		}
	}
	return e
}

func parseCode(token []byte) (n int64, ok bool) {
	end, integer, err := jsonx.Number(token, 0)
	if err != nil || !integer || end != len(token) || end > 18 {
		return 0, false
	}
	negative := token[0] == '-'
	if negative {
		token = token[1:]
	}
	for _, c := range token {
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}
