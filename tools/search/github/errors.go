package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// Error codes of this package, in addition to those of package security. See docs/errors.md.
const (
	codeUnavailable   = "ISSUES_UNAVAILABLE"
	codeRateLimited   = "RATE_LIMITED"
	codeNotAuthorized = "NOT_AUTHORIZED"
	codeNoToken       = "NO_TOKEN"
	codeNotFound      = "NOT_FOUND"
	codeUnknown       = "UNKNOWN_OUTCOME"
)

// maxMessage limits the text of GitHub in errors, in bytes.
const maxMessage = 300

// problem returns a tool error with a code, a cause, the next step and a message.
func problem(code string, cause error, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next, Err: cause}
}

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), nil, next, format, args...)
}

// deniedError is the error of a repository that is not permitted.
func deniedError(r, own repository) error {
	next := "Ask the user to allow it in the configuration (repos)."
	if own != (repository{}) {
		next = "Leave the repository out for " + own.String() + ", or ask the user to allow it in the configuration (repos)."
	}
	return problem(string(security.PermissionDenied), nil, next, "the configuration does not allow the repository %s", r)
}

// closedError is the error of calls after Close.
func closedError() error {
	return problem(codeUnavailable, nil, "Call again in a moment: the plugin is being replaced, or the server is stopping.", "the GitHub plugin is closed")
}

// LimitError is the error of a request during a rate limit of GitHub. Errors with the code RATE_LIMITED wrap it; limits of this
// server do not.
type LimitError struct {
	// Limit is "core" (requests per hour), "search" (searches per minute) or "secondary" (bursts).
	Limit string
	// Until is the end of the limit, estimated if GitHub does not specify it.
	Until time.Time
}

// Error implements error.
func (e *LimitError) Error() string {
	reason := "GitHub's limit of requests is reached"
	switch e.Limit {
	case limitSearch:
		reason = "GitHub's limit of searches is reached"
	case limitSecondary:
		reason = "GitHub requires a pause after many requests (secondary limit)"
	}
	return fmt.Sprintf("%s; it lasts until %s", reason, e.Until.UTC().Format(time.RFC3339))
}

// RetryAfter returns the time until the end of the limit, rounded up to seconds.
func (e *LimitError) RetryAfter() time.Duration {
	left := max(time.Until(e.Until), 0)
	return (left + time.Second - 1).Truncate(time.Second)
}

// ErrorDetails returns the name of the limit and the delay in seconds, for programs.
func (e *LimitError) ErrorDetails() map[string]any {
	return map[string]any{"limit": "github:" + e.Limit, "retryAfter": int(e.RetryAfter() / time.Second)}
}

// explain converts an error of a request to a tool error and records it for Health. action describes the operation, where is
// its repository.
func (p *Plugin) explain(ctx context.Context, err error, repo repository, action string) error {
	err = p.toToolError(ctx, err, repo, action)
	p.health.record(err)
	return err
}

// toToolError converts an error of a request to a tool error.
func (p *Plugin) toToolError(ctx context.Context, err error, repo repository, action string) error {
	var (
		limit    *LimitError
		elsewise *api.RedirectionError
		primary  *api.RateLimitError
		abuse    *api.AbuseRateLimitError
		answer   *api.ErrorResponse
		twice    *api.TwoFactorAuthError
		known    *mcp.ToolError
	)
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &limit):
		return problem(codeRateLimited, limit, fmt.Sprintf("Call again in %d seconds.", max(int(limit.RetryAfter()/time.Second), 1)), "%s: %s", action, limit)
	case ctx.Err() != nil:
		if cause := context.Cause(ctx); errors.As(cause, &known) {
			return cause
		}
		return fmt.Errorf("%s: %w", action, context.Cause(ctx))
	case errors.As(err, &elsewise):
		return problem(codeUnavailable, nil, "Tell the user. If the repository was moved, the configuration must contain its new name.",
			"%s: GitHub responds with a redirect that is not followed", action)
	case errors.As(err, &answer):
		return p.responseError(answer, repo, action)
	case errors.As(err, &twice):
		return p.responseError((*api.ErrorResponse)(twice), repo, action)
	case errors.As(err, &primary), errors.As(err, &abuse):
		return problem(codeRateLimited, nil, "Call again in a minute.", "%s: GitHub's limit of requests is reached", action)
	}
	return problem(codeUnavailable, p.redactError(err), "Call again in a moment. If it fails repeatedly, tell the user that GitHub is unreachable.", "%s: %s", action, p.redact(causeText(err)))
}

