package unity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// RefreshArgs are the arguments of unity_refresh.
type RefreshArgs struct {
	// Recompile asks for the scripts to be compiled even where Unity sees no change.
	Recompile bool `json:"recompile,omitempty" jsonschema:"description=Compile even if Unity sees no change"`
	// WaitMs is the time to wait for Unity, in milliseconds. The default is 40,000, the maximum 45,000. Unity continues its
	// work after that.
	WaitMs  *int   `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=45000,default=40000"`
	Project string `json:"project,omitempty" jsonschema:"description=Directory or name\\, if Unity has several open"`
}

// RefreshResult is the result of unity_refresh.
type RefreshResult struct {
	Project string `json:"project"`
	// State is "ready", or the activity of Unity: "compiling", "reloading its scripts" or "importing assets".
	State string `json:"state"`
	// Errors are compiler errors. The list is complete if State is "ready".
	Errors   []ConsoleEntry `json:"errors"`
	Warnings int            `json:"warnings"` // compiler warnings; read_console returns them
	Note     string         `json:"note,omitempty"`
}

const ready = "ready"

// Refresh is unity_refresh.
func (t *Tools) Refresh(ctx context.Context, in RefreshArgs) (RefreshResult, error) {
	e, err := t.editor(ctx, in.Project)
	if err != nil {
		return RefreshResult{}, err
	}
	if err := t.changes(); err != nil {
		return RefreshResult{}, err
	}
	patient, cancel := until(ctx, in.WaitMs)
	defer cancel()
	r := RefreshResult{Project: t.displayPath(e.Project), Errors: []ConsoleEntry{}}
	compile := "none"
	if in.Recompile {
		compile = "request"
	}
	params := map[string]any{"mode": "force", "scope": "all", "compile": compile, "wait_for_ready": false}
	answer, err := t.unity.call(ctx, e, "refresh_unity", params, false)
	refusal, refused := errors.AsType[*bridge.Refusal](err)
	switch {
	case errors.Is(err, bridge.ErrDropped) && ctx.Err() == nil:
		// The reload that was asked for ends the connection.
		r.Note = "Unity reloaded before it answered."
	case refused && refusal.TimedOut():
		// An import takes its time, and keeps the main thread.
		r.Note = "Unity has been at it for half a minute."
	case err != nil:
		return r, explain("refreshing Unity", err)
	case !answer.Success:
		return r, explain("refreshing Unity", &failure{answer})
	}
	if r.State, err = t.settle(patient, e); err != nil && ctx.Err() != nil {
		return r, explain("waiting for Unity", err)
	}
	if r.State != ready {
		r.Note = strings.TrimSpace(r.Note + " Unity is not ready yet: call again with waitMs, or look at the diagnostics later.")
		return r, nil
	}
	entries, _, err := t.unity.console(ctx, e, []string{"error", "warning"}, "")
	if err != nil {
		return r, explain("reading the compiler errors", err)
	}
	for i := range entries {
		switch one := &entries[i]; {
		case one.compiled && one.Type == "error":
			r.Errors = append(r.Errors, t.listed(one, false))
		case one.compiled:
			r.Warnings++
		}
	}
	if most := 50; len(r.Errors) > most {
		r.Note = strings.TrimSpace(fmt.Sprintf("%s %d more errors; see read_console.", r.Note, len(r.Errors)-most))
		r.Errors = r.Errors[:most]
	}
	return r, nil
}

// settle waits until Unity is idle in two queries in a row, because Unity starts to compile a moment after the request. It
// returns the activity at the end of ctx.
func (t *Tools) settle(ctx context.Context, e bridge.Editor) (state string, err error) {
	state = "not answering"
	for calm := 0; calm < 2; {
		s, err := t.unity.editorState(ctx, e)
		refusal, refused := errors.AsType[*bridge.Refusal](err)
		switch {
		case refused && (refusal.Unknown() || refusal.Disabled()), errors.Is(err, bridge.ErrGone), errors.Is(err, bridge.ErrForeign):
			return "not known", err
		case errors.Is(err, bridge.ErrReloading):
			state, calm = "reloading its scripts", 0
		case err != nil:
			calm = 0
		default:
			if state = s.busy(); state == "" {
				calm++
			} else {
				calm = 0
			}
		}
		if calm < 2 && wait.Sleep(ctx, t.pause()) != nil {
			if state == "" {
				state = "not certain to be ready"
			}
			return state, context.Cause(ctx)
		}
	}
	return ready, nil
}

// pause is that between two questions while something is expected to begin.
func (t *Tools) pause() time.Duration { return t.poll / 2 }

// TextContent returns the result as text for a model.
func (r RefreshResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unity is %s with %s; %d errors and %d warnings of the compiler]\n", r.State, r.Project, len(r.Errors), r.Warnings)
	for _, e := range r.Errors {
		b.WriteString(e.line())
	}
	if r.Note != "" {
		b.WriteString("[" + r.Note + "]\n")
	}
	return b.String()
}
