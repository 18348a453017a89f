package search

import (
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// Error codes of this package and its plugins, in addition to those of package security. See docs/errors.md.
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

// problem returns a tool error with a code, a message and the next step for the model.
func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// hasCode reports whether err carries an error code.
func hasCode(err error) bool {
	_, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok
}

// pluginError wraps an error of the plugin name in a tool error with code. An error that already has a code is returned
// unchanged.
func pluginError(code, name string, err error) error {
	if hasCode(err) {
		return err
	}
	return &mcp.ToolError{
		Code: code, Message: fmt.Sprintf("the plugin %s failed: %s", name, truncate.Line(err.Error(), 300)),
		Next: "Call again; get_index_status shows the state of the plugins. If it fails repeatedly, tell the user.", Err: err,
	}
}

// timeoutError is the error of a plugin that did not respond within limit.
func timeoutError(name string, limit time.Duration) error {
	return problem(string(security.Timeout), "Call again, with a narrower question if there is one.", "the plugin %s did not answer within %v", name, limit)
}

// noDocumentsError is the error of calls that need an index while no plugin has documents.
func noDocumentsError() error {
	return problem(codeIndexUnavailable, "Tell the user to enable the plugin filesystem; read files with other tools until then.", "no plugin with documents is enabled")
}

// noFilesError is the error of a path of the project while only plugins with other documents are enabled.
func noFilesError(path string) error {
	return invalid("get_index_status lists what is indexed (covered).", "%s is not indexed", quote(path))
}

// noIssuesError is the error of calls that need issues while no plugin has them. See Options.NoIssues.
func (s *Search) noIssuesError() error {
	if s.options.NoIssues != nil {
		return s.options.NoIssues
	}
	return problem(codeIssuesUnavailable, "Tell the user to enable the plugin github.", "no plugin with issues is enabled")
}

// quote returns untrusted text in quotes, cut to 200 bytes.
func quote(s string) string { return truncate.Quote(s, 200) }
