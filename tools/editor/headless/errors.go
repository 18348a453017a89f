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

// Error codes of this package, beside the codes of package security.
const (
	// codeNoServer: no server or formatter supports the request.
	codeNoServer = "NO_LANGUAGE_SERVER"
	// codeServerFailed: the language server ended, returned an error or an unusable result.
	codeServerFailed = "LANGUAGE_SERVER_FAILED"
	// codeFormatter: the formatter failed or printed unusable text.
	codeFormatter = "FORMATTER_FAILED"
)

// unsupported returns an error with adapter.ErrUnsupported, after which the next adapter is tried.
func unsupported(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeNoServer, Message: fmt.Sprintf(format, args...), Next: next, Err: adapter.ErrUnsupported}
}

// errMissing is the cause of an error for a server that is not installed.
var errMissing = fmt.Errorf("not installed: %w", adapter.ErrUnsupported)

// missing returns an error with errMissing.
func missing(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeNoServer, Message: fmt.Sprintf(format, args...), Next: next, Err: errMissing}
}

// invalidResponse returns the error for a response that cannot be used.
func invalidResponse(server, format string, args ...any) error {
	return &mcp.ToolError{Code: codeServerFailed, Message: server + " " + fmt.Sprintf(format, args...), Next: "Nothing was changed. Make the change with another tool."}
}

// explain converts an error of package lsp, or of an ended context, into a mcp.ToolError. Other errors are returned unchanged.
func (h *Headless) explain(ctx context.Context, doing string, err error) error {
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
			message += "\nIts output: " + failed.Words
		}
		next := "Try again: the server starts again."
		switch {
		case errors.Is(err, lsp.ErrMemory):
			next = h.memoryHint()
		case errors.Is(err, lsp.ErrGivenUp):
			next = "Continue without it, or correct the reported problem. It is started again after five minutes."
		}
		return &mcp.ToolError{Code: codeServerFailed, Message: message, Next: next, Err: err}
	}
	if ctx.Err() != nil {
		return &mcp.ToolError{Code: string(security.CodeOf(ctx.Err())), Message: doing + " took too long", Next: "Try again: the server continues to start and to read the project.", Err: err}
	}
	return err
}

// memoryHint is the next step after a server was ended because of its memory.
func (h *Headless) memoryHint() string {
	if h.o.MemoryFlag == "" {
		return "Continue without it: the project needs more memory than language servers may use."
	}
	return "If the machine has more memory, ask the user to raise " + h.o.MemoryFlag + "."
}

// reasonAndStep returns an error's message and next step, as the reason why a file was not checked.
func reasonAndStep(err error) (text, next string) {
	if e, ok := errors.AsType[*mcp.ToolError](err); ok {
		return e.Message, e.Next
	}
	if e, ok := errors.AsType[*security.Error](err); ok {
		return e.Message, e.Next
	}
	return reason(err), ""
}

// reason returns the first line of an error, at most 300 bytes.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return truncate.Cut(text, 300)
}

func quote(s string) string { return truncate.Quote(s, 300) }
