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
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// DiagnosticsArgs are the arguments of get_diagnostics.
type DiagnosticsArgs struct {
	// Path is one file, relative to the project root, or absolute and inside the project. Without Path, Paths and Scope the
	// call covers the project.
	Path string `json:"path,omitempty" jsonschema:"description=Default: whole project"`
	// Paths are several files, at most 200.
	Paths []string `json:"paths,omitempty" jsonschema:"maxItems=200"`
	// Scope is all or changed. changed covers the files that git reports as changed.
	Scope string `json:"scope,omitempty" jsonschema:"enum=all,enum=changed,description=changed: by git"`
	// Severity is the least severe level to return. The default is hint, which returns all.
	Severity string `json:"severity,omitempty" jsonschema:"enum=error,enum=warning,enum=info,enum=hint,description=Minimum"`
	// Since is the Baseline of an earlier result. The call returns only diagnostics that are not in it.
	Since string `json:"since,omitempty" jsonschema:"description=A baseline; only new diagnostics"`
	// WaitMS is the time to wait for current diagnostics, in milliseconds. The default is 1,000, but 20,000 while a
	// language server starts or a compiler runs for the first time. The maximum is 40,000.
	WaitMS int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=40000,description=Default 1000"`
	// MaxResults limits the diagnostics of a result; the answer budget can reduce it further. The default is 100, the maximum
	// 1,000.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
	// Cursor is the NextCursor of a result and returns its next page. All other arguments but MaxResults are ignored.
	Cursor string `json:"cursor,omitempty"`
}

// DiagnosticsResult is the result of get_diagnostics, ordered by file and position.
type DiagnosticsResult struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
	// Errors and Warnings count all pages of the report. TotalCount counts all requested severities. They are nil if no file
	// was checked and nothing was found, because the numbers are unknown then.
	Errors     *int `json:"errors,omitempty"`
	Warnings   *int `json:"warnings,omitempty"`
	TotalCount *int `json:"totalCount,omitempty"`
	// Checked, Unchecked and Stale are the numbers of files in each state.
	Checked   int `json:"checked"`
	Unchecked int `json:"unchecked"`
	Stale     int `json:"stale"`
	// Checks group the files by state and reason. Only the first page has them.
	Checks []FileChecks `json:"checks,omitempty"`
	// Resolved is the number of baseline diagnostics that are gone from files that are checked now.
	Resolved int `json:"resolved,omitempty"`
	// Fresh means that every file is checked.
	Fresh bool `json:"fresh"`
	// Baseline identifies the report, for Since of a later call.
	Baseline   string `json:"baseline"`
	Truncated  bool   `json:"truncated,omitempty"`
	NextCursor string `json:"nextCursor,omitempty"`
	// Notes describe gaps of the result.
	Notes []string `json:"notes,omitempty"`

	since bool
}

const (
	maxReports     = 32               // stored reports, to which later calls can refer as a baseline
	defaultWait    = time.Second      // wait for diagnostics of changed files
	startWait      = 20 * time.Second // the same, while a language server starts or a compiler runs for the first time
	maxWait        = 40 * time.Second // below the timeout of clients
	defaultResults = 100              // diagnostics in a result
	maxResults     = 1000
	maxPaths       = 200 // paths in a call
)

// report is the outcome of one call of get_diagnostics.
type report struct {
	id       string       // the baseline for later calls
	all      []Diagnostic // all diagnostics of the checked files
	filtered []Diagnostic // the requested diagnostics
	resolved int          // diagnostics of the baseline that no longer exist
	since    bool         // filtered has only diagnostics that the baseline lacks
	checks   []FileChecks
	checked  map[string]bool   // checked files, by Diagnostic.File
	by       map[string]string // name of the adapter that checked a file, by projectFile.abs
	unsaved  string            // reason why unsaved text may be unknown; "" if it is known
	partial  bool              // the project has more files than were counted
	notes    []string
}

// count returns the number of files in a state.
func (r *report) count(state adapter.CheckState) (n int) {
	for _, c := range r.checks {
		if c.State == string(state) {
			n += c.Count
		}
	}
	return n
}

// Diagnostics returns the diagnostics of files or of the project. It is the tool get_diagnostics.
func (e *Editor) Diagnostics(ctx context.Context, args DiagnosticsArgs) (DiagnosticsResult, error) {
	if args.MaxResults < 0 || args.MaxResults > maxResults || args.WaitMS < 0 || time.Duration(args.WaitMS)*time.Millisecond > maxWait {
		return DiagnosticsResult{}, invalid("give a maxResults of 1 to 1000 and a waitMs of 1 to 40000", "maxResults %d or waitMs %d is out of bounds", args.MaxResults, args.WaitMS)
	}
	if args.MaxResults == 0 {
		args.MaxResults = defaultResults
	}
	if args.Cursor != "" {
		id, offset, _ := strings.Cut(args.Cursor, ":")
		r, known := e.reports.get(id)
		from, err := strconv.Atoi(offset)
		if !known || err != nil || from < 0 || from > len(r.filtered) {
			return DiagnosticsResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is not that of an answer that is still known")
		}
		return e.page(r, from, args.MaxResults), nil
	}
	least, err := parseSeverity(args.Severity)
	if err != nil {
		return DiagnosticsResult{}, err
	}
	var base *report
	if args.Since != "" {
		var known bool
		if base, known = e.reports.get(args.Since); !known {
			return DiagnosticsResult{}, invalid("call without since, and use the new baseline", "the baseline %s is no longer known", quote(args.Since))
		}
	}
	r, err := e.report(ctx, args)
	if err != nil {
		return DiagnosticsResult{}, err
	}
	r.filter(least, base)
	e.reports.put(r.id, r)
	return e.page(r, 0, args.MaxResults), nil
}

