package cursorcli

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/redact"
)

// logToolExecution is a tools.Profile.Wrap that logs each call as the CursorCLI specification has it: toolName, params,
// result and duration, which is in milliseconds. Secrets are removed and long values are truncated.
func (v *service) logToolExecution(next mcp.RawHandler) mcp.RawHandler {
	redactor := new(redact.Redactor)
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		start := time.Now()
		result, err := next(ctx, args)
		call := mcp.CallFrom(ctx)
		if level := slog.LevelInfo; call != nil && v.logging.log.Enabled(ctx, level) {
			shown := ""
			switch {
			case err != nil:
				shown = err.Error()
			case result != nil:
				shown = textOf(result)
			}
			v.logging.log.LogAttrs(ctx, level, "tool execution", slog.String("toolName", call.Tool), slog.String("params", string(redactor.JSON(args))),
				slog.String("result", redactor.Redact(shown)), slog.Float64("duration", float64(time.Since(start).Microseconds())/1000))
		}
		return result, err
	}
}

// textOf returns the text blocks of a result, truncated to maxLoggedValue bytes.
func textOf(result *mcp.ToolResult) string {
	var b strings.Builder
	for _, block := range result.Blocks() {
		if text, ok := block.(mcp.TextContent); ok && b.Len() < maxLoggedValue {
			b.WriteString(text.Text[:min(len(text.Text), maxLoggedValue-b.Len())])
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}
