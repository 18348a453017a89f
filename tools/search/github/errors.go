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

// The codes that this package adds to those of package security.
const (
	codeUnavailable   = "ISSUES_UNAVAILABLE"
	codeRateLimited   = "RATE_LIMITED"
	codeNotAuthorized = "NOT_AUTHORIZED"
	codeNoToken       = "NO_TOKEN"
	codeNotFound      = "NOT_FOUND"
	codeUnknown       = "UNKNOWN_OUTCOME"
)

// mostSaid is how much of what GitHub says is shown, in bytes.
const mostSaid = 300

func problem(code string, cause error, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next, Err: cause}
}

// invalid is an error about what was asked.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), nil, next, format, args...)
}

func denied(r, own repository) error {
	next := "Ask the user to allow it in the configuration (repos)."
	if own != (repository{}) {
		next = "Leave the repository out for " + own.String() + ", or ask the user to allow it in the configuration (repos)."
	}
	return problem(string(security.PermissionDenied), nil, next, "the repository %s is not among those that the configuration allows", r)
}

func closed() error {
	return problem(codeUnavailable, nil, "Call again in a moment: the plugin is being exchanged, or the server stopped.", "the GitHub plugin is closed")
}

// LimitError says that GitHub takes no requests for a while. Errors with the code
// RATE_LIMITED have it in their chain; limits of this server have not.
type LimitError struct {
	// Limit is what is used up: "core" or "search", the requests of an hour or a
	// minute, or "secondary", when much was asked at once.
	Limit string
	// Until is when requests are taken again, as far as it is known.
	Until time.Time
}

// Error implements error.
func (e *LimitError) Error() string {
	what := "GitHub's limit of requests is reached"
	switch e.Limit {
	case limitSearch:
		what = "GitHub's limit of searches is reached"
	case limitSecondary:
		what = "GitHub asks for a pause after many requests at once (its secondary limit)"
	}
	return fmt.Sprintf("%s; it lasts until %s", what, e.Until.UTC().Format(time.RFC3339))
}

// RetryAfter is how long it is until requests are taken again, in whole seconds.
func (e *LimitError) RetryAfter() time.Duration {
	left := max(time.Until(e.Until), 0)
	return (left + time.Second - 1).Truncate(time.Second)
}

// ErrorDetails are shown to programs: the limit, and the pause in seconds.
func (e *LimitError) ErrorDetails() map[string]any {
	return map[string]any{"limit": "github:" + e.Limit, "retryAfter": int(e.RetryAfter() / time.Second)}
}

// explain makes an error of this package of what a request has ended with. what
// says what was being done, and where says of which repository.
func (p *Plugin) explain(ctx context.Context, err error, where repository, what string) error {
	err = p.told(ctx, err, where, what)
	p.health.note(err)
	return err
}

func (p *Plugin) told(ctx context.Context, err error, where repository, what string) error {
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
		return problem(codeRateLimited, limit, fmt.Sprintf("Call again in %d seconds.", max(int(limit.RetryAfter()/time.Second), 1)), "%s: %s", what, limit)
	case ctx.Err() != nil:
		if cause := context.Cause(ctx); errors.As(cause, &known) {
			return cause
		}
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case errors.As(err, &elsewise):
		return problem(codeUnavailable, nil, "Tell the user; if the repository was moved, its new name belongs into the configuration.",
			"%s: GitHub answers with a redirection that is not followed", what)
	case errors.As(err, &answer):
		return p.answered(answer, where, what)
	case errors.As(err, &twice):
		return p.answered((*api.ErrorResponse)(twice), where, what)
	case errors.As(err, &primary), errors.As(err, &abuse):
		return problem(codeRateLimited, nil, "Call again in a minute.", "%s: GitHub's limit of requests is reached", what)
	}
	return problem(codeUnavailable, p.hidden(err), "Call again in a moment; if it stays so, tell the user that GitHub cannot be reached.", "%s: %s", what, p.hide(cause(err)))
}

