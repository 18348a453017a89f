package strict

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
)

// ErrorCodes returns a middleware that gives the errors of tools the codes of a specification. codeOf returns the code of the
// specification for a code of a tool. Each error gets the member "details" with the code of the tool and, if they are known,
// the file and a suggestion.
func ErrorCodes(codeOf func(code string) string) mcp.ToolMiddleware {
	return func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			result, err := next(ctx, args)
			if err == nil {
				return result, nil
			}
			if _, isProtocol := errors.AsType[*protocol.Error](err); isProtocol {
				return result, err
			}
			return result, newCodedError(ctx, err, codeOf)
		}
	}
}

// codedError is an error with a code of a specification.
type codedError struct {
	error
	code    string
	details map[string]any // members of the error for programs
}

// newCodedError returns err with the code of a specification and with details.
func newCodedError(ctx context.Context, err error, codeOf func(code string) string) *codedError {
	own := string(security.CodeOf(err))
	e := &codedError{err, codeOf(own), make(map[string]any)}
	if detailed, ok := errors.AsType[interface {
		error
		ErrorDetails() map[string]any
	}](err); ok {
		maps.Copy(e.details, detailed.ErrorDetails())
	}
	details := map[string]any{"code": own}
	if file, ok := e.details["attemptedPath"]; ok {
		details["file"] = file
	}
	if step, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err); ok {
		if suggestion := tools.Advice(ctx, step.NextStep()); suggestion != "" {
			details["suggestion"] = suggestion
		}
	}
	e.details["details"] = details
	return e
}

// Unwrap returns the error of the tool.
func (e *codedError) Unwrap() error { return e.error }

// ErrorCode returns the code of the specification.
func (e *codedError) ErrorCode() string { return e.code }

// ErrorDetails returns the members of the error for programs.
func (e *codedError) ErrorDetails() map[string]any { return e.details }
