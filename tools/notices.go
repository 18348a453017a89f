package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// WithNotices returns the tools of a set with notices in their answers: the next
// answer tells the outcome of changes that were interrupted when their server
// died (see security.Root.TakeNotices), and each answer tells if the unsaved text
// of an editor could not be read. All reads of one call share a security.View. It
// is for sets that work on the files of the Root.
func (e Env) WithNotices(defined ...mcp.ServerTool) []mcp.ServerTool {
	out := slices.Clone(defined)
	for i := range out {
		out[i] = out[i].Wrap(e.announce)
	}
	return out
}

// announce adds the notices to the content of an answer, as a block of its own.
func (e Env) announce(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		ctx, view := e.Root.View(ctx)
		result, err := next(ctx, args)
		if _, refused := errors.AsType[*protocol.Error](err); refused || errors.Is(err, mcp.ErrInputRequired) || ctx.Err() != nil {
			return result, err // no answer that a model reads, or not the last one of the call
		}
		notices := e.Root.TakeNotices()
		if problem := view.Problem(); problem != "" {
			notices = append(notices, "this answer may lack unsaved text: "+problem)
		}
		if len(notices) == 0 {
			return result, err
		}
		if err != nil {
			result = mcp.ErrorResult(err)
		}
		if result == nil {
			result = new(mcp.ToolResult)
		}
		note := mcp.TextContent{Text: "[Notice: " + strings.Join(notices, "\n") + "]"}
		return &mcp.ToolResult{
			Content: append(slices.Clone(result.Blocks()), note), Structured: result.Structured, IsError: result.IsError, Meta: result.Meta,
		}, nil
	}
}