// answered explains an answer that says that something is wrong.
func (p *Plugin) answered(e *api.ErrorResponse, where repository, what string) error {
	said := p.hide(e.Message)
	for _, one := range e.Errors[:min(len(e.Errors), 5)] {
		said += "; " + p.hide(strings.TrimSpace(strings.Join([]string{one.Resource, one.Field, one.Code, one.Message}, " ")))
	}
	said = truncate.Line(said, mostSaid)
	if said == "" {
		said = "it says nothing more"
	}
	status := 0
	if e.Response != nil {
		status = e.Response.StatusCode
	}
	if p.wire.token() == "" && needsToken(status, said) {
		return noToken(what)
	}
	switch status {
	case http.StatusUnauthorized:
		return problem(codeNotAuthorized, nil, "Tell the user: the token has ended or was revoked; a new one belongs into the configuration (GITHUB_TOKEN).",
			"%s: GitHub does not accept the token: %s", what, said)
	case http.StatusForbidden:
		next := "Tell the user which permission the token lacks; it needs that for issues (read, and write to make some)."
		if strings.HasPrefix(e.Response.Header.Get("X-GitHub-SSO"), "required") {
			next = "Tell the user to authorize the token for the single sign-on of the organization."
		}
		return problem(codeNotAuthorized, nil, next, "%s: GitHub refuses it: %s", what, said)
	case http.StatusNotFound:
		return problem(codeNotFound, nil, "Check the name of the repository. If it is private, the token must be allowed to see it.",
			"%s: GitHub knows no %s that the token can see", what, where)
	case http.StatusGone:
		return problem(codeNotFound, nil, "Tell the user: issues can be switched on in the settings of the repository.", "%s: %s has no issues any more: %s", what, where, said)
	case http.StatusUnavailableForLegalReasons:
		return problem(codeNotFound, nil, "Tell the user.", "%s: %s is not shown for legal reasons", what, where)
	case http.StatusUnprocessableEntity:
		if strings.Contains(said, "cannot be searched") {
			return problem(codeNotFound, nil, "Check the name of the repository. If it is private, the token must be allowed to see it.",
				"%s: GitHub knows no %s that the token can see", what, where)
		}
		return invalid("Correct what GitHub names.", "%s: GitHub does not take it: %s", what, said)
	}
	return problem(codeUnavailable, nil, "Call again in a moment; if it stays so, tell the user.", "%s: GitHub answers %d %s: %s", what, status, http.StatusText(status), said)
}

// needsToken reports whether a request without a token may have been refused for the lack of one: GitHub answers 404, or 422 to a
// search, where a repository is not shown to everybody.
func needsToken(status int, said string) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	case http.StatusUnprocessableEntity:
		return strings.Contains(said, "cannot be searched")
	}
	return false
}

// noToken is the error of a request that needs a token while there is none.
func noToken(what string) error {
	return problem(codeNoToken, nil, "Tell the user to set a token for GitHub that may read and write issues (GITHUB_TOKEN), and to start the server again.",
		"%s: this needs a token for GitHub, and none is set", what)
}

// cause is what an error of a request says, without the address: that has the
// query in it, and is long.
func cause(err error) string {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "it does not answer in time"
	}
	return err.Error()
}

// hide takes the token out of a text that comes from outside.
func (p *Plugin) hide(text string) string {
	if token := p.wire.token(); token != "" {
		text = strings.ReplaceAll(text, token, "[redacted]")
	}
	return truncate.Line(text, mostSaid)
}

// hidden is an error without the token, unless it is one to compare with.
func (p *Plugin) hidden(err error) error {
	if token := p.wire.token(); token != "" && strings.Contains(err.Error(), token) {
		return errors.New(p.hide(err.Error()))
	}
	return err
}

// health is what the last request has told.
type health struct {
	mu  sync.Mutex
	err error
}

func (h *health) get() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var limit *LimitError
	if errors.As(h.err, &limit) && !time.Now().Before(limit.Until) {
		h.err = nil // it is over
	}
	return h.err
}

// note keeps an error that says something of the plugin; one about what was asked
// says that it works.
func (h *health) note(err error) {
	var known *mcp.ToolError
	if err != nil && !errors.As(err, &known) {
		return // it was given up
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
