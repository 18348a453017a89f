package editor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// callAdapter calls an adapter with a timeout. A panic of the adapter becomes an error. Errors begin with the adapter's name.
func callAdapter[T any](ctx context.Context, a adapter.Adapter, timeout time.Duration, question func(ctx context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
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

// maxAdapterAttempts is the number of attempts of a failing query. Changes are never repeated.
const maxAdapterAttempts = 3

// retryAdapter is callAdapter for queries without side effects. It repeats a failed query after Options.RetryDelay, which
// doubles each time.
func retryAdapter[T any](ctx context.Context, e *Editor, a adapter.Adapter, timeout time.Duration, question func(ctx context.Context) (T, error)) (T, error) {
	delay := e.options.RetryDelay
	for try := 1; ; try++ {
		answer, err := callAdapter(ctx, a, timeout, question)
		if err == nil || try == maxAdapterAttempts || isFinal(err) || ctx.Err() != nil {
			return answer, err
		}
		if wait.Sleep(ctx, delay) != nil {
			return answer, err
		}
		delay *= 2
	}
}

// isFinal reports whether a retry cannot succeed.
func isFinal(err error) bool {
	return errors.Is(err, adapter.ErrNotRunning) || errors.Is(err, adapter.ErrStale) || errors.Is(err, adapter.ErrUnsupported)
}

// isUnsupported reports whether the next adapter should be tried: this one lacks the capability or is not running.
func isUnsupported(err error) bool {
	return errors.Is(err, adapter.ErrNotRunning) || errors.Is(err, adapter.ErrUnsupported)
}

// adaptersWith yields the running adapters that implement the capability T. With a file, adapters that do not cover it are
// skipped.
func adaptersWith[T any](e *Editor, p *projectFile) iter.Seq2[adapter.Adapter, T] {
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

// hasAdapter reports whether a running adapter implements the capability T.
func hasAdapter[T any](e *Editor) bool {
	for range adaptersWith[T](e, nil) {
		return true
	}
	return false
}

// refusals are errors of adapters that do not support a query, by adapter name.
type refusals map[string]error

// missingCapability returns the error for a capability that no adapter offers now, or not for this file. It contains the
// reasons of the adapters, and the one next step that is most likely to help: that of an adapter that knows the file, else to
// open the folder in a running editor, else to start the first editor. Editors that do not run are named only if all do not run.
func missingCapability[T any](e *Editor, code, what string, p *projectFile, refused refusals) error {
	var why, absent []string
	var advice, folder, start string
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
			why = append(why, punctuation.Clause(reason))
			advice = cmp.Or(advice, hint)
		case s.Running && p != nil && !covers(s, *p):
			why = append(why, fmt.Sprintf("%s does not have the folder of %s open", a.Name(), p.path))
			folder = cmp.Or(folder, "open that folder in "+a.Name())
		case s.Running:
			why = append(why, a.Name()+" does not support it")
		default:
			absent = append(absent, a.Name())
			start = cmp.Or(start, punctuation.Clause(s.Start))
		}
	}
	switch len(absent) {
	case 0:
	case 1:
		absent[0] += " is not running"
	default:
		absent = []string{strings.Join(absent[:len(absent)-1], ", ") + " and " + absent[len(absent)-1] + " are not running"}
	}
	if len(why) == 0 {
		why = append(absent, "no editor is configured for it")[:1]
	}
	next := "Continue without it, or ask the user to do this in their editor."
	if step := cmp.Or(folder, start); advice != "" {
		next = punctuation.Sentences(advice)
	} else if step != "" {
		next = punctuation.Sentences("Ask the user to do this, and call again: " + step)
	}
	return problem(code, next, "cannot %s: %s", what, strings.Join(why, "; "))
}
