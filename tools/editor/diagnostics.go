package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// DiagnosticsArgs are the arguments of get_diagnostics.
type DiagnosticsArgs struct {
	// Path is a file, relative to the project root, or absolute and inside the project. Without Path, Paths and Scope it is about
	// the whole project.
	Path string `json:"path,omitempty" jsonschema:"description=Default: whole project"`
	// Paths are several files.
	Paths []string `json:"paths,omitempty" jsonschema:"maxItems=200"`
	// Scope changed is about the files that git says are changed.
	Scope string `json:"scope,omitempty" jsonschema:"enum=all,enum=changed,description=changed: by git"`
	// Severity is the least that is answered; the default is hint, which is everything.
	Severity string `json:"severity,omitempty" jsonschema:"enum=error,enum=warning,enum=info,enum=hint,description=At least"`
	// Since is the baseline of an earlier answer: then only what was not there then is answered.
	Since string `json:"since,omitempty" jsonschema:"description=A baseline; only what is new"`
	// WaitMS is how long to wait for diagnostics of the files as they are now, in milliseconds, at most 40,000. 0 is 1000.
	WaitMS int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=40000,default=1000"`
	// MaxResults bounds the diagnostics of an answer, which can be fewer because of its budget. 0 is 100.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// Cursor is the NextCursor of an answer: the rest of it. All other arguments but MaxResults are ignored then.
	Cursor string `json:"cursor,omitempty"`
}

// DiagnosticsResult is what get_diagnostics answers: diagnostics by file and line.
type DiagnosticsResult struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
	Errors      int          `json:"errors"`     // of all, in this answer and others
	Warnings    int          `json:"warnings"`   // likewise
	TotalCount  int          `json:"totalCount"` // of all severities that were asked for
	// Resolved is how many of the baseline Since are gone.
	Resolved int `json:"resolved,omitempty"`
	// Fresh tells that they are those of the files as they are now.
	Fresh bool `json:"fresh"`
	// Baseline names everything that was found, for Since of a later call.
	Baseline   string `json:"baseline"`
	Truncated  bool   `json:"truncated,omitempty"`
	NextCursor string `json:"nextCursor,omitempty"`
	// Notes say what the answer lacks.
	Notes []string `json:"notes,omitempty"`

	since bool
}

const (
	maxReports     = 32
	defaultWait    = time.Second
	maxWait        = 40 * time.Second
	defaultResults = 100
	mostResults    = 1000
	mostPaths      = 200
)

// report is what one call has found.
type report struct {
	id       string
	all      []Diagnostic
	shown    []Diagnostic // those that were asked for
	resolved int
	since    bool
	fresh    bool
	notes    []string
}

// Diagnostics is get_diagnostics.
func (e *Editor) Diagnostics(ctx context.Context, args DiagnosticsArgs) (DiagnosticsResult, error) {
	if args.MaxResults < 0 || args.MaxResults > mostResults || args.WaitMS < 0 || time.Duration(args.WaitMS)*time.Millisecond > maxWait {
		return DiagnosticsResult{}, invalid("give a maxResults of 1 to 1000 and a waitMs of 1 to 40000", "maxResults %d or waitMs %d is out of bounds", args.MaxResults, args.WaitMS)
	}
	if args.MaxResults == 0 {
		args.MaxResults = defaultResults
	}
	if args.Cursor != "" {
		id, offset, _ := strings.Cut(args.Cursor, ":")
		r, known := e.reports.get(id)
		from, err := strconv.Atoi(offset)
		if !known || err != nil || from < 0 || from > len(r.shown) {
			return DiagnosticsResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is not that of an answer that is still known")
		}
		return e.page(r, from, args.MaxResults), nil
	}
	least, err := leastSeverity(args.Severity)
	if err != nil {
		return DiagnosticsResult{}, err
	}
	var base *report
	if args.Since != "" {
		var known bool
		if base, known = e.reports.get(args.Since); !known {
			return DiagnosticsResult{}, invalid("call without since, and use the baseline that is answered", "the baseline %s is not known any more", quote(args.Since))
		}
	}
	r, err := e.report(ctx, args)
	if err != nil {
		return DiagnosticsResult{}, err
	}
	r.choose(least, base)
	e.reports.put(r.id, r)
	return e.page(r, 0, args.MaxResults), nil
}

func leastSeverity(name string) (int, error) {
	if name == "" {
		return len(severities) - 1, nil
	}
	i := slices.Index(severities, adapter.Severity(name))
	if i < 0 {
		return 0, invalid("use error, warning, info or hint", "there is no severity %s", quote(name))
	}
	return i, nil
}

