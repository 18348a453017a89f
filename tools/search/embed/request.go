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

// Bounds of requests.
const (
	maxAnswer  = 64 << 20 // bytes
	maxMessage = 300      // bytes of what a server says that is repeated
	firstPause = 500 * time.Millisecond
	maxPause   = time.Minute // a server that asks for more is not waited for
)

// Error is what a server refused a request with.
type Error struct {
	Status  int           // of HTTP
	Message string        // what the server said, in short
	After   time.Duration // for which it asked to be left alone, or 0
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the embedding server answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// passes says that the same request may be answered later.
func (e *Error) passes() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status != http.StatusNotImplemented
}

// errRedirected is that of a server that sends its callers elsewhere.
var errRedirected = errors.New("it sends requests on to another host, where the key must not go")

// caller makes requests to one server.
type caller struct {
	o    Options
	http http.Client
}

func newCaller(o Options) (caller, error) {
	o, err := o.checked()
	if err != nil {
		return caller{}, err
	}
	c := caller{o: o, http: http.Client{Transport: o.Transport, Timeout: o.Timeout}}
	c.http.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if first := before[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(before) > 3 {
			return errRedirected
		}
		return nil
	}
	return c, nil
}

// call posts a question and reads the answer, several times if that may help.
func (c *caller) call(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("asking for embeddings: %w", err)
	}
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, path, body, answer)
		if err == nil || ctx.Err() != nil || attempt == c.o.Attempts || !passes(err) {
			return c.told(ctx, err)
		}
		before := pause
		var refused *Error
		if errors.As(err, &refused) && refused.After > 0 {
			before = refused.After
		}
		if before > maxPause {
			return c.told(ctx, err)
		}
		if err := wait.Sleep(ctx, before); err != nil {
			return fmt.Errorf("asking for embeddings: %w", err)
		}
		pause *= 2
	}
}

// passes says that an attempt may succeed later.
func passes(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.passes()
	}
	return !errors.Is(err, errRedirected) && !errors.Is(err, ErrAnswer)
}

// told is an error without what it must not tell.
func (c *caller) told(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // which is not about the URL
	}
	return fmt.Errorf("asking for embeddings: %w", err)
}

// once makes one request.
func (c *caller) once(ctx context.Context, path string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if c.o.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return c.refusal(response)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(content) > maxAnswer:
		return fmt.Errorf("%w: it is longer than %d MiB", ErrAnswer, maxAnswer>>20)
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("%w: it is no JSON of the expected form", ErrAnswer)
	}
	return nil
}

// refusal is what a server says that does not answer.
func (c *caller) refusal(response *http.Response) *Error {
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
	if c.o.Key != "" {
		e.Message = strings.ReplaceAll(e.Message, c.o.Key, "[key]")
	}
	e.Message = truncate.Line(e.Message, maxMessage)
	return e
}
