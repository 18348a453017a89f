package gateway

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// isKind reports whether a question is one that capabilities allow.
func isKind(q protocol.InputRequest, caps protocol.ClientCapabilities) bool {
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
func canAnswer(req *protocol.Request) bool {
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
// questions that the sender of the request can answer, and the forms of results that it uses.
func (m *member) clientCapabilities(req *protocol.Request, l *link) json.RawMessage {
	if req.Meta.Session() == nil {
		return m.declaredCapabilities(req, l)
	}
	all := req.Meta.Capabilities()
	var caps protocol.ClientCapabilities
	forward := false
	//lint:ignore SA1019 every revision must go on working
	if req.Asker != nil && (all.Elicitation != nil || all.Sampling != nil || all.Roots != nil) && mayAsk(req.Method) {
		caps, forward = all, true
		caps.Extensions, caps.Experimental, caps.Other = nil, nil, nil
		//lint:ignore SA1019 every revision must go on working
		if roots := &caps.Roots; *roots != nil {
			*roots = new(protocol.RootsCapability)
		}
	}
	if settings, ok := all.Extensions[apps.ID]; ok {
		caps.Extensions, forward = map[string]json.RawMessage{apps.ID: settings}, true
	}
	_, asks := all.Experimental[protocol.StructuredCapability]
	if m.g.opts.asksStructured(asks) {
		setStructured(&caps, true)
		forward = true
	}
	if !forward {
		return noCapabilities
	}
	return encoded(caps)
}

// declaredCapabilities is clientCapabilities for a request that declares its capabilities itself.
func (m *member) declaredCapabilities(req *protocol.Request, l *link) json.RawMessage {
	declared := req.Meta.DeclaredCapabilities()
	if declared == nil {
		declared = noCapabilities
	}
	_, tasks := l.conn.Discovered().Capabilities.Extensions[protocol.TasksExtension]
	withoutTasks := !tasks && req.Meta.HasExtension(protocol.TasksExtension)
	asks := strings.Contains(string(declared), protocol.StructuredCapability)
	ask := m.g.opts.asksStructured(asks)
	if !withoutTasks && ask == asks {
		return declared
	}
	caps := req.Meta.Capabilities()
	if withoutTasks {
		delete(caps.Extensions, protocol.TasksExtension)
	}
	if ask != asks {
		setStructured(&caps, ask)
	}
	return encoded(caps)
}

// asksStructured reports whether the gateway asks upstreams for structured content on behalf of a
// client. asks reports whether the client asks for it.
func (o *Options) asksStructured(asks bool) bool {
	switch o.Structured {
	case mcp.StructuredAlways:
		return true
	case mcp.StructuredNever:
		return false
	}
	return asks
}

// setStructured adds or removes the declaration that asks for structured content. It does not
// change the map of the caller.
func setStructured(caps *protocol.ClientCapabilities, ask bool) {
	experimental := make(map[string]json.RawMessage, len(caps.Experimental)+1)
	maps.Copy(experimental, caps.Experimental)
	delete(experimental, protocol.StructuredCapability)
	if ask {
		experimental[protocol.StructuredCapability] = json.RawMessage(`{}`)
	}
	caps.Experimental = experimental
	if len(experimental) == 0 {
		caps.Experimental = nil
	}
}

func encoded(caps protocol.ClientCapabilities) json.RawMessage {
	declared, err := json.Marshal(caps)
	if err != nil {
		return noCapabilities // unreachable: it was read from JSON
	}
	return declared
}
