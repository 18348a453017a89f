package search

import (
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// The codes that this package and its plugins add to those of package security.
const (
	codeIndexUnavailable  = "INDEX_UNAVAILABLE"
	codeIssuesUnavailable = "ISSUES_UNAVAILABLE"
	codeRateLimited       = "RATE_LIMITED"
	codeNotAuthorized     = "NOT_AUTHORIZED"
	codeNotFound          = "NOT_FOUND"
	codeUnknownOutcome    = "UNKNOWN_OUTCOME"
	codeCircuitOpen       = "CIRCUIT_OPEN"
	codeInvalidCursor     = "INVALID_CURSOR"
)

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// coded tells whether an error says itself what a caller is to do about it.
func coded(err error) bool {
	_, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok
}

// broken is the error of a plugin in the words of the set. One with a code of its own stays what it is.
func broken(code, name string, err error) error {
	if coded(err) {
		return err
	}
	return &mcp.ToolError{
		Code: code, Message: fmt.Sprintf("the plugin %s failed: %s", name, truncate.Line(err.Error(), 300)),
		Next: "Call again; get_index_status tells how the plugins are. If it stays so, tell the user.", Err: err,
	}
}

// slow is the error of a plugin that has not answered in time.
func slow(name string, limit time.Duration) error {
	return problem(string(security.Timeout), "Call again, with a narrower question if there is one.", "the plugin %s did not answer within %v", name, limit)
}

func noDocuments() error {
	return problem(codeIndexUnavailable, "Tell the user to enable the plugin filesystem; read files with other tools until then.", "no plugin with documents is enabled")
}

// noIssues is the error of a call that needs issues.
func (s *Search) noIssues() error {
	if s.options.NoIssues != nil {
		return s.options.NoIssues
	}
	return problem(codeIssuesUnavailable, "Tell the user to enable the plugin github.", "no plugin with issues is enabled")
}

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, 200) }
