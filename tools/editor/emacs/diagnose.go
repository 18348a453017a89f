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

const (
	maxItems    = 10_000  // diagnostics of an answer
	maxMessage  = 4 << 10 // the text of a diagnostic, in bytes
	maxName     = 300     // a code, or who says it
	lookEvery   = 100 * time.Millisecond
	defaultWait = 5 * time.Second // for diagnostics, of a context without an end
)

// diagnostic is one that flymake or flycheck shows.
type diagnostic struct {
	Path     string       `json:"path"`
	Start    buffer.Point `json:"start"`
	Stop     buffer.Point `json:"stop"`
	Severity int          `json:"severity"`
	Message  string       `json:"message"`
	Code     string       `json:"code"`
	Source   string       `json:"source"`
}

type findings struct {
	Items   []diagnostic `json:"items"`
	Covered []string     `json:"covered"`
	Fresh   bool         `json:"fresh"`
	More    bool         `json:"more"`
}

// Diagnose answers what flymake and flycheck have found in buffers. Files that have no buffer where one of them is on are left to others.
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
		return fail(fmt.Errorf("no buffer there is checked: %w", adapter.ErrUnsupported))
	}
	if len(paths) == 0 {
		out.Notes = append(out.Notes, "only files were looked at that Emacs has open and checks")
	}
	return out, nil
}

// diagnose asks until the answer is fresh, or the time has come. The last answer is better than none.
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
		if found.Fresh || !time.Now().Before(until) || wait.Sleep(ctx, lookEvery) != nil {
			return found, nil
		}
	}
}

// addTo adds an answer to others. asked are the files that it is of; of others it says nothing.
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
