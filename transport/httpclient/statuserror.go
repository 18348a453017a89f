package httpclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxErrorBody is the number of bytes that are read of the body of a failure.
	maxErrorBody = 256 << 10
	// maxExcerpt is the number of its bytes that are shown.
	maxExcerpt = 512
)

// StatusError is an unexpected HTTP response of a server or proxy. If its body is
// a JSON-RPC error, as servers of 2026-07-28 send with status 400 and 404,
// errors.As also finds the *protocol.Error.
type StatusError struct {
	Code   int         // the HTTP status
	Header http.Header // of the response, for example with WWW-Authenticate, Retry-After or Location
	Body   string      // its beginning, printable and on one line, at most 512 bytes

	rpc *protocol.Error
	why string
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server returns HTTP status %d %s", e.Code, http.StatusText(e.Code))
	if e.why != "" {
		text += " " + e.why
	}
	if location := e.Header.Get("Location"); location != "" && e.Code >= 300 && e.Code <= 399 {
		text += ", to " + printable(location)
	}
	if e.Body != "" {
		text += ": " + e.Body
	}
	return text
}

// Unwrap returns the JSON-RPC error of the body, or nil.
func (e *StatusError) Unwrap() error {
	if e.rpc == nil {
		return nil
	}
	return e.rpc
}

// Is reports whether target is rpc.ErrUnsent or rpc.ErrRefused and the status
// says so. A 5xx other than 503 may come from a proxy after the server has
// begun.
func (e *StatusError) Is(target error) bool {
	refused := e.Code >= 400 && e.Code <= 499 && e.Code != http.StatusRequestTimeout
	switch target {
	case rpc.ErrUnsent:
		return refused || e.Code == http.StatusServiceUnavailable
	case rpc.ErrRefused:
		return refused
	}
	return false
}

// forCredentials reports whether other credentials may help.
func (e *StatusError) forCredentials() bool {
	return e.Code == http.StatusUnauthorized || e.Code == http.StatusForbidden && e.Header.Get("WWW-Authenticate") != ""
}

// temporary reports whether the same request may succeed later.
func (e *StatusError) temporary() bool {
	return e.Code >= 500 && e.Code != http.StatusNotImplemented || e.Code == http.StatusRequestTimeout || e.Code == http.StatusTooManyRequests
}

func newStatusError(resp *http.Response) *StatusError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // after an error the part that was read is shown
	e := &StatusError{Code: resp.StatusCode, Header: resp.Header, Body: printable(string(body))}
	if m, err := rpc.Parse(body); err == nil && m.Kind == rpc.Response && m.Error != nil {
		e.rpc = readError(m.Error)
	}
	return e
}

// unexpectedStatus is a response of success that is of no use.
func unexpectedStatus(resp *http.Response, why string) *StatusError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxExcerpt+1)) // as above
	return &StatusError{Code: resp.StatusCode, Header: resp.Header, Body: printable(string(body)), why: why}
}

// printable returns the beginning of a foreign text on one line, without control
// characters.
func printable(text string) string {
	const cut = "…"
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt-len(cut)], "") + cut
	}
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)), " ")
}

// readError reads an error object leniently: a server that sends a malformed
// one still meant to report a failure.
func readError(raw []byte) *protocol.Error {
	var e struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return protocol.Errorf(protocol.CodeInternal, "the server sent a malformed error object: %s", printable(string(raw)))
	}
	return &protocol.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}
