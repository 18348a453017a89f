package vscode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

const (
	defaultWait = 10 * time.Second // time to wait for diagnostics if the context has no deadline
	longestWait = 45 * time.Second // upper limit of the time to wait
	maxNotes    = 20               // limit of notes of a window
	maxNamed    = 1000             // limit of files in a request; a window refuses more
)

// diagnostic is a diagnostic in the protocol of the extension.
type diagnostic struct {
	Path     string `json:"path"`
	Range    span   `json:"range"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source,omitempty"`
}

// findings is the result of the call diagnostics. Fresh means that all items belong to the current texts. Covered are the checked
// files.
type findings struct {
	Items   []diagnostic `json:"items"`
	Fresh   bool         `json:"fresh"`
	Covered []string     `json:"covered"`
	Notes   []string     `json:"notes"`
}

// Diagnose returns the diagnostics of VS Code's extensions. VS Code loads files without a tab in the background; the result
// includes their diagnostics, or does not cover them. Without paths the result contains the known diagnostics of open files,
// and is never fresh.
func (v *VSCode) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	out := adapter.Diagnostics{Fresh: true, Covered: []string{}}
	questions, err := v.questions(ctx, paths)
	if err != nil {
		return out, fmt.Errorf("requesting diagnostics from VS Code: %w", err)
	}
	for _, q := range questions {
		var answer findings
		params := struct {
			Paths   []string  `json:"paths,omitempty"`
			Wait    int64     `json:"wait"`
			Written []written `json:"written,omitempty"`
		}{q.paths, waitTime(ctx).Milliseconds(), v.written.lately()}
		if err := q.window.call(ctx, "diagnostics", params, &answer); err != nil {
			return out, fmt.Errorf("requesting diagnostics from VS Code: %w", err)
		}
		if err := answer.addTo(&out, q.paths); err != nil {
			return out, fmt.Errorf("requesting diagnostics from VS Code: %w", err)
		}
	}
	if len(paths) == 0 {
		out.Covered = nil
	}
	return out, nil
}

// waitTime returns the time that a window may wait for diagnostics, so that its response arrives before ctx ends.
func waitTime(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return defaultWait
	}
	left := time.Until(end)
	return min(max(left-min(250*time.Millisecond, left/4), 0), longestWait)
}

// question is a request for diagnostics of files to one window.
type question struct {
	window *window
	paths  []string // nil: all files
}

// questions assigns files to windows. Without paths it returns one question for each window. Files outside of all windows are
// omitted; if no file is left, the error wraps adapter.ErrNotRunning.
func (v *VSCode) questions(ctx context.Context, paths []string) ([]question, error) {
	var all []question
	if len(paths) == 0 {
		for _, w := range v.connected() {
			all = append(all, question{window: w})
		}
		if len(all) == 0 {
			return nil, adapter.ErrNotRunning
		}
		return all, nil
	}
	if len(paths) > maxNamed {
		return nil, fmt.Errorf("%d files are more than %d", len(paths), maxNamed)
	}
	var last error
	for _, path := range paths {
		w, err := v.window(ctx, path)
		if errors.Is(err, adapter.ErrNotRunning) {
			last = err
			continue
		}
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(q question) bool { return q.window == w })
		if i < 0 {
			i = len(all)
			all = append(all, question{window: w})
		}
		all[i].paths = append(all[i].paths, path)
	}
	if len(all) == 0 {
		return nil, last
	}
	return all, nil
}

// addTo appends findings to out. asked are the requested files; findings about other files are dropped. nil keeps all.
func (f findings) addTo(out *adapter.Diagnostics, asked []string) error {
	out.Fresh = out.Fresh && f.Fresh && len(asked) > 0
	for _, note := range f.Notes[:min(len(f.Notes), maxNotes)] {
		out.Notes = append(out.Notes, truncate.Line(note, maxErrorText))
	}
	wanted := map[string]bool{}
	for _, path := range asked {
		wanted[path] = true
	}
	for _, path := range f.Covered {
		if wanted[path] {
			out.Covered = append(out.Covered, path)
		}
	}
	for _, item := range f.Items {
		if len(asked) > 0 && !wanted[item.Path] {
			continue
		}
		if len(out.Items) == maxItems {
			out.Notes = append(out.Notes, "further diagnostics were omitted")
			break
		}
		d, err := item.as()
		if err != nil {
			return err
		}
		out.Items = append(out.Items, d)
	}
	return nil
}

// as converts a diagnostic. An unknown severity becomes an error, and long texts are cut.
func (d diagnostic) as() (adapter.Diagnostic, error) {
	path, err := fromPath(d.Path)
	if err != nil {
		return adapter.Diagnostic{}, err
	}
	r, err := fromSpan(d.Range)
	if err != nil {
		return adapter.Diagnostic{}, err
	}
	severity := adapter.Severity(d.Severity)
	switch severity {
	case adapter.Error, adapter.Warning, adapter.Info, adapter.Hint:
	default:
		severity = adapter.Error
	}
	return adapter.Diagnostic{
		Path: path, Range: r, Severity: severity, Message: truncate.Cut(d.Message, maxMessage), Code: truncate.Line(d.Code, maxName), Source: truncate.Line(d.Source, maxName),
	}, nil
}
