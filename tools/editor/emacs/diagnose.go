package emacs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// Limits and delays of diagnostics.
const (
	maxItems     = 10_000  // diagnostics in a result
	maxMessage   = 4 << 10 // bytes of a diagnostic's message
	maxName      = 300     // bytes of a code or a source
	pollInterval = 100 * time.Millisecond
	defaultWait  = 5 * time.Second // wait for fresh diagnostics, if the context has no deadline
)

// diagnostic is a diagnostic of flymake or flycheck.
type diagnostic struct {
	Path     string       `json:"path"`
	Start    buffer.Point `json:"start"`
	Stop     buffer.Point `json:"stop"`
	Severity int          `json:"severity"`
	Message  string       `json:"message"`
	Code     string       `json:"code"`
	Source   string       `json:"source"`
}

// findings are the result of the request "diagnostics".
type findings struct {
	Items   []diagnostic `json:"items"`
	Covered []string     `json:"covered"`
	Fresh   bool         `json:"fresh"`
	More    bool         `json:"more"`
}

// Diagnose returns the diagnostics that flymake and flycheck found in buffers. Files without a buffer in which one of them is
// enabled are left to the next adapter.
func (e *Emacs) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	fail := func(err error) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{}, fmt.Errorf("asking Emacs for diagnostics: %w", err)
	}
	sessions, err := e.running(ctx)
	if err != nil {
		return fail(err)
	}
	out := adapter.Diagnostics{Items: []adapter.Diagnostic{}, Fresh: true, Covered: []string{}}
	until := time.Now().Add(defaultWait)
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		until = end.Add(-min(400*time.Millisecond, left/3))
	}
	for _, s := range sessions {
		mine := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return slices.Contains(out.Covered, p) })
		if len(mine) == 0 && len(paths) > 0 {
			break
		}
		found, err := s.diagnose(ctx, mine, until)
		if err != nil {
			return fail(err)
		}
		if err := found.addTo(&out, mine); err != nil {
			return fail(err)
		}
	}
	if len(out.Covered) == 0 {
		return fail(fmt.Errorf("no buffer is checked by flymake or flycheck: %w", adapter.ErrUnsupported))
	}
	if len(paths) == 0 {
		out.Notes = append(out.Notes, "only files were checked that are open in Emacs with flymake or flycheck")
	}
	return out, nil
}

// diagnose repeats the request until the result is fresh or until has passed. After the first success it returns the last result
// instead of an error.
func (s *session) diagnose(ctx context.Context, paths []string, until time.Time) (found findings, err error) {
	if paths == nil {
		paths = []string{}
	}
	for first := true; ; first = false {
		var now findings
		if err := s.ask(ctx, "diagnostics", map[string]any{"paths": paths, "max": maxItems}, &now); err != nil {
			found.Fresh = false
			if first || errors.Is(err, adapter.ErrNotRunning) {
				return found, err
			}
			return found, nil
		}
		found = now
		if found.Fresh || !time.Now().Before(until) || wait.Sleep(ctx, pollInterval) != nil {
			return found, nil
		}
	}
}

// addTo appends the diagnostics of the asked files to out; all if asked is empty.
func (f findings) addTo(out *adapter.Diagnostics, asked []string) error {
	out.Fresh = out.Fresh && f.Fresh
	for _, path := range f.Covered {
		if (len(asked) == 0 || slices.Contains(asked, path)) && presence.IsPath(path) && len(out.Covered) < maxItems {
			out.Covered = append(out.Covered, path)
		}
	}
	for _, item := range f.Items {
		if len(asked) > 0 && !slices.Contains(asked, item.Path) || !presence.IsPath(item.Path) {
			continue
		}
		if f.More = f.More || len(out.Items) == maxItems; len(out.Items) == maxItems {
			break
		}
		where, err := buffer.Range(item.Start, item.Stop)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, adapter.Diagnostic{
			Path: filepath.Clean(item.Path), Range: where, Severity: adapter.SeverityOf(item.Severity),
			Message: truncate.Cut(item.Message, maxMessage), Code: truncate.Line(item.Code, maxName), Source: truncate.Line(item.Source, maxName),
		})
	}
	if f.More {
		out.Notes = append(out.Notes, "further diagnostics were left out")
	}
	return nil
}
