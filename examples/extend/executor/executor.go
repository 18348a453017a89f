// Package executor runs agents of an HTTP service. The service answers POST /run with a stream of JSON lines while the agent works,
// and GET /models with its models.
//
// Copy it to run agents of another kind, for example a function of your program: Run then calls the function in place of the
// service. The test runs the conformance kit of executors, and runs an agent with the tools.
package executor

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Options configure an Executor. URL is required.
type Options struct {
	// Name is the name of the executor in roles and settings. Default "web".
	Name string
	// URL is the address of the service, for example "http://127.0.0.1:8080".
	URL string
	// Client sends the requests. It must not have a Timeout, because an agent works for minutes. Default http.DefaultClient.
	Client *http.Client
}

// Executor runs agents of the service. Its methods may be called concurrently.
type Executor struct {
	o Options
}

// New returns an Executor. The service may start later.
func New(o Options) *Executor {
	o.Name, o.Client = cmp.Or(o.Name, "web"), cmp.Or(o.Client, http.DefaultClient)
	return &Executor{o}
}

var _ executor.Executor = (*Executor)(nil)

// Name returns the name of the executor in roles and settings.
func (x *Executor) Name() string { return x.o.Name }

// Close closes the connections that are not in use.
func (x *Executor) Close() error {
	x.o.Client.CloseIdleConnections()
	return nil
}

// Models returns the models of the service.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	response, err := x.request(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var models []executor.Model
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&models); err != nil {
		return nil, fmt.Errorf("reading the models of %s: %w", x.o.URL, err)
	}
	return models, nil
}

// Task is the body of POST /run.
type Task struct {
	Model   string `json:"model,omitempty"`
	Prompt  string `json:"prompt"`
	Session string `json:"session,omitempty"` // the session to continue
}

// Report is a line of the stream of POST /run. Kind is "begin" with Session, "text" with Text, "done" with Text, the final message,
// or "failed" with Text, the reason.
type Report struct {
	Kind    string `json:"kind"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
	Tokens  int64  `json:"tokens,omitempty"`
}

const (
	maxLine = 4 << 20 // bytes of a line; a longer one ends the run
	maxText = 4 << 10 // bytes of the Text of an event Line
)

// Run runs an agent to its end. The end of ctx ends the request, by which the service ends the agent.
func (x *Executor) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	task, err := json.Marshal(Task{s.Model, s.Prompt, s.Resume})
	if err != nil {
		return executor.Exit{}, fmt.Errorf("the task for %s: %w", x.o.URL, err)
	}
	response, err := x.request(ctx, http.MethodPost, "/run", task)
	if err != nil {
		return executor.Exit{}, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		e := eventOf(lines.Bytes())
		tell(e)
		if e.Kind == executor.Finished {
			exit := executor.Exit{Finished: true, Failed: e.Failed}
			if e.Failed {
				exit.Message = cmp.Or(e.Text, "the agent has failed")
			}
			return exit, nil
		}
	}
	exit := executor.Exit{Failed: true, Message: "the service ended the stream without a result", Cause: executor.ErrLost}
	if err := lines.Err(); err != nil {
		exit.Message = "reading the stream: " + err.Error()
	}
	if ctx.Err() != nil {
		exit.Message, exit.Cause = "it was ended: "+context.Cause(ctx).Error(), nil
	}
	return exit, nil
}

// eventOf converts a line of the stream.
func eventOf(line []byte) executor.Event {
	e := executor.Event{Kind: executor.Line, At: time.Now()}
	var r Report
	if json.Unmarshal(line, &r) != nil || r.Kind == "" {
		e.Text = strings.ToValidUTF8(string(line[:min(len(line), maxText)]), "")
		return e
	}
	e.Session, e.Text = r.Session, r.Text
	switch r.Kind {
	case "begin":
		e.Kind = executor.Init
	case "text":
		e.Kind = executor.Delta
	case "done", "failed":
		e.Kind, e.Failed = executor.Finished, r.Kind == "failed"
		if r.Tokens > 0 {
			e.Usage = &record.Usage{OutputTokens: r.Tokens}
		}
	default:
		e.Kind, e.Text = executor.Unknown, strings.ToValidUTF8(string(line[:min(len(line), maxText)]), "")
	}
	return e
}

// request sends a request and returns the response, which has the status 200. Errors wrap an error of package executor, so that the
// health check of roles can name the next step.
func (x *Executor) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, x.o.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", executor.ErrUnavailable, err)
	}
	response, err := x.o.Client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("asking the agent service: %w", context.Cause(ctx))
		}
		return nil, fmt.Errorf("%w: start the agent service at %s: %w", executor.ErrUnavailable, x.o.URL, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	message, _ := io.ReadAll(io.LimitReader(response.Body, maxText))
	_ = response.Body.Close()
	err = fmt.Errorf("the agent service returned %s: %s", response.Status, bytes.ToValidUTF8(bytes.TrimSpace(message), nil))
	switch response.StatusCode {
	case http.StatusNotFound:
		if method == http.MethodPost { // of a run, which names the model
			err = errors.Join(executor.ErrUnknownModel, err)
		}
		return nil, err
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, errors.Join(executor.ErrUnauthenticated, err)
	}
	return nil, err
}
