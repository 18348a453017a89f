package chunking

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// defaultWait is how long analyze_project waits for the end: less than clients
// do.
const defaultWait = 40 * time.Second

// AnalyzeArgs are the arguments of analyze_project.
type AnalyzeArgs struct {
	// ProjectPath is the directory, absolute or relative to the project. A call for
	// one that is being analysed joins that analysis.
	ProjectPath string `json:"projectPath"`
	// Languages leave out the others. Empty is all that the set knows.
	Languages []string `json:"languages,omitempty" jsonschema:"description=Only these"`
	// Force reads also files that have not changed.
	Force bool `json:"force,omitempty" jsonschema:"default=false,description=Also what has not changed"`
	// WaitMs is how long to wait for the end, in milliseconds. 0 is 40,000. The
	// analysis goes on afterwards.
	WaitMs int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=600000,default=40000"`
}

// AnalyzeResult is what analyze_project answers.
type AnalyzeResult struct {
	// Status is success, partial (something could not be read), or running.
	Status string `json:"status"`
	// Message says it in a sentence, which is also the text of the result.
	Message string `json:"message"`
	// Joined says that the analysis had been begun by another call.
	Joined bool `json:"joined,omitempty"`
	// Files is how many source files there are: those that were Parsed, that had not
	// changed, that were Skipped because they are no text or too long, and that
	// Failed.
	Files     int `json:"files"`
	Parsed    int `json:"parsed"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	// Chunks is how many were found, Functions how many of them are called.
	Chunks    int `json:"chunks"`
	Functions int `json:"functions"`
	// ParseErrors is how many files have places that could not be read.
	ParseErrors int `json:"parseErrors"`
	// DurationMs is how long it took, or has taken so far.
	DurationMs int64 `json:"durationMs"`
	// Languages and Parsers count files.
	Languages map[string]int `json:"languages,omitempty"`
	Parsers   map[string]int `json:"parsers,omitempty"`
	// Problems are some of the files that could not be read, wholly or in part.
	Problems []string `json:"problems,omitempty"`
	// NotSaved says why the index is in memory alone.
	NotSaved string `json:"notSaved,omitempty"`
}

// Analyze is analyze_project.
func (c *Chunks) Analyze(ctx context.Context, args AnalyzeArgs) (AnalyzeResult, error) {
	o := index.AnalyzeOptions{Force: args.Force}
	for _, name := range args.Languages {
		lang, err := c.language(name)
		if err != nil {
			return AnalyzeResult{}, err
		}
		o.Languages = append(o.Languages, lang)
	}
	if args.ProjectPath == "" {
		args.ProjectPath = "."
	}
	dir, err := c.root.Stat(ctx, args.ProjectPath)
	if err != nil {
		return AnalyzeResult{}, err
	}
	if dir.Kind != security.Directory {
		return AnalyzeResult{}, invalid("give the directory that it is in", "%s is not a directory", quote(args.ProjectPath))
	}
	wait := defaultWait
	if args.WaitMs > 0 {
		wait = time.Duration(args.WaitMs) * time.Millisecond
	}
	j, joined := c.jobs.start(c, dir.Path, o)
	r, err := j.await(ctx, wait)
	r.Joined = joined
	return r, err
}

// jobs are the analyses that are running.
type jobs struct {
	mu      sync.Mutex
	running map[string]*job
}

// job is one analysis. It runs until it ends or the set is closed, whoever still
// waits for it.
type job struct {
	dir   string
	begun time.Time
	done  chan struct{} // closed at its end, after which report and err stay

	report index.Report
	err    error

	mu       sync.Mutex
	progress index.Progress
	news     chan struct{} // closed when there is more progress
}

// manyFiles is after how many parsed files the memory that they took is given back
// at once: a server that has read a project waits for a long time then.
const manyFiles = 1000

// start begins an analysis or finds one that is running.
func (js *jobs) start(c *Chunks, dir string, o index.AnalyzeOptions) (j *job, joined bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	key := fmt.Sprintf("%q %v %v", dir, o.Force, o.Languages)
	if j, ok := js.running[key]; ok {
		return j, true
	}
	j = &job{dir: dir, begun: time.Now(), done: make(chan struct{}), news: make(chan struct{})}
	if js.running == nil {
		js.running = make(map[string]*job)
	}
	js.running[key] = j
	c.work.Go(func() {
		defer func() {
			js.mu.Lock()
			delete(js.running, key)
			js.mu.Unlock()
			close(j.done)
		}()
		j.err = errors.New("the analysis ended in a panic, which the log has")
		j.report, j.err = c.index.Analyze(c.life, dir, o, j.tell)
		if j.err == nil {
			c.follow()
			j.err = c.connect(c.life)
			if j.report.Parsed > manyFiles {
				debug.FreeOSMemory()
			}
		}
	})
	return j, false
}

// tell notes progress for all who wait.
func (j *job) tell(p index.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.progress = p
	close(j.news)
	j.news = make(chan struct{})
}

func (j *job) state() (index.Progress, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.progress, j.news
}

// await waits for the end, for the time to be over, or for the caller to leave.
func (j *job) await(ctx context.Context, wait time.Duration) (AnalyzeResult, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		progress, news := j.state()
		mcp.Progress(ctx, float64(progress.Done), float64(progress.Changed), describe(progress))
		select {
		case <-j.done:
			if j.err != nil {
				return AnalyzeResult{}, fmt.Errorf("analysing %s: %w", j.dir, j.err)
			}
			return finished(j.report), nil
		case <-timer.C:
			return j.unfinished(), nil
		case <-ctx.Done():
			return AnalyzeResult{}, ctx.Err()
		case <-news:
		}
	}
}

func (j *job) unfinished() AnalyzeResult {
	progress, _ := j.state()
	return AnalyzeResult{
		Status:  "running",
		Message: describe(progress) + "; it goes on: call analyze_project again to wait for the end",
		Files:   progress.Files, Parsed: progress.Done, DurationMs: time.Since(j.begun).Milliseconds(),
	}
}

// describe tells how far an analysis has come.
func describe(p index.Progress) string {
	if p == (index.Progress{}) {
		return "looking for source files"
	}
	if p.Walking {
		return fmt.Sprintf("%d source files found so far, %d of them read", p.Files, p.Done)
	}
	return fmt.Sprintf("%d of %d changed source files read", p.Done, p.Changed)
}

// finished tells what an analysis has done.
func finished(r index.Report) AnalyzeResult {
	result := AnalyzeResult{
		Status: "success",
		Files:  r.Files, Parsed: r.Parsed, Unchanged: r.Unchanged, Removed: r.Removed, Failed: r.Failed, Skipped: r.Skipped,
		Chunks: r.Chunks, Functions: r.Functions, ParseErrors: r.ParseErrors, DurationMs: r.Duration.Milliseconds(),
		Languages: counts(r.ByLanguage), Parsers: counts(r.ByParser), NotSaved: r.NotSaved,
	}
	for _, p := range r.Problems[:min(len(r.Problems), maxTold)] {
		where := p.Path
		if p.Line > 0 {
			where += ":" + number(p.Line)
		}
		result.Problems = append(result.Problems, where+": "+p.Message)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d functions among %d chunks in %d files (%d parsed, %d unchanged, %d removed) in %v", r.Functions, r.Chunks, r.Files, r.Parsed, r.Unchanged, r.Removed, r.Duration.Round(time.Millisecond))
	if r.ParseErrors > 0 {
		fmt.Fprintf(&b, "; %d files have places that could not be read", r.ParseErrors)
	}
	if r.Failed > 0 || r.Incomplete {
		result.Status = "partial"
		fmt.Fprintf(&b, "; %d files could not be read", r.Failed)
	}
	if r.Incomplete {
		b.WriteString("; not everything was looked at")
	}
	if r.NotSaved != "" {
		b.WriteString("; not saved: " + r.NotSaved)
	}
	result.Message = b.String()
	return result
}

// maxTold bounds the problems of an answer.
const maxTold = 20

func counts[K ~string](by map[K]int) map[string]int {
	named := make(map[string]int, len(by))
	for k, n := range by {
		named[string(k)] = n
	}
	return named
}

// follow watches the files from the first analysis on, if that is asked for.
func (c *Chunks) follow() {
	if !c.options.Watch {
		return
	}
	c.watching.Do(func() {
		c.work.Go(func() {
			if err := c.index.Watch(c.life, index.WatchOptions{}); err != nil && c.life.Err() == nil {
				c.log.Warn("changes of the files are not followed any more", "error", err)
			}
		})
	})
}

// TextContent is the message, with the problems.
func (r AnalyzeResult) TextContent() string {
	var b strings.Builder
	b.WriteString(r.Status + ": " + r.Message + "\n")
	for _, p := range r.Problems {
		b.WriteString("[not read: " + p + "]\n")
	}
	return b.String()
}
