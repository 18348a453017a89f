package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ReadResource reads a resource (2026-07-28, server/resources). The result may come from the cache.
// IsResourceNotFound classifies the error of an unknown URI.
func (c *Client) ReadResource(ctx context.Context, uri string, opts *CallOptions) (*ReadResult, error) {
	result := new(ReadResult)
	params := jsonx.AppendQuoted([]byte(`{"uri":`), uri)
	if err := c.requestCached(ctx, "resources/read", uri, params, opts, result); err != nil {
		return nil, fmt.Errorf("reading %s: %w", uri, err)
	}
	return result, nil
}

// IsResourceNotFound reports whether the error of ReadResource means that the resource does not
// exist. Revision 2026-07-28 uses the code of invalid params for it, with the URI as data; older
// revisions use a code of their own. An error of a server that leaves the data out is recognized by
// its message, which names a resource that is not found, for example "Resource a:b not found". Other
// invalid params, for example a value that a template refuses, are not reported.
func IsResourceNotFound(err error) bool {
	var e *protocol.Error
	switch {
	case !errors.As(err, &e):
		return false
	case e.Code == protocol.CodeResourceNotFoundOld:
		return true
	case e.Code != protocol.CodeInvalidParams:
		return false
	}
	if uri := jsonx.Member(e.Data, "uri"); len(uri) > 0 && uri[0] == '"' {
		return true
	}
	_, after, found := strings.Cut(strings.ToLower(e.Message), "resource")
	return found && strings.Contains(after, "not found")
}

// GetPrompt returns a prompt with its arguments filled in (2026-07-28, server/prompts).
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string, opts *CallOptions) (*PromptResult, error) {
	params := jsonx.AppendQuoted([]byte(`{"name":`), name)
	if len(args) > 0 {
		params = mustMarshal(append(params, `,"arguments":`...), args)
	}
	result := new(PromptResult)
	if err := c.request(ctx, "prompts/get", params, opts, result); err != nil {
		return nil, fmt.Errorf("getting the prompt %s: %w", name, err)
	}
	return result, nil
}

// CompletePrompt returns completions for the value of a prompt's argument. others holds the
// arguments that already have a value; servers before 2025-06-18 do not receive them (2026-07-28,
// server/utilities/completion).
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, value string, others map[string]string) (Completion, error) {
	ref := jsonx.AppendQuoted([]byte(`{"ref":{"type":"ref/prompt","name":`), prompt)
	return c.complete(ctx, ref, argument, value, others)
}

// CompleteResource returns completions for a variable of a resource template. The template is
// identified by its text, for example "file:///{+path}". others is as in CompletePrompt.
func (c *Client) CompleteResource(ctx context.Context, template, variable, value string, others map[string]string) (Completion, error) {
	ref := jsonx.AppendQuoted([]byte(`{"ref":{"type":"ref/resource","uri":`), template)
	return c.complete(ctx, ref, variable, value, others)
}

// complete sends completion/complete. ref lacks the closing brace of the reference.
func (c *Client) complete(ctx context.Context, ref []byte, name, value string, others map[string]string) (Completion, error) {
	params := jsonx.AppendQuoted(append(ref, `},"argument":{"name":`...), name)
	params = append(appendMember(params, "value", value), '}')
	if err := c.check(ctx); err != nil {
		return Completion{}, fmt.Errorf("completing %s: %w", name, err)
	}
	if len(others) > 0 && c.Revision() >= protocol.Rev20250618 {
		params = append(mustMarshal(append(params, `,"context":{"arguments":`...), others), '}')
	}
	var result CompleteResult
	if err := c.request(ctx, "completion/complete", params, nil, &result); err != nil {
		return Completion{}, fmt.Errorf("completing %s: %w", name, err)
	}
	return result.Completion, nil
}
