package headless

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// The codes that this package adds to those of package security.
const (
	codeNoServer     = "NO_LANGUAGE_SERVER"
	codeServerFailed = "LANGUAGE_SERVER_FAILED"
	codeFormatter    = "FORMATTER_FAILED"
)

// unsupported is an error that has the next adapter asked.
func unsupported(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeNoServer, Message: fmt.Sprintf(format, args...), Next: next, Err: adapter.ErrUnsupported}
}

// lied is an answer that cannot be used.
func lied(server, format string, args ...any) error {
	return &mcp.ToolError{Code: codeServerFailed, Message: server + " " + fmt.Sprintf(format, args...), Next: "Nothing was changed. Make the change by other means."}
}

// explain gives an error of package lsp its code, if it has none.
func explain(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*mcp.ToolError](err); ok {
		return err
	}
	if refused, ok := errors.AsType[*lsp.ResponseError](err); ok {
		return &mcp.ToolError{Code: codeServerFailed, Message: fmt.Sprintf("%s: %s: %s", doing, refused.Server, refused.Message), Next: "Check that the position and the name are right.", Err: err}
	}
	if failed, ok := errors.AsType[*lsp.Error](err); ok {
		message := fmt.Sprintf("%s: %v", doing, failed)
		if failed.Words != "" {
			message += "\nIt said: " + failed.Words
		}
		next := "Try again: it is started anew."
		if errors.Is(err, lsp.ErrGivenUp) {
			next = "Do without it, or correct what it complains about; it is tried again in five minutes."
		}
		return &mcp.ToolError{Code: codeServerFailed, Message: message, Next: next, Err: err}
	}
	if ctx.Err() != nil {
		return &mcp.ToolError{Code: string(security.CodeOf(ctx.Err())), Message: doing + " took too long", Next: "Try again: the server goes on starting and reading the project meanwhile.", Err: err}
	}
	return err
}

// why turns an error into the reason why a file was not looked at, and the step that would change it.
func why(err error) (text, next string) {
	if e, ok := errors.AsType[*mcp.ToolError](err); ok {
		return e.Message, e.Next
	}
	if e, ok := errors.AsType[*security.Error](err); ok {
		return e.Message, e.Next
	}
	return reason(err), ""
}

// reason is an error as a note.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return truncate.Cut(text, 300)
}

func quote(s string) string { return truncate.Quote(s, 300) }
