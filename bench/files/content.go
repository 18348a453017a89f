package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// patterns returns search patterns: rare and frequent literals, case-insensitive ones, classes, alternatives, and patterns without
// a literal.
func patterns() []string {
	return []string{
		`ErrUnexpectedEOF`,
		`ServeHTTP`,
		`return`,
		`err`,
		`(?i)deprecated:`,
		`(?i)todo`,
		`[A-Z][a-z]+Error\b`,
		`func \(\w+ \*?\w+\) Close\(`,
		`\berr\s*:?=\s*\w+\.(Read|Write)\w*\(`,
		`panic\(|recover\(`,
		`Mutex|RWMutex|WaitGroup|Cond`,
		`TODO\([a-z]+\)`,
		`[0-9]{4}-[0-9]{2}-[0-9]{2}`,
		`^import \(`,
		`\w+\.\w+\(\)$`,
		`世界`,
	}
}

// content compares a search in all files with ripgrep: the response of a running server and the run of a process. Both count all
// matches.
func (b *bench) content(ctx context.Context) (err error) {
	if b.rg == "" {
		return nil
	}
	s, err := b.start(ctx, ours, b.source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	fmt.Fprintf(b.stdout, "\n| pattern | lines | of ripgrep's | median | ripgrep | ratio |\n|---|---:|---:|---:|---:|---:|\n")
	var ratios []float64
	for _, pattern := range patterns() {
		var mine, theirs []time.Duration
		var found, expected int
		for i := range b.rounds + 1 {
			ourTime, n, err := s.search(ctx, pattern)
			if err != nil {
				return err
			}
			rgTime, m, err := b.ripgrep(ctx, pattern)
			if err != nil {
				return err
			}
			found, expected = n, m
			if i > 0 { // the first run warms up
				mine, theirs = append(mine, ourTime), append(theirs, rgTime)
			}
		}
		r := driver.Ratio(mine, theirs)
		ratios = append(ratios, r)
		fmt.Fprintf(b.stdout, "| `%s` | %d | %d | %v | %v | %.2f |\n", bytes.ReplaceAll([]byte(pattern), []byte("|"), []byte(`\|`)), found, expected, micro(driver.Median(mine)), micro(driver.Median(theirs)), r)
	}
	slices.Sort(ratios)
	fmt.Fprintf(b.stdout, "\nratio to ripgrep: median %.2f (asked for ≤ 2), worst %.2f (≤ 8)\n", ratios[len(ratios)/2], ratios[len(ratios)-1])
	return nil
}

// search searches with this library's server and counts the lines.
func (s *server) search(ctx context.Context, pattern string) (time.Duration, int, error) {
	begin := time.Now()
	result, err := s.call(ctx, "search_content", map[string]any{"pattern": pattern, "caseSensitive": true})
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(begin)
	var answer struct {
		TotalMatches int  `json:"totalMatches"`
		Incomplete   bool `json:"incomplete"`
	}
	if err := json.Unmarshal(result.Structured, &answer); err != nil {
		return 0, 0, err
	}
	if answer.Incomplete {
		return 0, 0, fmt.Errorf("the search for %q is not complete: %.300s", pattern, text(result))
	}
	return took, answer.TotalMatches, nil
}

// ripgrep searches with ripgrep and counts the lines. Its output is read and dropped.
func (b *bench) ripgrep(ctx context.Context, pattern string) (time.Duration, int, error) {
	begin := time.Now()
	err := exec.CommandContext(ctx, b.rg, "--no-config", "-n", "--no-heading", "--color", "never", "-e", pattern, b.source).Run()
	took := time.Since(begin)
	if err := ripgrepError(err); err != nil {
		return 0, 0, err
	}
	counts, err := exec.CommandContext(ctx, b.rg, "--no-config", "-c", "--no-filename", "-e", pattern, b.source).Output()
	if err := ripgrepError(err); err != nil {
		return 0, 0, err
	}
	total := 0
	for count := range bytes.Lines(counts) {
		n, err := strconv.Atoi(string(bytes.TrimSpace(count)))
		if err != nil {
			return 0, 0, fmt.Errorf("reading what ripgrep counted: %w", err)
		}
		total += n
	}
	return took, total, nil
}

// ripgrepError drops the exit code for no matches.
func ripgrepError(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("running ripgrep: %w", err)
	}
	return nil
}
