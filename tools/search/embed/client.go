package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/retryafter"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
)

// Limits of requests.
const (
	maxAnswer  = 64 << 20               // bytes
	maxMessage = 300                    // bytes of a server's error message
	minDelay   = 500 * time.Millisecond // delay before the second attempt; it doubles for each further one
	maxDelay   = time.Minute            // a longer delay requested by the server fails the call
)

// Error is an error response of the server.
type Error struct {
	Status  int           // HTTP status code
	Message string        // message of the server, cut to 300 bytes
	After   time.Duration // delay requested by the server, or 0
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the embedding server responded %d %s", e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// isTemporary reports whether a later attempt can succeed.
func (e *Error) isTemporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status != http.StatusNotImplemented
}

// errRedirected is the error of a redirect to another host.
var errRedirected = errors.New("the server redirects to another host, which must not receive the key")

// httpClient sends requests to one server.
type httpClient struct {
	options Options
	client  http.Client
}

func newHTTPClient(o Options) (httpClient, error) {
	o, err := o.validate()
	if err != nil {
		return httpClient{}, err
	}
	c := httpClient{options: o, client: http.Client{Transport: o.Transport, Timeout: o.Timeout}}
	c.client.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if first := before[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(before) > 3 {
			return errRedirected
		}
		return nil
	}
	return c, nil
}

// post sends a request as JSON and decodes the response. Temporary failures are retried.
func (c *httpClient) post(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("requesting embeddings: %w", err)
	}
	pause := minDelay
	for attempt := 1; ; attempt++ {
		err := c.postOnce(ctx, path, body, answer)
		if err == nil || ctx.Err() != nil || attempt == c.options.Attempts || !isTemporary(err) {
			return c.redactError(ctx, err)
		}
		before := pause
		var refused *Error
		if errors.As(err, &refused) && refused.After > 0 {
			before = refused.After
		}
		if before > maxDelay {
			return c.redactError(ctx, err)
		}
		if err := wait.Sleep(ctx, before); err != nil {
			return fmt.Errorf("requesting embeddings: %w", err)
		}
		pause *= 2
	}
}

// isTemporary reports whether another attempt can succeed.
func isTemporary(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.isTemporary()
	}
	return !errors.Is(err, errRedirected) && !errors.Is(err, ErrAnswer)
}

// redactError removes the URL from an error, and replaces it with the cause of a cancelled context.
func (c *httpClient) redactError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // the inner error does not contain the URL
	}
	return fmt.Errorf("requesting embeddings: %w", err)
}

// postOnce makes one attempt.
func (c *httpClient) postOnce(ctx context.Context, path string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.options.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if c.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return c.readError(response)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(content) > maxAnswer:
		return fmt.Errorf("%w: longer than %d MiB", ErrAnswer, maxAnswer>>20)
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("%w: not JSON of the expected form", ErrAnswer)
	}
	return nil
}

// readError reads the error response of a server, without the key.
func (c *httpClient) readError(response *http.Response) *Error {
	e := &Error{Status: response.StatusCode}
	e.After, _ = retryafter.After(response.Header)
	content, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(content, &said) == nil {
		if json.Unmarshal(said.Error, &inner) != nil {
			_ = json.Unmarshal(said.Error, &inner.Message)
		}
	}
	e.Message = inner.Message
	if c.options.Key != "" {
		e.Message = strings.ReplaceAll(e.Message, c.options.Key, "[key]")
	}
	e.Message = truncate.Line(e.Message, maxMessage)
	return e
}
