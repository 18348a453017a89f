package mcp

import (
	"context"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// runWithQuestions runs the handler of a request other than tools/call, and lets it ask questions
// (2026-07-28, basic/patterns/mrtr).
func (s *Server) runWithQuestions(ctx context.Context, req *protocol.Request, p callParams, run func(context.Context) (protocol.Result, error)) (protocol.Result, error) {
	call := &Invocation{Request: req, server: s, canAsk: true}
	if req.Asker == nil {
		if err := s.openJournal(call, p); err != nil {
			return nil, err
		}
	}
	result, err := run(withCall(ctx, call))
	if len(call.journal.pending) > 0 {
		return s.inputRequired(call, p)
	}
	return result, err
}

// getPrompt handles prompts/get.
func (s *Server) getPrompt(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	params, err := readCall("prompts/get", "name", req.Params)
	if err != nil {
		return nil, err
	}
	prompt, ok := reg.prompts.byKey[params.name]
	if !ok {
		return nil, unknownPrompt(reg, params.name)
	}
	return s.runWithQuestions(ctx, req, params, func(ctx context.Context) (protocol.Result, error) {
		result, err := prompt.run(ctx, params.arguments)
		if err != nil {
			return nil, err
		}
		result.server = s.serverInfo()
		return result, nil
	})
}

// unknownPrompt returns the protocol error for an unknown prompt, with the most similar name as a
// suggestion.
func unknownPrompt(reg *registry, name string) error {
	if near := nearest.Name(name, reg.prompts.names()); near != "" {
		return protocol.Errorf(protocol.CodeInvalidParams, "Unknown prompt: %q; did you mean %q?", name, near)
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown prompt: %q; see prompts/list", name)
}

// readResource handles resources/read.
func (s *Server) readResource(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	params, err := readCall("resources/read", "uri", req.Params)
	if err != nil {
		return nil, err
	}
	uri := params.name
	if len(uri) > maxURI {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the URI has %d bytes; at most %d are allowed", len(uri), maxURI)
	}
	src, ok := reg.source(uri)
	if !ok {
		return nil, ResourceNotFound(uri)
	}
	return s.runWithQuestions(ctx, req, params, func(ctx context.Context) (protocol.Result, error) {
		result, err := src.readLimited(ctx, uri)
		if err != nil {
			return nil, err
		}
		result.server = s.serverInfo()
		return result, nil
	})
}

// source returns the source of a URI: the resource with this URI, otherwise the first matching
// template.
func (r *registry) source(uri string) (resourceReader, bool) {
	if resource, ok := r.resources.byKey[uri]; ok {
		return resource.source(), true
	}
	if !isURIText(uri) {
		return resourceReader{}, false
	}
	for _, t := range r.matchers() {
		if src, ok := t.source(uri); ok {
			return src, true
		}
	}
	return resourceReader{}, false
}
