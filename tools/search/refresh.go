package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// defaultRefreshWait is less than clients wait.
	defaultRefreshWait = 40 * time.Second
	maxRefreshWait     = 10 * time.Minute
	// tellEvery is how often a client hears of progress.
	tellEvery = time.Second
)

// RefreshArgs are the arguments of refresh_index.
type RefreshArgs struct {
	Path string `json:"path,omitempty" jsonschema:"description=File or directory; default: everything"`
	// Full reads files that have not changed as well. What is indexed stays found until then.
	Full bool `json:"full,omitempty" jsonschema:"default=false,description=Also what has not changed"`
	// WaitMs is how long to wait for the end, in milliseconds; the work goes on afterwards. 0 is 40,000. A task waits for the end.
	WaitMs int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=600000,default=40000"`
}

// RefreshResult is what refresh_index answers.
type RefreshResult struct {
	// Status is done, or running: then the rest goes on, and the counts are those of plugins that are done.
	Status    string           `json:"status"`
	Files     int              `json:"files"`
	Added     int              `json:"added"`
	Updated   int              `json:"updated"`
	Removed   int              `json:"removed"`
	Unchanged int              `json:"unchanged"`
	Duration  int64            `json:"durationMs"`
	Skipped   []plugin.Skipped `json:"skipped,omitempty"`
	// Joined says that another call had begun it.
	Joined bool `json:"joined,omitempty"`
	// Done of Total tell how far a running work has come.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
}

// errWaited ends a wait that was as long as it should be.
var errWaited = errors.New("the time to wait is over")

// Refresh is refresh_index.
func (s *Search) Refresh(ctx context.Context, args RefreshArgs) (RefreshResult, error) {
	if len(s.documents) == 0 {
		return RefreshResult{}, noDocuments()
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
	waiting, cancel := context.WithTimeoutCause(ctx, mcp.WorkTimeout(ctx, wait), errWaited)
	defer cancel()
	r := RefreshResult{Status: "done"}
	var failed *multierror.Error
	for _, d := range s.documents {
		report, err := s.refreshOne(waiting, d, o)
		switch {
		case err == nil:
			r.add(report)
		case waiting.Err() != nil && context.Cause(waiting) == errWaited:
			r.Status = "running"
		case ctx.Err() != nil:
			return RefreshResult{}, fmt.Errorf("refreshing the index: %w", context.Cause(ctx))
		default:
			failed = multierror.Append(failed, broken(codeIndexUnavailable, d.name, err))
		}
	}
	if failed != nil {
		return RefreshResult{}, failed.Errors[0]
	}
	if r.Status == "running" {
		status := s.status(ctx)
		r.Done, r.Total = status.Done, status.Total
	}
	r.Duration = time.Since(began).Milliseconds()
	return r, nil
}

// refreshOne waits for a plugin and tells the client how far it has come.
func (s *Search) refreshOne(ctx context.Context, d *documents, o plugin.RefreshOptions) (plugin.Report, error) {
	type outcome struct {
		report plugin.Report
		err    error
	}
	ended := make(chan outcome, 1)
	s.work.Go(func() {
		report, err := d.Refresh(ctx, o)
		ended <- outcome{report, err}
	})
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	for {
		select {
		case got := <-ended:
			return got.report, got.err
		case <-ticker.C:
			status := d.Status()
			mcp.Progress(ctx, float64(status.Done), float64(status.Total), fmt.Sprintf("%s: %d of %d files", d.name, status.Done, status.Total))
		case <-ctx.Done():
			return plugin.Report{}, context.Cause(ctx)
		}
	}
}

func (r *RefreshResult) add(report plugin.Report) {
	r.Files += report.Files
	r.Added += report.Added
	r.Updated += report.Updated
	r.Removed += report.Removed
	r.Unchanged += report.Unchanged
	r.Skipped = append(r.Skipped, report.Skipped...)
	r.Joined = r.Joined || report.Joined
}

// TextContent says it in a line, with what was skipped.
func (r RefreshResult) TextContent() string {
	var b strings.Builder
	if r.Status == "running" {
		fmt.Fprintf(&b, "running: %d of %d files; it goes on: call refresh_index again to wait, or search what there is\n", r.Done, r.Total)
	} else {
		fmt.Fprintf(&b, "done: %d files (%d added, %d updated, %d removed, %d unchanged) in %d ms\n", r.Files, r.Added, r.Updated, r.Removed, r.Unchanged, r.Duration)
	}
	for _, skipped := range r.Skipped {
		b.WriteString("skipped: " + describeSkipped(skipped) + "\n")
	}
	return b.String()
}

// renewTime bounds how long a file is refreshed.
const renewTime = time.Minute

// renewing are files that were seen to differ from what is indexed. The zero value has none.
type renewing struct {
	mu    sync.Mutex
	paths map[string]bool
}

// begin notes files; it answers those that are not being refreshed.
func (r *renewing) begin(paths []string) (fresh []string) {
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

func (r *renewing) end(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range paths {
		delete(r.paths, p)
	}
}

// renew has files indexed anew, behind the answer in which they were seen to have changed: where changes are not watched nobody else
// would.
func (s *Search) renew(paths []string) {
	fresh := s.renewing.begin(paths)
	if len(fresh) == 0 || s.life.Err() != nil {
		s.renewing.end(fresh)
		return
	}
	s.work.Go(func() {
		defer s.renewing.end(fresh)
		ctx, cancel := context.WithTimeout(s.life, renewTime)
		defer cancel()
		for _, d := range s.documents {
			for _, path := range fresh {
				if _, err := d.Refresh(ctx, plugin.RefreshOptions{Path: path}); err != nil && ctx.Err() == nil {
					s.log.Debug("a changed file was not indexed anew", "plugin", d.name, "path", path, "error", err)
				}
			}
		}
	})
}
