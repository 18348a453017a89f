// Command lines compares package grep with package regexp after a search for literals with package bytes, in the sources of Go
// modules.
//
//	go run ./lines
//
// The result is printed as Markdown tables, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/tools/grep"
)

func main() { driver.Main("lines", run) }

// kind is a kind of patterns.
type kind struct {
	name     string
	patterns []string
}

func kinds() []kind {
	return []kind{
		{"literal", []string{`ErrUnexpectedEOF`, `ServeHTTP`, `zzzqqq`, `if err != nil`, `return`, `err`}},
		{"literal in any case", []string{`(?i)deprecated:`, `(?i)unicode`, `(?i)todo`, `(?i)error`}},
		{"alternatives", []string{`panic\(|recover\(`, `TODO|FIXME|XXX`, `Mutex|RWMutex|WaitGroup|Cond`, `Context|Request|Response|Handler`, `(?i)todo|fixme`}},
		{"class with a literal", []string{`func \([0-9A-Za-z_]+ \*?[0-9A-Za-z_]+\) Close\(`, `TODO\([a-z]+\)`, `[A-Z][a-z]+Error\(`, `[a-z]+_[a-z]+\(`, `"[^"]*%v[^"]*"`, `\berr\s*:?=\s*\w+\.(Read|Write)\w*\(`, `[A-Z][a-z]+Error\b`}},
		{"no literal", []string{`[0-9a-f]{16,}`, `[0-9]{4}[^0-9][0-9]{2}[^0-9][0-9]{2}`, `^[^A-Za-z0-9]+$`, `[A-Z]{3,}[a-z]+[A-Z]{3,}`, `\w+\s+\w+\s+\w+$`}},
		{"CJK", []string{`世界`, `日本|中国`, `[一-龥]{2}`, `\p{Hiragana}+`, `[ぁ-ん]の`}},
	}
}

// bench holds the settings of a run.
type bench struct {
	files   []file
	reading time.Duration // time to read all files
	rounds  int
	stdout  io.Writer
}

// file is a file to search.
type file struct {
	name  string
	text  []byte
	ascii bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("lines", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 7, "measure each pattern so often, in turn")
	source := flags.String("source", "", "search this `directory` (default modules of the module cache)")
	only := flags.String("kinds", "", "only `kinds` of patterns whose names have this in them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *rounds < 1 {
		return errors.New("unexpected arguments, or a number that is too small")
	}
	dirs := []string{*source}
	if *source == "" {
		modules, err := corpora.Modules(ctx)
		if err != nil {
			return err
		}
		dirs = nil
		for _, m := range modules {
			dirs = append(dirs, m.Dir)
		}
	}
	b := &bench{stdout: stdout, rounds: *rounds}
	var reads []time.Duration
	var size int64
	for range *rounds + 1 { // the first round fills the page cache
		start := time.Now()
		var err error
		if b.files, size, err = read(dirs); err != nil {
			return err
		}
		reads = append(reads, time.Since(start))
	}
	b.reading = driver.Median(reads[1:])
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs, %d files of %.1f MB in memory, %d rounds in turn: medians. To read them from the page cache takes %s.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), len(b.files), float64(size)/1e6, b.rounds, milliseconds(b.reading))
	fmt.Fprintf(stdout, "\n| kind | pattern | lines | of regexp's | grep | regexp | ratio | with reading |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	var summary strings.Builder
	for _, k := range kinds() {
		if !strings.Contains(k.name, *only) {
			continue
		}
		var ratios, whole []float64
		for _, pattern := range k.patterns {
			r, w, err := b.compare(ctx, k.name, pattern)
			if err != nil {
				return fmt.Errorf("%s: %w", pattern, err)
			}
			ratios, whole = append(ratios, r), append(whole, w)
		}
		fmt.Fprintf(&summary, "| %s | %d | %.2f | %.2f–%.2f | %.2f |\n", k.name, len(ratios), geometric(ratios), slices.Min(ratios), slices.Max(ratios), geometric(whole))
	}
	fmt.Fprintf(stdout, "\n| kind | patterns | ratio, geometric mean | from, to | with reading |\n|---|---:|---:|---:|---:|\n%s", summary.String())
	return nil
}

// read reads the text files of directories.
func read(dirs []string) (files []file, size int64, err error) {
	for _, dir := range dirs {
		names, err := corpus.Files(dir)
		if err != nil {
			return nil, 0, err
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, 0, err
			}
			if corpus.IsText(text) {
				ascii := !slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 })
				files = append(files, file{filepath.Join(dir, name), text, ascii})
				size += int64(len(text))
			}
		}
	}
	return files, size, nil
}

// compare measures a pattern and prints a row. It returns the time relative to package regexp, and the same with the time to read
// the files added to both.
func (b *bench) compare(ctx context.Context, name, pattern string) (ratio, withReading float64, err error) {
	ours, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
	if err != nil {
		return 0, 0, err
	}
	theirs, err := newFloor(pattern)
	if err != nil {
		return 0, 0, err
	}
	found, expected, err := same(pattern, ours, theirs, b.files)
	if err != nil {
		return 0, 0, err
	}
	var mine, other []time.Duration
	for range b.rounds {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		start, n := time.Now(), 0
		for i := range b.files {
			for m := range ours.Lines(b.files[i].text) {
				n += min(m.Line, 1)
			}
		}
		mine = append(mine, time.Since(start))
		m := 0
		start = time.Now()
		for i := range b.files {
			theirs.lines(b.files[i].text, func(number, _, _ int) { m += min(number, 1) })
		}
		other = append(other, time.Since(start))
		if n != found || m != expected {
			return 0, 0, fmt.Errorf("%d and %d lines were found, and then %d and %d", found, expected, n, m)
		}
	}
	ratio = driver.Ratio(mine, other)
	withReading = float64(driver.Median(mine)+b.reading) / float64(driver.Median(other)+b.reading)
	fmt.Fprintf(b.stdout, "| %s | `%s` | %d | %d | %s | %s | %.2f | %.2f |\n", name, strings.ReplaceAll(pattern, "|", `\|`), found, expected,
		milliseconds(driver.Median(mine)), milliseconds(driver.Median(other)), ratio, withReading)
	return ratio, withReading, nil
}

// position is the position of a matching line.
type position struct{ number, start, end int }

// same compares the lines that both find, and returns their numbers. Results for files with non-ASCII characters may differ for \w,
// \d, \s and \b, which one of them defines by Unicode and the other by ASCII.
func same(pattern string, ours *grep.Matcher, theirs *floor, files []file) (found, expected int, err error) {
	unicode := readsUnicode(pattern)
	for _, f := range files {
		var a, b []position
		for m := range ours.Lines(f.text) {
			a = append(a, position{m.Line, m.Start, m.End})
		}
		theirs.lines(f.text, func(number, start, end int) { b = append(b, position{number, start, end}) })
		if !slices.Equal(a, b) && (f.ascii || !unicode) {
			return 0, 0, fmt.Errorf("other lines are found in %s: %v and %v", f.name, a, b)
		}
		found += len(a)
		expected += len(b)
	}
	return found, expected, nil
}

func readsUnicode(pattern string) bool {
	for _, class := range []string{`\w`, `\d`, `\s`, `\b`} {
		if strings.Contains(pattern, class) {
			return true
		}
	}
	return false
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func geometric(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}