// responseError converts an error response to a tool error.
func (p *Plugin) responseError(e *api.ErrorResponse, repo repository, action string) error {
	message := p.redact(e.Message)
	for _, one := range e.Errors[:min(len(e.Errors), 5)] {
		message += "; " + p.redact(strings.TrimSpace(strings.Join([]string{one.Resource, one.Field, one.Code, one.Message}, " ")))
	}
	message = truncate.Line(message, maxMessage)
	if message == "" {
		message = "no details"
	}
	status := 0
	if e.Response != nil {
		status = e.Response.StatusCode
	}
	if p.transport.token() == "" && needsToken(status, message) {
		return noTokenError(action)
	}
	switch status {
	case http.StatusUnauthorized:
		return problem(codeNotAuthorized, nil, "Tell the user that the token has expired or was revoked, and that a new one must be set (GITHUB_TOKEN).",
			"%s: GitHub does not accept the token: %s", action, message)
	case http.StatusForbidden:
		next := "Tell the user that the token lacks a permission: it needs read access to issues, and write access to create them."
		if strings.HasPrefix(e.Response.Header.Get("X-GitHub-SSO"), "required") {
			next = "Tell the user to authorize the token for the single sign-on of the organization."
		}
		return problem(codeNotAuthorized, nil, next, "%s: access denied by GitHub: %s", action, message)
	case http.StatusNotFound:
		return problem(codeNotFound, nil, "Check the name of the repository. If it is private, the token must be allowed to see it.",
			"%s: the repository %s does not exist or is not visible to the token", action, repo)
	case http.StatusGone:
		return problem(codeNotFound, nil, "Tell the user that issues can be enabled in the settings of the repository.", "%s: issues are disabled in %s: %s", action, repo, message)
	case http.StatusUnavailableForLegalReasons:
		return problem(codeNotFound, nil, "Tell the user.", "%s: %s is not shown for legal reasons", action, repo)
	case http.StatusUnprocessableEntity:
		if strings.Contains(message, "cannot be searched") {
			return problem(codeNotFound, nil, "Check the name of the repository. If it is private, the token must be allowed to see it.",
				"%s: the repository %s does not exist or is not visible to the token", action, repo)
		}
		return invalid("Correct the arguments that GitHub names.", "%s: GitHub rejects it: %s", action, message)
	}
	return problem(codeUnavailable, nil, "Call again in a moment. If it fails repeatedly, tell the user.", "%s: GitHub responds %d %s: %s", action, status, http.StatusText(status), message)
}

// needsToken reports whether a request without a token may have failed because of that. GitHub responds 404, or 422 to a
// search, for a private repository.
func needsToken(status int, message string) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	case http.StatusUnprocessableEntity:
		return strings.Contains(message, "cannot be searched")
	}
	return false
}

// noTokenError is the error of a request that requires a token while none is set.
func noTokenError(action string) error {
	return problem(codeNoToken, nil, "Tell the user to set a GitHub token with read and write access to issues (GITHUB_TOKEN), and to restart the server.",
		"%s: a GitHub token is required, and none is set", action)
}

// causeText returns the text of an error without the URL, which is long and contains the query.
func causeText(err error) string {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no response in time"
	}
	return err.Error()
}

// redact removes the token from a foreign text, and cuts it to maxMessage bytes.
func (p *Plugin) redact(text string) string {
	if token := p.transport.token(); token != "" {
		text = strings.ReplaceAll(text, token, "[redacted]")
	}
	return truncate.Line(text, maxMessage)
}

// redactError returns err without the token. It keeps err, and so its identity for errors.Is, if the token does not occur.
func (p *Plugin) redactError(err error) error {
	if token := p.transport.token(); token != "" && strings.Contains(err.Error(), token) {
		return errors.New(p.redact(err.Error()))
	}
	return err
}

// health is the outcome of the last request.
type health struct {
	mu  sync.Mutex
	err error
}

// get returns the recorded error; nil if it was a rate limit that has ended.
func (h *health) get() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var limit *LimitError
	if errors.As(h.err, &limit) && !time.Now().Before(limit.Until) {
		h.err = nil // the limit has ended
	}
	return h.err
}

// record records an error of the plugin itself. An error about the arguments proves that the plugin works.
func (h *health) record(err error) {
	var known *mcp.ToolError
	if err != nil && !errors.As(err, &known) {
		return // cancelled
	}
	if known != nil {
		switch known.Code {
		case codeUnavailable, codeRateLimited, codeNotAuthorized, codeNoToken:
		default:
			err = nil
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}
