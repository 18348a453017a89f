package jetbrains

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

const (
	maxProblems = 1000 // of one file
	maxMessage  = 4000 // bytes
	// maxAsked is how many files one answer is about.
	maxAsked = 50
	// defaultAnalysis is how long the IDE may look at a file in a call without an end.
	defaultAnalysis = 10 * time.Second
	// tooSoon is the minimum time for a query. A query with less time usually follows a change that the IDE has not analyzed
	// yet.
	tooSoon = 500 * time.Millisecond
)

// problems is an answer to get_file_problems.
type problems struct {
	Errors []struct {
		Severity    string  `json:"severity"`
		Description *string `json:"description"`
		Line        int     `json:"line"`
		Column      int     `json:"column"`
	} `json:"errors"`
	TimedOut bool `json:"timedOut"`
}

// Diagnose returns the diagnostics of files that are open in the IDE. Other files, and queries with less than half a second,
// are left to the next adapter. The IDE does not report whether it has analyzed the present text, so the result is never fresh.
func (j *JetBrains) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	out := adapter.Diagnostics{Covered: []string{}}
	fail := func(err error) (adapter.Diagnostics, error) {
		return out, fmt.Errorf("asking an IDE of JetBrains for diagnostics: %w", err)
	}
	if len(paths) == 0 {
		return fail(fmt.Errorf("it is asked about single files: %w", adapter.ErrUnsupported))
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < tooSoon {
		return fail(fmt.Errorf("it has not looked at it so soon: %w", adapter.ErrUnsupported))
	}
	open, err := j.server.openFiles(ctx)
	if err != nil {
		return fail(err)
	}
	for _, path := range paths[:min(len(paths), maxAsked)] {
		rel, err := j.server.relative(path)
		if err != nil || !open[rel] {
			continue
		}
		var found problems
		args := map[string]any{"filePath": rel, "errorsOnly": false, "timeout": analysis(ctx).Milliseconds()}
		if err := j.server.call(ctx, toolProblems, "filePath", args, &found); err != nil {
			return fail(err)
		}
		out.Covered = append(out.Covered, path)
		if found.TimedOut {
			out.Notes = append(out.Notes, "the IDE has not come to the end of "+rel)
		}
		for _, p := range found.Errors[:min(len(found.Errors), maxProblems)] {
			if p.Description == nil || *p.Description == "" || p.Line < 1 {
				continue
			}
			at := adapter.Position{Line: p.Line, Column: max(p.Column, 1)}
			out.Items = append(out.Items, adapter.Diagnostic{
				Path: path, Range: adapter.Range{Start: at, End: at}, Severity: severity(p.Severity), Message: truncate.Cut(*p.Description, maxMessage), Source: "jetbrains",
			})
		}
	}
	if len(out.Covered) > 0 {
		out.Notes = append(out.Notes, "the IDE may not have processed the latest changes yet")
	}
	return out, nil
}

// analysis is how long the IDE may look at a file, so that its answer comes before ctx ends.
func analysis(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return defaultAnalysis
	}
	left := time.Until(end)
	return min(max(left-min(250*time.Millisecond, left/4), time.Millisecond), defaultAnalysis)
}

// openFiles are the files of the project that the IDE has open, by their relative paths with slashes.
func (s *server) openFiles(ctx context.Context) (map[string]bool, error) {
	var answer struct {
		Files []string `json:"openFiles"`
	}
	if err := s.call(ctx, toolOpenFiles, "", nil, &answer); err != nil {
		return nil, err
	}
	open := make(map[string]bool, len(answer.Files))
	for _, file := range answer.Files {
		open[filepath.ToSlash(filepath.Clean(strings.ReplaceAll(file, "\\", "/")))] = true
	}
	return open, nil
}

// severity is that of an inspection.
func severity(name string) adapter.Severity {
	switch strings.ToUpper(name) {
	case "ERROR":
		return adapter.Error
	case "WARNING", "WEAK WARNING", "WEAK_WARNING", "SERVER PROBLEM", "GENERIC SERVER ERROR OR WARNING":
		return adapter.Warning
	}
	return adapter.Info
}
