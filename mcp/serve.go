package mcp

import (
	"context"

	"github.com/dougu-go/dougu/internal/nearest"
)

// serveAsking runs a handler that may put questions to the client, in requests
// other than tools/call (2026-07-28, basic/patterns/mrtr).
func (s *Server) serveAsking(ctx context.Context, req *Request, p callParams, run func(context.Context) (Result, error)) (Result, error) {
	call := &Invocation{Request: req, server: s, asks: true}
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

// getPrompt serves prompts/get.
func (s *Server) getPrompt(ctx context.Context, reg *registry, req *Request) (Result, error) {
	params, err := readCall("prompts/get", "name", req.Params)
	if err != nil {
		return nil, err
	}
	prompt, ok := reg.prompts.byKey[params.name]
	if !ok {
		return nil, unknownPrompt(reg, params.name)
	}
	return s.serveAsking(ctx, req, params, func(ctx context.Context) (Result, error) {
		result, err := prompt.run(ctx, params.arguments)
		if err != nil {
			return nil, err
		}
		result.server = s.self()
		return result, nil
	})
}

func unknownPrompt(reg *registry, name string) error {
	if near := nearest.Name(name, reg.prompts.names()); near != "" {
		return Errorf(CodeInvalidParams, "Unknown prompt: %q; did you mean %q?", name, near)
	}
	return Errorf(CodeInvalidParams, "Unknown prompt: %q; prompts/list names those that exist", name)
}

// readResource serves resources/read.
func (s *Server) readResource(ctx context.Context, reg *registry, req *Request) (Result, error) {
	params, err := readCall("resources/read", "uri", req.Params)
	if err != nil {
		return nil, err
	}
	uri := params.name
	if len(uri) > maxURI {
		return nil, Errorf(CodeInvalidParams, "Invalid params: the URI has %d bytes; at most %d are allowed", len(uri), maxURI)
	}
	src, ok := reg.source(uri)
	if !ok {
		return nil, ResourceNotFound(uri)
	}
	return s.serveAsking(ctx, req, params, func(ctx context.Context) (Result, error) {
		result, err := src.run(ctx, uri)
		if err != nil {
			return nil, err
		}
		result.server = s.self()
		return result, nil
	})
}

// source finds what reads a URI: the resource that has it, else the first of the
// templates that matches.
func (r *registry) source(uri string) (source, bool) {
	if resource, ok := r.resources.byKey[uri]; ok {
		return resource.source(), true
	}
	if !isURIText(uri) {
		return source{}, false
	}
	for _, t := range r.matchers() {
		if src, ok := t.source(uri); ok {
			return src, true
		}
	}
	return source{}, false
}
