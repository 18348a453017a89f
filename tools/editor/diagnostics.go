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
	// Errors and Warnings count all of the report, on this page and others, and TotalCount the diagnostics of all severities that were
	// asked for. They are left out where no file was checked and nothing was found: then the numbers are not known.
	Errors     *int `json:"errors,omitempty"`
	Warnings   *int `json:"warnings,omitempty"`
	TotalCount *int `json:"totalCount,omitempty"`
	// Checked, Unchecked and Stale are the numbers of files in each state.
	Checked   int `json:"checked"`
	Unchecked int `json:"unchecked"`
	Stale     int `json:"stale"`
	// Checks tell which files are in which state, and why. They are on the first page.
	Checks []FileChecks `json:"checks,omitempty"`
	// Resolved is how many of the baseline Since are gone, in files that are checked now.
	Resolved int `json:"resolved,omitempty"`
	// Fresh tells that every file is checked.
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
	checks   []FileChecks
	checked  map[string]bool   // files that were checked, as Diagnostic.File
	by       map[string]string // the adapter that has looked at a file, by place.abs
	unsaved  []string          // editors that may have text that is not saved
	partial  bool              // the project has more files than were counted
	notes    []string
}

// count is the number of files in a state.
func (r *report) count(state adapter.CheckState) (n int) {
	for _, c := range r.checks {
		if c.State == string(state) {
			n += c.Count
		}
	}
	return n
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
	r := &report{id: rand.Text()[:10], checked: make(map[string]bool), by: make(map[string]string)}
	files, err := e.asked(ctx, args, r)
	if err != nil {
		return nil, err
	}
	whole := files == nil
	if whole {
		var complete bool
		if files, complete, err = e.projectFiles(ctx); err != nil {
			return nil, err
		}
		if r.partial = !complete; r.partial {
			r.notes = append(r.notes, "the project has more files than were counted, or some that could not be read")
		}
	}
	if len(files) == 0 {
		if whole {
			r.notes = append(r.notes, "the project has no files that tools may see")
		}
		return r, nil
	}
	wait := time.Duration(args.WaitMS) * time.Millisecond
	if wait == 0 {
		wait = defaultWait
	}
	run := &diagnosticsRun{e: e, report: r, wait: wait, whole: whole, files: files}
	if err := run.run(ctx); err != nil {
		return nil, err
	}
	for _, p := range files {
		if run.checks[p.abs].State == adapter.Checked {
			r.checked[p.path] = true
		}
	}
	r.checks = groupChecks(files, run.checks)
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
	gone := 0
	for key, n := range old {
		if file, _, _ := strings.Cut(key, "\x00"); r.checked[file] {
			r.resolved += n
		} else {
			gone += n
		}
	}
	if gone > 0 {
		r.notes = append(r.notes, count(gone, "diagnostic")+" of the baseline are in files that are not checked now, and may be there still")
	}
	if base == nil {
		return
	}
	unknown := make(map[string]bool)
	for i := range r.shown {
		if file := r.shown[i].File; !base.checked[file] {
			unknown[file] = true
		}
	}
	if len(unknown) > 0 {
		r.notes = append(r.notes, count(len(unknown), "file")+" with new diagnostics had not been checked for the baseline: they may be older")
	}
}

// page is a part of a report, within the budget of an answer.
func (e *Editor) page(r *report, from, most int) DiagnosticsResult {
	result := DiagnosticsResult{
		Diagnostics: []Diagnostic{}, Resolved: r.resolved, Baseline: r.id, Notes: r.notes, since: r.since,
		Checked: r.count(adapter.Checked), Unchecked: r.count(adapter.Unchecked), Stale: r.count(adapter.Stale),
	}
	result.Fresh = result.Checked > 0 && result.Unchecked+result.Stale == 0 && len(r.unsaved) == 0 && !r.partial
	errs, warnings := 0, 0
	for i := range r.shown {
		switch adapter.Severity(r.shown[i].Severity) {
		case adapter.Error:
			errs++
		case adapter.Warning:
			warnings++
		}
	}
	if result.Checked > 0 || len(r.all) > 0 {
		result.Errors, result.Warnings, result.TotalCount = new(errs), new(warnings), new(len(r.shown))
	}
	room := e.limits.Answer - min(e.limits.Answer/4, 1024)
	if from == 0 {
		result.Checks = r.checks
		for _, c := range r.checks {
			room -= 2 * len(c.line())
		}
	}
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
	b.WriteString("[" + r.summary() + "; baseline " + r.Baseline + "]\n")
	file := ""
	for i := range r.Diagnostics {
		d := &r.Diagnostics[i]
		if d.File != file {
			file = d.File
			b.WriteString(file + "\n")
		}
		b.WriteString("  " + d.line(false) + "\n")
	}
	for _, c := range r.Checks {
		b.WriteString("[" + c.line() + "]\n")
	}
	writeNotes(&b, r.Notes)
	if r.NextCursor != "" {
		b.WriteString("[continue with cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}

// summary says how many diagnostics there are, and of how many files that is known.
func (r DiagnosticsResult) summary() string {
	files := r.Checked + r.Unchecked + r.Stale
	states := fmt.Sprintf("checked %d of %s", r.Checked, count(files, "file"))
	if r.Stale > 0 {
		states += ", stale " + number(r.Stale)
	}
	if r.Unchecked > 0 {
		states += ", unchecked " + number(r.Unchecked)
	}
	if r.TotalCount == nil {
		if files == 0 {
			return "no file was looked at"
		}
		return "whether there are errors is not known: " + states
	}
	what := count(*r.TotalCount, "diagnostic")
	if r.since {
		what = "new: " + what + ", resolved: " + number(r.Resolved)
	}
	return fmt.Sprintf("%s: %s, %s; %s", what, count(*r.Errors, "error"), count(*r.Warnings, "warning"), states)
}
