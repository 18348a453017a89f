package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// ReadResource reads a resource (2026-07-28, server/resources). The result may
// come from the cache. See IsResourceNotFound for its error.
func (c *Client) ReadResource(ctx context.Context, uri string, opts *CallOptions) (*ReadResult, error) {
	result := new(ReadResult)
	params := jsonx.AppendQuoted([]byte(`{"uri":`), uri)
	if err := c.fetch(ctx, "resources/read", uri, params, opts, result); err != nil {
		return nil, fmt.Errorf("reading %s: %w", uri, err)
	}
	return result, nil
}

// IsResourceNotFound reports whether the error of ReadResource says that there
// is no such resource. Since 2026-07-28 that has the code of invalid parameters,
// before it had one of its own.
func IsResourceNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == CodeInvalidParams || e.Code == CodeResourceNotFoundOld)
}

// GetPrompt gets a prompt with its arguments filled in (2026-07-28,
// server/prompts).
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string, opts *CallOptions) (*PromptResult, error) {
	params := jsonx.AppendQuoted([]byte(`{"name":`), name)
	if len(args) > 0 {
		params = mustMarshal(append(params, `,"arguments":`...), args)
	}
	result := new(PromptResult)
	if err := c.ask(ctx, "prompts/get", params, opts, result); err != nil {
		return nil, fmt.Errorf("getting the prompt %s: %w", name, err)
	}
	return result, nil
}

// CompletePrompt asks what may complete the value of a prompt's argument that
// the user has begun to type. others are the arguments that have a value
// already; servers before 2025-06-18 are not told (2026-07-28,
// server/utilities/completion).
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, value string, others map[string]string) (Completion, error) {
	ref := jsonx.AppendQuoted([]byte(`{"ref":{"type":"ref/prompt","name":`), prompt)
	return c.complete(ctx, ref, argument, value, others)
}

// CompleteResource is CompletePrompt for a variable of a resource template,
// which is named by its text, such as "file:///{+path}".
func (c *Client) CompleteResource(ctx context.Context, template, variable, value string, others map[string]string) (Completion, error) {
	ref := jsonx.AppendQuoted([]byte(`{"ref":{"type":"ref/resource","uri":`), template)
	return c.complete(ctx, ref, variable, value, others)
}

func (c *Client) complete(ctx context.Context, ref []byte, name, value string, others map[string]string) (Completion, error) {
	params := jsonx.AppendQuoted(append(ref, `},"argument":{"name":`...), name)
	params = append(appendMember(params, "value", value), '}')
	if len(others) > 0 && c.Revision() >= Rev20250618 {
		params = append(mustMarshal(append(params, `,"context":{"arguments":`...), others), '}')
	}
	var result CompleteResult
	if err := c.ask(ctx, "completion/complete", params, nil, &result); err != nil {
		return Completion{}, fmt.Errorf("completing %s: %w", name, err)
	}
	return result.Completion, nil
}
