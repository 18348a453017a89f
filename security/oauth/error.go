package oauth

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/truncate"
)

// shown is how much of a foreign text an error shows, in bytes.
const shown = 200

var (
	// ErrClosed is what waits fail with when the Client is closed.
	ErrClosed = errors.New("the OAuth client is closed")
	// ErrIssuer is a document or an answer of another issuer than the one that was asked. Nothing of it was used (RFC 8414 §3.3,
	// RFC 9207 §2.4).
	ErrIssuer = errors.New("it is not from the authorization server that was asked")
	// ErrState is an answer that belongs to no authorization that was begun.
	ErrState = errors.New("the answer does not belong to the authorization that was begun")
	// ErrRefusedAddress is an address or a URL to which a server has pointed and where nothing is sent.
	ErrRefusedAddress = errors.New("nothing is sent there")
)

// Error says that a request could not be made for want of a token.
type Error struct {
	Resource string // for which there is none
	Err      error
}

func (e *Error) Error() string { return "no token for " + e.Resource + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Unauthorized tells those who know http.RoundTripper only that other credentials are missing, and no connection.
func (e *Error) Unauthorized() bool { return true }

// ResponseError is an error that an authorization server has answered with, at its authorization endpoint (RFC 6749 §4.1.2.1) or
// its token endpoint (§5.2).
type ResponseError struct {
	Issuer      string
	Code        string // such as "access_denied" or "invalid_grant"
	Description string // printable, on one line, at most 200 bytes
	Status      int    // of HTTP; 0 at the authorization endpoint

	after time.Duration // for which the server wants to be left alone
}

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

// isCode reports whether an error is an answer with one of these codes.
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

// printable is the beginning of a foreign text, on one line, without secrets that it may repeat.
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
	return truncate.Line(strings.Join(strings.Fields(text), " "), shown)
}
