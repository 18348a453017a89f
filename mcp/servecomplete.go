package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// complete handles completion/complete (2026-07-28, server/utilities/completion). An argument
// without a completer has no proposals.
func (s *Server) complete(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	params, err := readComplete(req)
	if err != nil {
		return nil, err
	}
	asked, err := params.find(reg)
	if err != nil {
		return nil, err
	}
	result := &CompleteResult{server: s.serverInfo()}
	if asked.completer == nil {
		return result, nil
	}
	ctx = withCall(ctx, &Invocation{Request: req, server: s})
	result.Completion, err = runProtected(ctx, "the completion of "+asked.subject, asked.limit, asked.hard, func(ctx context.Context) (Completion, error) {
		return asked.completer(ctx, params.Argument.Value, params.Context.Arguments)
	})
	if err != nil {
		return nil, promptError(err)
	}
	return result, nil
}

// completeParams holds the params of completion/complete.
type completeParams struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument *struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`
}

// readComplete decodes the params of completion/complete.
func readComplete(req *protocol.Request) (*completeParams, error) {
	p := new(completeParams)
	if err := readParams(req.Params, p); err != nil {
		return nil, err
	}
	if p.Argument == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: completion/complete needs the member \"argument\"")
	}
	return p, nil
}

// completionTarget is an argument of a prompt or a variable of a template, with its completer.
type completionTarget struct {
	subject     string        // prompt or template, for messages
	completer   Completer     // nil if there is none
	limit, hard time.Duration // time limits of the completer
}

// find returns the argument or variable that the params name.
func (p *completeParams) find(reg *registry) (c completionTarget, err error) {
	known := false
	switch p.Ref.Type {
	case "ref/prompt":
		prompt, ok := reg.prompts.byKey[p.Ref.Name]
		if !ok {
			return c, unknownPrompt(reg, p.Ref.Name)
		}
		known = prompt.has(p.Argument.Name)
		c = completionTarget{fmt.Sprintf("the prompt %q", p.Ref.Name), prompt.completers[p.Argument.Name], prompt.opts.Timeout, prompt.opts.HardTimeout}
	case "ref/resource":
		template, ok := reg.templates.byKey[p.Ref.URI]
		if !ok {
			return c, unknownTemplate(reg, p.Ref.URI)
		}
		known = template.has(p.Argument.Name)
		c = completionTarget{fmt.Sprintf("the resource template %q", p.Ref.URI), template.completers[p.Argument.Name], template.opts.Timeout, template.opts.HardTimeout}
	default:
		return c, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: ref.type must be \"ref/prompt\" or \"ref/resource\", not %q", p.Ref.Type)
	}
	if !known {
		return c, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s has no argument %q", c.subject, p.Argument.Name)
	}
	return c, nil
}

// unknownTemplate returns the protocol error for an unknown template, with the most similar one as
// a suggestion.
func unknownTemplate(reg *registry, uri string) error {
	if near := nearest.Name(uri, reg.templates.names()); near != "" {
		return protocol.Errorf(protocol.CodeInvalidParams, "Unknown resource template: %q; did you mean %q?", uri, near)
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown resource template: %q; see resources/templates/list", uri)
}
