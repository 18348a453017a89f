package telemetry

import (
	"context"
	"errors"
	"strconv"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
)

// outcome is how a call has ended.
type outcome uint8

const (
	succeeded outcome = iota
	failed            // by a fault of the server, or of what it depends on
	rejected          // for a mistake of the caller, see errorclass.ByCaller
	cancelled         // the client gave it up, or has left
	asked             // it needs an answer of its client, and is run again with that
	outcomeCount
)

// Error codes that this package handles, equal to the codes of package security.
const (
	codeInvalid   = "INVALID_PARAMS"
	codeInternal  = "INTERNAL_ERROR"
	codeTimeout   = "TIMEOUT"
	codeCancelled = "CANCELLED"
)

// noCode is the label of errors without a code.
const noCode = "ERROR"

// classify tells how a call has ended, and the code of its error.
func classify(ctx context.Context, result *mcp.ToolResult, err error) (outcome, string) {
	if err == nil && (result == nil || !result.IsError) {
		return succeeded, ""
	}
	if errors.Is(err, mcp.ErrInputRequired) {
		return asked, ""
	}
	code := codeOf(result, err)
	if errorclass.ByCaller(code) {
		return rejected, code
	}
	if ctx.Err() == nil {
		return failed, code
	}
	switch code {
	case noCode, codeCancelled, codeTimeout:
		if timedOut(ctx) {
			return failed, codeTimeout
		}
		return cancelled, ""
	}
	return failed, code
}

// codeOf is the code of an error, returned or as a result.
func codeOf(result *mcp.ToolResult, err error) string {
	var coded interface{ ErrorCode() string }
	var protocol *mcp.Error
	code := ""
	switch {
	case errors.As(err, &protocol):
		code = strconv.FormatInt(protocol.Code, 10)
	case errors.As(err, &coded):
		code = coded.ErrorCode()
	case err == nil:
		code = result.ErrorCode()
	}
	if code = cleanName(code, maxLabel); code == "" {
		return noCode
	}
	return code
}

// timedOut reports whether a context has ended because its time was up.
func timedOut(ctx context.Context) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(context.Cause(ctx), &timeout) && timeout.Timeout()
}