func parseSeverity(name string) (int, error) {
	if name == "" {
		return len(severities) - 1, nil
	}
	i := slices.Index(severities, adapter.Severity(name))
	if i < 0 {
		return 0, invalid("use error, warning, info or hint", "there is no severity %s", quote(name))
	}
	return i, nil
}

// report checks the requested files.
func (e *Editor) report(ctx context.Context, args DiagnosticsArgs) (*report, error) {
	r := &report{id: rand.Text()[:10], checked: make(map[string]bool), by: make(map[string]string)}
	files, err := e.requestedFiles(ctx, args, r)
	if err != nil {
		return nil, err
	}
	entireProject := files == nil
	if entireProject {
		var complete bool
		if files, complete, err = e.projectFiles(ctx); err != nil {
			return nil, err
		}
		if r.partial = !complete; r.partial {
			r.notes = append(r.notes, "the project has more files than were counted, or some that could not be read")
		}
	}
	if len(files) == 0 {
		if entireProject {
			r.notes = append(r.notes, "the project has no files that tools may see")
		}
		return r, nil
	}
	wait := time.Duration(args.WaitMS) * time.Millisecond
	if wait == 0 {
		wait = defaultWait
	}
	run := &diagnosticsRun{e: e, report: r, wait: wait, patient: args.WaitMS == 0, project: entireProject, files: files}
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

// requestedFiles returns the files of a call, or nil for the project.
func (e *Editor) requestedFiles(ctx context.Context, args DiagnosticsArgs, r *report) ([]projectFile, error) {
	paths := slices.Clone(args.Paths)
	if args.Path != "" && args.Path != "." {
		paths = append(paths, args.Path)
	}
	switch {
	case len(paths) > maxPaths:
		return nil, invalid("ask for the whole project, or for fewer files", "%d paths are more than %d", len(paths), maxPaths)
	case args.Scope != "" && args.Scope != "all" && args.Scope != "changed":
		return nil, invalid("use all or changed", "there is no scope %s", quote(args.Scope))
	case args.Scope == "changed" && len(paths) > 0:
		return nil, invalid("leave one of them out", "scope changed and paths do not go together")
	case args.Scope == "changed":
		return e.gitChanged(ctx, r)
	case len(paths) == 0:
		return nil, nil
	}
	places := make([]projectFile, 0, len(paths))
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

// filter selects the diagnostics of at least a severity that are not in the baseline.
func (r *report) filter(least int, base *report) {
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
			r.filtered = append(r.filtered, *d)
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
		r.notes = append(r.notes, plural.Count(gone, "diagnostic")+" of the baseline are in files that are not checked now, and may be there still")
	}
	if base == nil {
		return
	}
	unknown := make(map[string]bool)
	for i := range r.filtered {
		if file := r.filtered[i].File; !base.checked[file] {
			unknown[file] = true
		}
	}
	if len(unknown) > 0 {
		r.notes = append(r.notes, plural.Count(len(unknown), "file")+" with new diagnostics had not been checked for the baseline: they may be older")
	}
}

// page returns one page of a report, within the answer budget.
func (e *Editor) page(r *report, from, most int) DiagnosticsResult {
	result := DiagnosticsResult{
		Diagnostics: []Diagnostic{}, Resolved: r.resolved, Baseline: r.id, Notes: r.notes, since: r.since,
		Checked: r.count(adapter.Checked), Unchecked: r.count(adapter.Unchecked), Stale: r.count(adapter.Stale),
	}
	result.Fresh = result.Checked > 0 && result.Unchecked+result.Stale == 0 && r.unsaved == "" && !r.partial
	errs, warnings := 0, 0
	for i := range r.filtered {
		switch adapter.Severity(r.filtered[i].Severity) {
		case adapter.Error:
			errs++
		case adapter.Warning:
			warnings++
		}
	}
	if result.Checked > 0 || len(r.all) > 0 {
		result.Errors, result.Warnings, result.TotalCount = new(errs), new(warnings), new(len(r.filtered))
	}
	room := e.limits.Answer - min(e.limits.Answer/4, 1024)
	if from == 0 {
		result.Checks = r.checks
		for _, c := range r.checks {
			room -= 2 * len(c.line())
		}
	}
	for i := from; i < len(r.filtered); i++ {
		d := r.filtered[i]
		if room -= 180 + len(d.File) + len(d.Message) + len(d.Code) + len(d.Source); i > from && (room < 0 || i-from == most) {
			result.Truncated, result.NextCursor = true, r.id+":"+number(i)
			break
		}
		result.Diagnostics = append(result.Diagnostics, d)
	}
	return result
}

// TextContent returns the result as text for a model.
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

// summary returns the counts of diagnostics and of file states.
func (r DiagnosticsResult) summary() string {
	files := r.Checked + r.Unchecked + r.Stale
	states := fmt.Sprintf("checked %d of %s", r.Checked, plural.Count(files, "file"))
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
	what := plural.Count(*r.TotalCount, "diagnostic")
	if r.since {
		what = "new: " + what + ", resolved: " + number(r.Resolved)
	}
	return fmt.Sprintf("%s: %s, %s; %s", what, plural.Count(*r.Errors, "error"), plural.Count(*r.Warnings, "warning"), states)
}
