package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	defaultRefreshWait = 40 * time.Second // shorter than the usual request timeout of clients (60 s)
	maxRefreshWait     = 10 * time.Minute
	// progressInterval is the interval of progress notifications.
	progressInterval = time.Second
)

// RefreshArgs are the arguments of refresh_index.
type RefreshArgs struct {
	// Path is the file or directory to refresh; empty for all files.
	Path string `json:"path,omitempty" jsonschema:"description=File or directory; default: everything"`
	// Full also indexes unchanged files again. The old index is searched until the refresh ends.
	Full bool `json:"full,omitempty" jsonschema:"default=false,description=Include unchanged files"`
	// WaitMs is the time to wait for the end of the refresh, in milliseconds, from 1 to 600,000. The refresh continues
	// afterwards. 0 means 40,000. A call as a task always waits for the end.
	WaitMs int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=600000,default=40000"`
}

// RefreshResult is the result of refresh_index.
type RefreshResult struct {
	// Status is done, or running if the refresh continues. The counts of a running refresh cover only finished plugins.
	Status string `json:"status"`
	// Files is the number of files found; Added, Updated, Removed and Unchanged divide them by the change to the index.
	Files     int `json:"files"`
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`
	// Duration is the time of this call, in milliseconds.
	Duration int64 `json:"durationMs"`
	// Skipped counts the files that were not indexed, by reason.
	Skipped []plugin.Skipped `json:"skipped,omitempty"`
	// Joined is true if the call joined a refresh that was already running.
	Joined bool `json:"joined,omitempty"`
	// Done and Total are the numbers of processed files and of all files of a running refresh.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
}

// errWaitOver is the cause that ends a wait after WaitMs.
var errWaitOver = errors.New("the time to wait is over")

// Refresh implements refresh_index. It waits for the refresh of all plugins, up to WaitMs. Errors: INVALID_PARAMS,
// INDEX_UNAVAILABLE, and the error of ctx.
func (s *Search) Refresh(ctx context.Context, args RefreshArgs) (RefreshResult, error) {
	if len(s.documents) == 0 {
		return RefreshResult{}, noDocumentsError()
	}
	wait := defaultRefreshWait
	if args.WaitMs != 0 {
		wait = time.Duration(args.WaitMs) * time.Millisecond
	}
	if wait <= 0 || wait > maxRefreshWait {
		return RefreshResult{}, invalid("Give 1 to 600000.", "waitMs is %d", args.WaitMs)
	}
	o := plugin.RefreshOptions{Full: args.Full}
	if args.Path != "" {
		o.Path = s.indexPath(args.Path)
	}
	began := time.Now()
	waiting, cancel := context.WithTimeoutCause(ctx, mcp.WorkTimeout(ctx, wait), errWaitOver)
	defer cancel()
	r := RefreshResult{Status: "done"}
	var failed *multierror.Error
	refreshed := s.documents
	if o.Path != "" {
		if refreshed = s.owners(o.Path); len(refreshed) == 0 {
			return RefreshResult{}, noFilesError(args.Path)
		}
	}
	ended := 0
	for i, got := range s.refreshEach(waiting, refreshed, o) {
		switch {
		case got.err == nil:
			ended++
			r.add(got.report)
		case got.running && context.Cause(waiting) == errWaitOver:
			r.Status = "running"
		case got.running || ctx.Err() != nil:
			return RefreshResult{}, fmt.Errorf("refreshing the index: %w", cmp.Or(context.Cause(ctx), got.err))
		default:
			failed = multierror.Append(failed, pluginError(codeIndexUnavailable, refreshed[i].name, got.err))
		}
	}
	if failed != nil && (o.Path == "" || ended == 0) { // one of several plugins with files has the path
		return RefreshResult{}, failed.Errors[0]
	}
	if r.Status == "running" {
		status := s.status(ctx)
		r.Done, r.Total = status.Done, status.Total
	}
	r.Duration = time.Since(began).Milliseconds()
	return r, nil
}

// refreshOutcome is the result of the refresh of one plugin.
type refreshOutcome struct {
	report  plugin.Report
	err     error
	running bool // whether the refresh continues; err is the cause of the end of the wait then
}

// refreshEach refreshes plugins at the same time, sends progress notifications, and returns the outcome for each. If ctx ends
// first, the refresh continues in the background.
func (s *Search) refreshEach(ctx context.Context, plugins []*documents, o plugin.RefreshOptions) []refreshOutcome {
	outcomes := make([]refreshOutcome, len(plugins))
	ended := make([]chan struct{}, len(plugins))
	for i, d := range plugins {
		ended[i] = make(chan struct{})
		outcomes[i].err = fmt.Errorf("the plugin %s panicked", d.name)
		s.work.Go(func() {
			defer close(ended[i])
			report, err := d.Refresh(ctx, o)
			outcomes[i] = refreshOutcome{report: report, err: err, running: err != nil && isEndOf(ctx, err)}
		})
	}
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	progress := make([]refreshProgress, len(plugins))
	results := make([]refreshOutcome, len(plugins))
	for i := range plugins {
		for running := true; running; {
			select {
			case <-ended[i]:
				results[i], running = outcomes[i], false
			case <-ticker.C:
				reportProgress(ctx, plugins, ended, progress)
			case <-ctx.Done():
				running = false
				if wait.IsClosed(ended[i]) {
					results[i] = outcomes[i]
				} else {
					results[i] = refreshOutcome{err: context.Cause(ctx), running: true}
				}
			}
		}
	}
	return results
}

// isEndOf reports whether err is the end of ctx.
func isEndOf(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err()))
}

// refreshProgress is the progress of one plugin. It never decreases.
type refreshProgress struct{ done, total int }

// reportProgress sends the sum of the progress of all plugins. The message names the ones whose refresh is running.
func reportProgress(ctx context.Context, plugins []*documents, ended []chan struct{}, progress []refreshProgress) {
	done, total := 0, 0
	var parts []string
	for i, d := range plugins {
		p := &progress[i]
		if wait.IsClosed(ended[i]) {
			p.done = p.total
		} else {
			status := d.Status()
			p.done, p.total = max(p.done, status.Done), max(p.total, status.Total)
			if status.Total > 0 {
				parts = append(parts, fmt.Sprintf("%s: %d of %d %s", d.name, status.Done, status.Total, d.unit()))
			}
		}
		done, total = done+p.done, total+p.total
	}
	mcp.Progress(ctx, float64(done), float64(total), strings.Join(parts, ", "))
}

// add adds the counts of one plugin.
func (r *RefreshResult) add(report plugin.Report) {
	r.Files += report.Files
	r.Added += report.Added
	r.Updated += report.Updated
	r.Removed += report.Removed
	r.Unchanged += report.Unchanged
	r.Skipped = append(r.Skipped, report.Skipped...)
	r.Joined = r.Joined || report.Joined
}

// TextContent returns the state in one line, and one line for each reason for skipped files.
func (r RefreshResult) TextContent() string {
	var b strings.Builder
	if r.Status == "running" {
		fmt.Fprintf(&b, "running: %d of %s; the refresh continues: call refresh_index again to wait, or search the files indexed so far\n", r.Done, plural.Count(r.Total, "file"))
	} else {
		fmt.Fprintf(&b, "done: %s (%d added, %d updated, %d removed, %d unchanged) in %d ms\n", plural.Count(r.Files, "file"), r.Added, r.Updated, r.Removed, r.Unchanged, r.Duration)
	}
	for _, skipped := range r.Skipped {
		b.WriteString("skipped: " + describeSkipped(skipped) + "\n")
	}
	return b.String()
}

// refreshTimeout limits a background refresh.
const refreshTimeout = time.Minute

// refreshing is the set of paths whose background refresh is running. The zero value is empty. It is safe for concurrent use.
type refreshing struct {
	mu    sync.Mutex
	paths map[string]bool
}

// begin adds paths, and returns the ones that were not in the set.
func (r *refreshing) begin(paths []string) (fresh []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths == nil {
		r.paths = make(map[string]bool)
	}
	for _, p := range paths {
		if !r.paths[p] {
			r.paths[p] = true
			fresh = append(fresh, p)
		}
	}
	return fresh
}

// end removes paths.
func (r *refreshing) end(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range paths {
		delete(r.paths, p)
	}
}

// unsavedTimeout limits the indexing of unsaved texts before a query.
const unsavedTimeout = 5 * time.Second

// indexUnsaved brings the indexes up to date with the unsaved texts of editors. It returns a note if that failed. An empty index is left
// alone, because a query reads the files that it lacks.
func (s *Search) indexUnsaved(ctx context.Context) (note string) {
	limited, cancel := context.WithTimeout(ctx, unsavedTimeout)
	defer cancel()
	err := s.unsaved.Update(limited, s.root, func(paths []string) error {
		for _, path := range paths {
			for _, d := range s.owners(path) {
				if d.Status().State == plugin.Empty {
					continue
				}
				if _, err := d.Refresh(limited, plugin.RefreshOptions{Path: path}); err != nil {
					return fmt.Errorf("indexing the unsaved text of %s: %w", path, err)
				}
			}
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return ""
	}
	s.log.WarnContext(ctx, "the search index lacks unsaved texts", "error", err)
	return "the unsaved text of some files was not searched; their text on the disk was"
}

// refreshStale indexes changed files again in the background. It is called for files whose change was noticed in a search,
// because files may not be watched.
func (s *Search) refreshStale(paths []string) {
	fresh := s.refreshing.begin(paths)
	if len(fresh) == 0 || s.life.Err() != nil {
		s.refreshing.end(fresh)
		return
	}
	s.work.Go(func() {
		defer s.refreshing.end(fresh)
		ctx, cancel := context.WithTimeout(s.life, refreshTimeout)
		defer cancel()
		for _, path := range fresh {
			for _, d := range s.owners(path) {
				if _, err := d.Refresh(ctx, plugin.RefreshOptions{Path: path}); err != nil && ctx.Err() == nil {
					s.log.Debug("indexing a changed file failed", "plugin", d.name, "path", path, "error", err)
				}
			}
		}
	})
}
