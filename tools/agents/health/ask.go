package health

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// answer is the result of a question to a model.
type answer struct {
	// Failed is the reason of a failure, or empty.
	Failed string
	// Unknown reports that the executor does not have the model, although it lists it.
	Unknown bool
	At      time.Time
	Took    time.Duration
}

func (a answer) healthCheck() HealthCheck {
	h := HealthCheck{Status: Passed, CheckedAt: a.At, ResponseTimeMs: a.Took.Milliseconds()}
	if a.Failed != "" {
		h.Status, h.Reason, h.ResponseTimeMs = Failed, a.Failed, 0
	}
	return h
}

// executor returns the executor with a name; the first one for an empty name, nil if there is none.
func (c *Checker) executor(name string) executor.Executor {
	for _, e := range c.o.Executors {
		if name == "" || e.Name() == name {
			return e
		}
	}
	return nil
}

// keyOf returns the check of a role.
func (c *Checker) keyOf(r roles.Role) key {
	k := key{r.Executor, r.Model}
	if e := c.executor(r.Executor); e != nil {
		k.Executor = e.Name()
	}
	return k
}

// checkModel asks a model and measures the response time.
func (c *Checker) checkModel(k key, prompt string) answer {
	ctx, cancel := context.WithTimeoutCause(c.ctx, c.o.Timeout, fmt.Errorf("the model did not answer within %v", c.o.Timeout))
	defer cancel()
	begun := c.o.Now()
	err := c.runAgent(ctx, k, prompt)
	a := answer{At: c.now(), Took: c.o.Now().Sub(begun)}
	if err != nil {
		a.Failed, a.Unknown = reason(err), errors.Is(err, executor.ErrUnknownModel)
	}
	return a
}

// runAgent runs an agent in an empty directory. Its error is the reason of a failed check.
func (c *Checker) runAgent(ctx context.Context, k key, prompt string) error {
	dir, err := os.MkdirTemp("", "health-")
	if err != nil {
		return fmt.Errorf("creating an empty directory: %w", err)
	}
	defer os.RemoveAll(dir)
	said := ""
	exit, err := c.executor(k.Executor).Run(ctx, executor.Spec{
		AgentID: "health-" + random(), Model: k.Model, Prompt: prompt, Dir: dir, ReadOnly: true, Trust: true, Env: c.o.Env,
	}, func(e executor.Event) {
		switch e.Kind {
		case executor.Said, executor.Finished:
			if e.Text != "" {
				said = shorten(e.Text)
			}
		}
	})
	switch {
	case ctx.Err() != nil && !(exit.Finished && !exit.Failed):
		return context.Cause(ctx)
	case err != nil:
		return err
	case exit.Finished && !exit.Failed:
		return checkAnswer(said)
	}
	return failure(exit, said)
}

// modelRefusals are phrases of programs that do not have a model. Some programs print them as the
// answer.
var modelRefusals = []string{"issue with the selected model", "cannot use this model", "invalid model", "unknown model", "model not found", "model_not_found", "not_found_error", "model is not supported",
	"does not exist or you do not have access"}

// checkAnswer returns an error if the answer is a message of the program about an unknown model.
func checkAnswer(said string) error {
	lower := strings.ToLower(said)
	for _, words := range modelRefusals {
		if strings.Contains(lower, words) {
			return fmt.Errorf("%w: %s", executor.ErrUnknownModel, said)
		}
	}
	return nil
}

// failure returns the error of a failed agent.
func failure(exit executor.Exit, said string) error {
	message := shorten(exit.Message)
	switch {
	case message != "":
	case exit.Failed && said != "":
		message = said
	case exit.Signal != "":
		message = "it was ended by " + exit.Signal
	default:
		message = fmt.Sprintf("it ended with exit code %d and without an answer", exit.Code)
	}
	if exit.Cause != nil && !strings.Contains(message, exit.Cause.Error()) {
		return fmt.Errorf("%w: %s", exit.Cause, message)
	}
	return &failed{message, exit.Cause}
}

// failed is an error whose message already contains its cause.
type failed struct {
	message string
	cause   error
}

func (f *failed) Error() string { return f.message }
func (f *failed) Unwrap() error { return f.cause }

// reason returns the text of an error with the next step.
func reason(err error) string {
	s := shorten(err.Error())
	_, found := errors.AsType[*executor.Refused](err)
	switch {
	case found: // the error contains the next step
	case errors.Is(err, executor.ErrUnauthenticated) && !strings.Contains(s, "log in") && !strings.Contains(s, "login"):
		s += "; log in with the program, or give it its API key, and check again"
	case errors.Is(err, executor.ErrUnavailable) && !strings.Contains(s, "install"):
		s += "; install the program, or configure its path, and check again"
	}
	return s
}

// shorten limits the text of a program to 500 bytes.
func shorten(s string) string { return truncate.Cut(strings.TrimSpace(s), 500) }

func random() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
