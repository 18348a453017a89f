package chunks

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// mostProblems bounds the problems that are printed.
const mostProblems = 20

const noSources = "there is no source file here in a language that is known; -root names another directory"

// report prints the result of an analysis and the location of the index.
func report(w io.Writer, r index.Report, kept string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) in %s, read in %v\n", plural.Count(r.Functions, "function"), plural.Count(r.Chunks, "declaration"), plural.Count(r.Files, "file"), r.Duration.Round(time.Millisecond))
	if r.Files == 0 {
		b.WriteString(noSources + "\n")
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{r.Parsed, "new or changed"}, {r.Unchanged, "unchanged"}, {r.Removed, "removed"}, {r.Skipped, "skipped (no text, or too long)"}, {r.Failed, "failed"}} {
		if part.n > 0 {
			parts = append(parts, strconv.Itoa(part.n)+" "+part.what)
		}
	}
	line(&b, "files", parts)
	line(&b, "languages", counts(r.ByLanguage))
	line(&b, "read by", counts(r.ByParser))
	line(&b, "not read", append(counts(r.Unread.ByExtension), counts(r.Unread.Excluded)...))
	if r.NotSaved == "" {
		line(&b, "kept in", []string{kept})
	} else {
		line(&b, "not saved", []string{r.NotSaved})
	}
	if r.Incomplete {
		b.WriteString("Not everything was looked at: a directory cannot be read, or there are too many entries.\n")
	}
	problems(&b, r.Problems)
	_, err := io.WriteString(w, b.String())
	return err
}

func line(b *strings.Builder, name string, parts []string) {
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %-10s %s\n", name, strings.Join(parts, ", "))
	}
}

func problems(b *strings.Builder, all []index.FileProblem) {
	if len(all) == 0 {
		return
	}
	b.WriteString("could not be read, wholly or at this place:\n")
	for _, p := range all[:min(len(all), mostProblems)] {
		where := p.Path
		if p.Line > 0 {
			where += ":" + strconv.Itoa(p.Line)
		}
		fmt.Fprintf(b, "  %s: %s\n", where, p.Message)
	}
	switch more := len(all) - mostProblems; {
	case len(all) >= index.MaxProblems:
		fmt.Fprintf(b, "  and at least %d more\n", more)
	case more > 0:
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// counts are numbers with their names, the largest first.
func counts[K ~string](by map[K]int) []string {
	names := slices.Sorted(maps.Keys(by))
	slices.SortStableFunc(names, func(a, b K) int { return by[b] - by[a] })
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = string(name) + " " + strconv.Itoa(by[name])
	}
	return parts
}
