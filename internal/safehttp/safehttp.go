// Package safehttp makes HTTP requests to addresses from untrusted documents. Such a
// request must not reach servers that only this machine, or its network, can reach
// (server-side request forgery). [Client] checks each address when it connects; [Reach]
// classifies addresses.
package safehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// timeout is how long a request may take as a whole.
	timeout = 10 * time.Second
	// MaxDocument is how large a document may be, in bytes.
	MaxDocument = 256 << 10
)

var (
	// ErrPrivate is in the errors of requests for addresses that are not public, and out of reach.
	ErrPrivate = errors.New("the address is not a public one")
	// ErrTooLarge is in the errors of reading more than MaxDocument bytes.
	ErrTooLarge = fmt.Errorf("it is larger than %d bytes", MaxDocument)
)

// Client returns a client that connects to public addresses only. It checks the address when it connects, after the
// name is resolved. The hosts and ports of trusted URLs are allowed in any network. The client follows no redirects,
// and requests end after 10 s.
func Client(trusted ...string) *http.Client {
	var hosts []string
	for _, t := range trusted {
		if u, err := url.Parse(t); err == nil && u.Host != "" {
			hosts = append(hosts, strings.ToLower(HostPort(u)))
		}
	}
	open := &net.Dialer{Timeout: timeout}
	guarded := &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error { return checkAddress(address, IsPublic) }}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			// Without a proxy: it would look at names in our place.
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if slices.Contains(hosts, strings.ToLower(address)) {
					return open.DialContext(ctx, network, address)
				}
				return guarded.DialContext(ctx, network, address)
			},
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second,
		},
	}
}

// StatusError is an answer with another status than 200.
type StatusError struct {
	URL    string
	Status int
}

// Error implements error.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered with status %d", e.URL, e.Status)
}

// JSON sends a request and decodes the JSON object of its answer, of at most
// MaxDocument bytes.
func JSON(client *http.Client, req *http.Request, v any) error {
	req.Header.Set("Accept", "application/json")
	response, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("asking %s: %w", req.URL.Redacted(), Cause(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &StatusError{req.URL.Redacted(), response.StatusCode}
	}
	raw, err := Read(response.Body)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return fmt.Errorf("reading the response of %s: %w", req.URL.Redacted(), err)
	}
	return nil
}

// Read reads the body of an answer, of at most MaxDocument bytes; ErrTooLarge if it has
// more.
func Read(body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, MaxDocument+1))
	if err == nil && len(raw) > MaxDocument {
		return nil, ErrTooLarge
	}
	return raw, err
}

// Cause is an error of an http.Client without the URL, which may have secrets in its query.
func Cause(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}
