package telemetry

import (
	"context"
	"errors"
	"strconv"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// outcome is the way in which a call ended.
type outcome uint8

const (
	succeeded outcome = iota
	failed            // by a fault of the server or of a service that it uses
	rejected          // for a mistake of the caller, see errorclass.ByCaller
	cancelled         // the client cancelled it or disconnected
	asked             // a question to the client ended the round; the handler runs again with the answer
	outcomeCount
)

// The error codes that this package treats specially; package security defines them.
const (
	codeInvalid   = "INVALID_PARAMS"
	codeInternal  = "INTERNAL_ERROR"
	codeTimeout   = "TIMEOUT"
	codeCancelled = "CANCELLED"
)

// noCode is the label of errors without a code.
const noCode = "ERROR"

// classify returns the outcome of a call and the code of its error.
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

// codeOf returns the code of a returned error or of an error result; "ERROR" if there is none.
func codeOf(result *mcp.ToolResult, err error) string {
	var coded interface{ ErrorCode() string }
	var refused *protocol.Error
	code := ""
	switch {
	case errors.As(err, &refused):
		code = strconv.FormatInt(refused.Code, 10)
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

// timedOut reports whether the context ended by a timeout.
func timedOut(ctx context.Context) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(context.Cause(ctx), &timeout) && timeout.Timeout()
}
