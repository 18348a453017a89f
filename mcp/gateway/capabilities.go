package gateway

import (
	"encoding/json"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// isKind reports whether a question is one that capabilities allow.
func isKind(q mcp.InputRequest, caps mcp.ClientCapabilities) bool {
	switch q.Method {
	case "elicitation/create":
		e := caps.Elicitation
		if e == nil {
			return false
		}
		var params struct {
			Mode string `json:"mode"`
		}
		if json.Unmarshal(q.Params, &params) != nil {
			return false
		}
		if params.Mode == "url" {
			return e.URL != nil
		}
		return e.Form != nil || e.URL == nil
	case "sampling/createMessage":
		//lint:ignore SA1019 every revision must go on working
		return caps.Sampling != nil
	case "roots/list":
		//lint:ignore SA1019 every revision must go on working
		return caps.Roots != nil
	}
	return false
}

// canAnswer reports whether the sender of a request can be asked anything.
func canAnswer(req *mcp.Request) bool {
	if req.Meta.Session() == nil {
		declared := string(req.Meta.DeclaredCapabilities())
		return strings.Contains(declared, `"elicitation"`) || strings.Contains(declared, `"sampling"`) || strings.Contains(declared, `"roots"`)
	}
	caps := req.Meta.Capabilities()
	//lint:ignore SA1019 every revision must go on working
	return req.Asker != nil && (caps.Elicitation != nil || caps.Sampling != nil || caps.Roots != nil)
}

// noCapabilities are the capabilities of a client that supports no questions.
var noCapabilities = json.RawMessage(`{}`)

// clientCapabilities returns the capabilities to declare to an upstream of 2026-07-28: the
// questions that the sender of the request can answer.
func clientCapabilities(req *mcp.Request, l *link) json.RawMessage {
	if req.Meta.Session() == nil {
		declared := req.Meta.DeclaredCapabilities()
		if declared == nil {
			return noCapabilities
		}
		if _, tasks := l.conn.Discovered().Capabilities.Extensions[mcp.TasksExtension]; !tasks && req.Meta.HasExtension(mcp.TasksExtension) {
			caps := req.Meta.Capabilities()
			delete(caps.Extensions, mcp.TasksExtension)
			return encoded(caps)
		}
		return declared
	}
	caps := req.Meta.Capabilities()
	//lint:ignore SA1019 every revision must go on working
	if req.Asker == nil || caps.Elicitation == nil && caps.Sampling == nil && caps.Roots == nil || !mayAsk(req.Method) {
		return noCapabilities
	}
	caps.Extensions, caps.Experimental, caps.Other = nil, nil, nil
	//lint:ignore SA1019 every revision must go on working
	if roots := &caps.Roots; *roots != nil {
		*roots = new(mcp.RootsCapability)
	}
	return encoded(caps)
}

func encoded(caps mcp.ClientCapabilities) json.RawMessage {
	declared, err := json.Marshal(caps)
	if err != nil {
		return noCapabilities // unreachable: it was read from JSON
	}
	return declared
}