// report finds out what is wrong.
func (e *Editor) report(ctx context.Context, args DiagnosticsArgs) (*report, error) {
	r := &report{id: rand.Text()[:10]}
	places, err := e.asked(ctx, args, r)
	if err != nil {
		return nil, err
	}
	if places != nil && len(places) == 0 {
		r.fresh = true
		return r, nil
	}
	wait := time.Duration(args.WaitMS) * time.Millisecond
	if wait == 0 {
		wait = defaultWait
	}
	s := &survey{e: e, report: r, wait: wait, places: places, seen: make(map[string]*place)}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.all, func(a, b Diagnostic) int {
		switch {
		case a.File != b.File:
			return strings.Compare(a.File, b.File)
		case a.Range.Start != b.Range.Start && a.Range.Start.Before(b.Range.Start):
			return -1
		case a.Range.Start != b.Range.Start:
			return 1
		}
		return slices.Index(severities, adapter.Severity(a.Severity)) - slices.Index(severities, adapter.Severity(b.Severity))
	})
	return r, nil
}

// asked are the files that a call is about; nil for the whole project.
func (e *Editor) asked(ctx context.Context, args DiagnosticsArgs, r *report) ([]place, error) {
	paths := slices.Clone(args.Paths)
	if args.Path != "" && args.Path != "." {
		paths = append(paths, args.Path)
	}
	switch {
	case len(paths) > mostPaths:
		return nil, invalid("ask for the whole project, or for fewer files", "%d paths are more than %d", len(paths), mostPaths)
	case args.Scope != "" && args.Scope != "all" && args.Scope != "changed":
		return nil, invalid("use all or changed", "there is no scope %s", quote(args.Scope))
	case args.Scope == "changed" && len(paths) > 0:
		return nil, invalid("leave one of them out", "scope changed and paths do not go together")
	case args.Scope == "changed":
		return e.gitChanged(ctx, r)
	case len(paths) == 0:
		return nil, nil
	}
	places := make([]place, 0, len(paths))
	for _, path := range paths {
		p, err := e.locate(ctx, path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places, nil
}

// choose takes those that are bad enough, and were not in the baseline.
func (r *report) choose(least int, base *report) {
	old := make(map[string]int)
	if base != nil {
		r.since = true
		for i := range base.all {
			old[base.all[i].key()]++
		}
	}
	for i := range r.all {
		d := &r.all[i]
		if old[d.key()] > 0 {
			old[d.key()]--
			continue
		}
		if slices.Index(severities, adapter.Severity(d.Severity)) <= least {
			r.shown = append(r.shown, *d)
		}
	}
	for _, n := range old {
		r.resolved += n
	}
}

// page is a part of a report, within the budget of an answer.
func (e *Editor) page(r *report, from, most int) DiagnosticsResult {
	result := DiagnosticsResult{Diagnostics: []Diagnostic{}, TotalCount: len(r.shown), Resolved: r.resolved, Fresh: r.fresh, Baseline: r.id, Notes: r.notes, since: r.since}
	for i := range r.shown {
		switch adapter.Severity(r.shown[i].Severity) {
		case adapter.Error:
			result.Errors++
		case adapter.Warning:
			result.Warnings++
		}
	}
	room := e.limits.Answer - min(e.limits.Answer/4, 1024)
	for i := from; i < len(r.shown); i++ {
		d := r.shown[i]
		if room -= 180 + len(d.File) + len(d.Message) + len(d.Code) + len(d.Source); i > from && (room < 0 || i-from == most) {
			result.Truncated, result.NextCursor = true, r.id+":"+number(i)
			break
		}
		result.Diagnostics = append(result.Diagnostics, d)
	}
	return result
}

// TextContent is what a model reads.
func (r DiagnosticsResult) TextContent() string {
	var b strings.Builder
	what := count(r.TotalCount, "diagnostic")
	if r.since {
		what = "new: " + what + ", resolved: " + number(r.Resolved)
	}
	fresh := "fresh"
	if !r.Fresh {
		fresh = "perhaps not of the files as they are now"
	}
	fmt.Fprintf(&b, "[%s: %s, %s; %s; baseline %s]\n", what, count(r.Errors, "error"), count(r.Warnings, "warning"), fresh, r.Baseline)
	file := ""
	for i := range r.Diagnostics {
		d := &r.Diagnostics[i]
		if d.File != file {
			file = d.File
			b.WriteString(file + "\n")
		}
		b.WriteString("  " + d.line(false) + "\n")
	}
	writeNotes(&b, r.Notes)
	if r.NextCursor != "" {
		b.WriteString("[continue with cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
