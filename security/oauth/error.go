package oauth

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/truncate"
)

// maxQuoted is the maximum length of a server's text in an error, in bytes.
const maxQuoted = 200

var (
	// ErrClosed is the error of requests that wait for a token when the Client is closed.
	ErrClosed = errors.New("the OAuth client is closed")
	// ErrIssuer reports a document or response of another issuer than the expected one. Its content
	// is not used (RFC 8414 §3.3, RFC 9207 §2.4).
	ErrIssuer = errors.New("it is not from the expected authorization server")
	// ErrState reports a login response that does not belong to the current login.
	ErrState = errors.New("the answer does not belong to this authorization")
	// ErrRefusedAddress reports an address or URL of a server to which no request may be sent.
	ErrRefusedAddress = errors.New("nothing is sent there")
)

// Error reports that a request failed because no token is available.
type Error struct {
	Resource string // URL of the resource
	Err      error
}

// Error implements error.
func (e *Error) Error() string { return "no token for " + e.Resource + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Unauthorized returns true. Packages that know only http.RoundTripper can detect missing
// credentials with it.
func (e *Error) Unauthorized() bool { return true }

// ResponseError is an error response of an authorization server, from its authorization endpoint
// (RFC 6749 §4.1.2.1), its token endpoint (§5.2) or its registration endpoint.
type ResponseError struct {
	// Issuer is the authorization server.
	Issuer      string
	Code        string // for example "access_denied" or "invalid_grant"
	Description string // printable, one line, at most 200 bytes
	Status      int    // HTTP status; 0 at the authorization endpoint

	after time.Duration // Retry-After of the response
}

// Error implements error.
func (e *ResponseError) Error() string {
	text := fmt.Sprintf("the authorization server %s answers %q", e.Issuer, e.Code)
	if e.Status != 0 && e.Code == "" {
		text = fmt.Sprintf("the authorization server %s answers with HTTP status %d", e.Issuer, e.Status)
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// isCode reports whether err is a ResponseError with one of the codes.
func isCode(err error, codes ...string) bool {
	var answer *ResponseError
	if !errors.As(err, &answer) {
		return false
	}
	for _, code := range codes {
		if answer.Code == code {
			return true
		}
	}
	return false
}

// printable shortens a server's text to maxQuoted bytes on one line and replaces the secrets in it.
func printable(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	return truncate.Line(strings.Join(strings.Fields(text), " "), maxQuoted)
}
