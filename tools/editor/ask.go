package editor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// ask puts a question to an adapter, which has so much time to answer. An adapter that panics has not answered.
func ask[T any](ctx context.Context, a adapter.Adapter, patience time.Duration, question func(ctx context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: panic: %v", a.Name(), v)
		}
	}()
	if answer, err = question(ctx); err != nil {
		err = fmt.Errorf("%s: %w", a.Name(), err)
	}
	return answer, err
}

// mostTries is how often an adapter is asked that fails. Only questions are asked again, never changes.
const mostTries = 3

// askAgain is ask for questions that change nothing: one that fails is asked again after a while, and after twice as long.
func askAgain[T any](ctx context.Context, e *Editor, a adapter.Adapter, patience time.Duration, question func(ctx context.Context) (T, error)) (T, error) {
	delay := e.options.RetryDelay
	for try := 1; ; try++ {
		answer, err := ask(ctx, a, patience, question)
		if err == nil || try == mostTries || final(err) || ctx.Err() != nil {
			return answer, err
		}
		if wait.Sleep(ctx, delay) != nil {
			return answer, err
		}
		delay *= 2
	}
}

// final tells whether asking again makes no difference.
func final(err error) bool {
	return errors.Is(err, adapter.ErrNotRunning) || errors.Is(err, adapter.ErrStale) || errors.Is(err, adapter.ErrUnsupported)
}

// passes tells whether the next adapter is to be asked because this one has no means, or is not there any more.
func passes(err error) bool {
	return errors.Is(err, adapter.ErrNotRunning) || errors.Is(err, adapter.ErrUnsupported)
}

// able are the adapters that have a capability now, for a file; for any if p is nil.
func able[T any](e *Editor, p *place) iter.Seq2[adapter.Adapter, T] {
	return func(yield func(adapter.Adapter, T) bool) {
		for _, a := range e.options.Adapters {
			can, ok := a.(T)
			if !ok {
				continue
			}
			if s := a.State(); !s.Running || p != nil && !covers(s, *p) {
				continue
			}
			if !yield(a, can) {
				return
			}
		}
	}
}

// has tells whether any adapter has a capability now.
func has[T any](e *Editor) bool {
	for range able[T](e, nil) {
		return true
	}
	return false
}

// refusals are errors of adapters that have no means for a question, by their names.
type refusals map[string]error

// missing is the error for a capability that no adapter has now, or none for this file. It says how to start those that would
// have it. Reasons of refused adapters are named.
func missing[T any](e *Editor, code, what string, p *place, refused refusals) error {
	var why, start []string
	for _, a := range e.options.Adapters {
		if _, ok := a.(T); !ok {
			continue
		}
		s := a.State()
		reason, hint := "", ""
		if tool, ok := errors.AsType[*mcp.ToolError](refused[a.Name()]); ok {
			reason, hint = tool.Message, tool.Next
		} else if x, ok := a.(adapter.Explainer); ok && p != nil {
			reason, hint = x.WhyUnchecked(p.abs)
		}
		switch {
		case reason != "":
			why = append(why, reason)
			if hint = strings.TrimSuffix(hint, "."); hint != "" {
				start = append(start, hint)
			}
		case s.Running && p != nil && !covers(s, *p):
			why = append(why, fmt.Sprintf("%s does not have the folder of %s open", a.Name(), p.path))
			start = append(start, "open that folder in "+a.Name())
		case s.Running:
			why = append(why, a.Name()+" has no means for it")
		default:
			why = append(why, a.Name()+" is not running")
			if s.Start != "" {
				start = append(start, strings.TrimSuffix(s.Start, "."))
			}
		}
	}
	if len(why) == 0 {
		why = []string{"no editor is configured for it"}
	}
	next := "Do without it, or ask the user to do this in their editor."
	if len(start) > 0 {
		next = "Ask the user to do this, and call again: " + strings.Join(start, "; or: ") + "."
	}
	return problem(code, next, "cannot %s: %s", what, strings.Join(why, "; "))
}
