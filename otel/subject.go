package otel

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

const (
	// maxName bounds the names of methods, tools and prompts in spans and metrics.
	maxName = 128
	// maxText bounds other texts.
	maxText = 256
)

// subject is the tool, prompt or resource of a request.
type subject struct {
	name      string // of a tool or prompt
	uri       string
	arguments json.RawMessage
}

// readSubject reads the subject from params, with the arguments only if they are wanted. A
// name that is not valid in a span is left out.
func (i *Instruments) readSubject(method string, params json.RawMessage) (s subject) {
	var wanted string
	switch method {
	case "tools/call", "prompts/get":
		wanted = "name"
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		wanted = "uri"
	default:
		return s
	}
	members := jsonx.Object(params)
	for len(params) > 0 && members.Next() {
		switch string(members.Key()) {
		case wanted:
			text, err := jsonx.Unquote(members.Value())
			switch {
			case err != nil:
			case wanted == "uri":
				s.uri = text
			case isName(text):
				s.name = text
			}
			if !i.opts.Arguments {
				return s
			}
		case "arguments":
			s.arguments = members.Value()
		}
	}
	return s
}

// isName reports whether s can be the name of a method, a tool or a prompt in a
// span: no more than ordinary characters, and not many.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// methodName is a method as it is recorded.
func methodName(method string) string {
	if !isName(method) {
		return otherMethod
	}
	return method
}

// location returns a URI without its user and query, which may be secret.
func (i *Instruments) location(uri string) string {
	if len(uri) > 4096 {
		uri = uri[:4096]
	}
	parsed, err := url.Parse(strings.ToValidUTF8(uri, ""))
	if err != nil {
		return ""
	}
	parsed.User, parsed.RawQuery, parsed.Fragment, parsed.RawFragment = nil, "", "", ""
	return i.text(parsed.String())
}

// text is a text without secrets, and not too long.
func (i *Instruments) text(s string) string {
	return strings.ToValidUTF8(i.opts.Redactor.Text(s), "�")
}
