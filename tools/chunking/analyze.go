package chunking

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// defaultWait is the default of AnalyzeArgs.WaitMs. It is shorter than the timeouts of
// common clients.
const defaultWait = 40 * time.Second

// AnalyzeArgs are the arguments of analyze_project.
type AnalyzeArgs struct {
	// ProjectPath is the directory, absolute or relative to the project, which is the
	// default. A call for a directory whose analysis is running joins that analysis.
	ProjectPath string `json:"projectPath,omitempty"`
	// Languages restricts the analysis to these languages. Default: all languages of the
	// set.
	Languages []string `json:"languages,omitempty" jsonschema:"description=Only these"`
	// Force also parses unchanged files.
	Force bool `json:"force,omitempty" jsonschema:"default=false,description=Include unchanged files"`
	// WaitMs is the time to wait for the end, in milliseconds. Default: 40,000. The
	// analysis continues afterwards. A task waits for the end.
	WaitMs int `json:"waitMs,omitempty" jsonschema:"minimum=1,maximum=600000,default=40000"`
}

// AnalyzeResult is the result of the tool analyze_project.
type AnalyzeResult struct {
	// Status is success, partial (something could not be read), empty (no file could be
	// read), or running.
	Status string `json:"status"`
	// Message describes the result in a sentence; it is also the text of the result.
	Message string `json:"message"`
	// Joined reports that another call started the analysis.
	Joined bool `json:"joined,omitempty"`
	// Files is the number of source files: the sum of parsed, unchanged, skipped
	// (binary or too long) and failed files.
	Files     int `json:"files"`
	Parsed    int `json:"parsed"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	// Chunks is the number of found chunks, Functions the number of callable ones.
	Chunks    int `json:"chunks"`
	Functions int `json:"functions"`
	// ParseErrors is the number of files with syntax errors.
	ParseErrors int `json:"parseErrors"`
	// DurationMs is the duration of the analysis so far, in milliseconds.
	DurationMs int64 `json:"durationMs"`
	// Languages and Parsers are numbers of files.
	Languages map[string]int `json:"languages,omitempty"`
	Parsers   map[string]int `json:"parsers,omitempty"`
	// Problems lists up to 20 files that could not be read completely.
	Problems []string `json:"problems,omitempty"`
	// Unreadable counts source files of languages that no parser of the set reads, by
	// extension: ".zig". Scripts without an extension are under "#!", and files whose name
	// determines the language under their name: "Rakefile".
	Unreadable map[string]int `json:"unreadable,omitempty"`
	// Excluded counts files of languages that Options.Languages leave out.
	Excluded map[string]int `json:"excluded,omitempty"`
	// OtherFiles is the number of documents, data, settings and media, which declare
	// nothing.
	OtherFiles int `json:"otherFiles,omitempty"`
	// LeftOut is the number of entries that were not looked at, without the entries in
	// them: hidden, ignored or withheld by rules, or with names that no call accepts.
	LeftOut int `json:"leftOut,omitempty"`
	// NotSaved is the reason why the index exists in memory only.
	NotSaved string `json:"notSaved,omitempty"`
	// Damage describes entries that the saved index had lost. The analysis has read their files again.
	Damage string `json:"damage,omitempty"`
}

// Analyze implements the tool analyze_project.
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
		return AnalyzeResult{}, invalid("Give the directory that it is in.", "%s is not a directory", quote(args.ProjectPath))
	}
	wait := defaultWait
	if args.WaitMs > 0 {
		wait = time.Duration(args.WaitMs) * time.Millisecond
	}
	return c.analyze(ctx, dir.Path, o, mcp.WorkTimeout(ctx, wait))
}

// indexed returns the analysed files. With Options.AnalyzeOnDemand it first analyses a
// project that has no analysed file, or waits for a running analysis.
func (c *Chunks) indexed(ctx context.Context) (*index.Snapshot, error) {
	if c.options.AnalyzeOnDemand && c.index.Snapshot().Len() == 0 {
		r, err := c.Analyze(ctx, AnalyzeArgs{})
		switch {
		case err != nil:
			return nil, err
		case r.Status == "running":
			return nil, problem(codeNotAnalyzed, "Call again in a while.", "the first analysis of the project is still running (%d of %d files)", r.Parsed, r.Files)
		}
	}
	c.indexUnsaved(ctx)
	return c.index.Snapshot(), nil
}

// indexUnsaved brings the index up to date with the unsaved texts of editors.
func (c *Chunks) indexUnsaved(ctx context.Context) {
	err := c.unsaved.Update(ctx, c.root, func(paths []string) error {
		_, err := c.index.Update(ctx, paths...)
		return err
	})
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "the index lacks unsaved texts", "error", err)
	}
}

// errWaited ends a wait after WaitMs.
var errWaited = errors.New("the time to wait is over")

// analyze waits for an analysis, which continues if the wait ends first.
func (c *Chunks) analyze(ctx context.Context, dir string, o index.AnalyzeOptions, wait time.Duration) (AnalyzeResult, error) {
	a, err := c.index.Begin(ctx, dir, o)
	if err != nil {
		return AnalyzeResult{}, err
	}
	if a.Joined() {
		defer a.Release()
	} else {
		c.conclude(dir, a)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errWaited)
	defer cancel()
	tell := func(p index.Progress) {
		mcp.Progress(ctx, float64(p.Done), float64(p.Changed), describe(p))
	}
	tell(a.Progress())
	r, err := a.Wait(ctx, tell)
	if err == nil {
		err = c.connect(ctx)
	}
	switch {
	case err == nil:
		c.unread.note(dir, a.Started(), r.Unread)
		return finished(r), nil
	case context.Cause(ctx) == errWaited:
		return unfinished(a), nil
	}
	return AnalyzeResult{}, fmt.Errorf("analysing %s: %w", dir, err)
}

// manyFiles is the number of parsed files after which unused memory is returned to the
// operating system.
const manyFiles = 1000

// conclude keeps an analysis running until its end, even if its callers leave. It then
// performs the follow-up work once and releases the analysis.
func (c *Chunks) conclude(dir string, a *index.Analysis) {
	c.work.Go(func() {
		defer a.Release()
		r, err := a.Wait(c.life, nil)
		if err != nil {
			return // the callers receive the error
		}
		c.unread.note(dir, a.Started(), r.Unread)
		c.follow()
		if err := c.connect(c.life); err != nil && c.life.Err() == nil {
			c.log.Warn("the analysed files are not in the graph", "error", err)
		}
		if r.Parsed > manyFiles {
			debug.FreeOSMemory()
		}
	})
}

func unfinished(a *index.Analysis) AnalyzeResult {
	p := a.Progress()
	return AnalyzeResult{
		Status: "running", Joined: a.Joined(),
		Message: describe(p) + "; it continues: call analyze_project again to wait for the end",
		Files:   p.Files, Parsed: p.Done, DurationMs: time.Since(a.Started()).Milliseconds(),
	}
}

// describe describes the progress of an analysis.
func describe(p index.Progress) string {
	if p.Files == 0 {
		return "looking for source files"
	}
	if p.Walking {
		return fmt.Sprintf("%d source files found so far, %d of them read", p.Files, p.Done)
	}
	return fmt.Sprintf("%d of %d changed source files read", p.Done, p.Changed)
}

// finished returns the result for the report of an analysis.
func finished(r index.Report) AnalyzeResult {
	result := AnalyzeResult{
		Status: "success", Joined: r.Joined,
		Files: r.Files, Parsed: r.Parsed, Unchanged: r.Unchanged, Removed: r.Removed, Failed: r.Failed, Skipped: r.Skipped,
		Chunks: r.Chunks, Functions: r.Functions, ParseErrors: r.ParseErrors, DurationMs: r.Duration.Milliseconds(),
		Languages: counts(r.ByLanguage), Parsers: counts(r.ByParser), NotSaved: r.NotSaved, Damage: r.Damage,
	}
	if len(r.Unread.ByExtension) > 0 {
		result.Unreadable = r.Unread.ByExtension
	}
	if len(r.Unread.Excluded) > 0 {
		result.Excluded = r.Unread.Excluded
	}
	result.OtherFiles, result.LeftOut = r.Unread.Other, r.LeftOut
	for _, p := range r.Problems[:min(len(r.Problems), maxTold)] {
		where := p.Path
		if p.Line > 0 {
			where += ":" + number(p.Line)
		}
		result.Problems = append(result.Problems, where+": "+p.Message)
	}
	var b strings.Builder
	if len(result.Unreadable) > 0 {
		b.WriteString("not readable here: " + byExtension(result.Unreadable) + "; ")
	}
	if len(result.Excluded) > 0 {
		b.WriteString("left out by the server's settings: " + byExtension(result.Excluded) + "; ")
	}
	fmt.Fprintf(&b, "%s among %s in %s (%d parsed, %d unchanged, %d removed) in %v", plural.Count(r.Functions, "function"), plural.Count(r.Chunks, "chunk"), plural.Count(r.Files, "file"), r.Parsed, r.Unchanged, r.Removed, r.Duration.Round(time.Millisecond))
	if r.ParseErrors > 0 {
		b.WriteString("; " + plural.Count(r.ParseErrors, "file") + " with places that could not be read")
	}
	if r.Failed > 0 || r.Skipped > 0 || r.Incomplete {
		result.Status = "partial"
	}
	if r.Failed > 0 {
		b.WriteString("; " + plural.Count(r.Failed, "file") + " could not be read")
	}
	if r.Parsed+r.Unchanged == 0 {
		result.Status = "empty"
		b.WriteString("; no source file could be read")
	}
	if r.Skipped > 0 {
		b.WriteString("; " + plural.Count(r.Skipped, "file") + " not read: no text, or too long")
	}
	if r.Incomplete {
		b.WriteString("; not everything was looked at")
	}
	if r.LeftOut > 0 {
		b.WriteString("; " + plural.Count(r.LeftOut, "entry") + " not looked at: hidden, ignored or withheld")
	}
	if r.Damage != "" {
		b.WriteString("; " + r.Damage + "; their files were read again")
	}
	if r.NotSaved != "" {
		b.WriteString("; not saved: " + r.NotSaved)
	}
	result.Message = b.String()
	return result
}

// maxTold limits AnalyzeResult.Problems.
const maxTold = 20

func counts[K ~string](by map[K]int) map[string]int {
	named := make(map[string]int, len(by))
	for k, n := range by {
		named[string(k)] = n
	}
	return named
}

// follow watches the files from the first analysis on, if Options.Watch is set.
func (c *Chunks) follow() {
	if !c.options.Watch {
		return
	}
	c.watching.Do(func() {
		c.work.Go(func() {
			if err := c.index.Watch(c.life, index.WatchOptions{}); err != nil && c.life.Err() == nil {
				c.log.Warn("file changes are no longer watched", "error", err)
			}
		})
	})
}

// TextContent returns the message and the problems.
func (r AnalyzeResult) TextContent() string {
	var b strings.Builder
	b.WriteString(r.Status + ": " + r.Message + "\n")
	for _, p := range r.Problems {
		b.WriteString("[not read: " + p + "]\n")
	}
	if more := r.Failed + r.ParseErrors - len(r.Problems); more > 0 && len(r.Problems) > 0 {
		b.WriteString("[and " + number(more) + " files more that could not be read, wholly or in part]\n")
	}
	return b.String()
}
