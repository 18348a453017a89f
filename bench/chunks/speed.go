package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
)

// corpus is source text of one language.
type corpus struct {
	name   string
	ctags  string // name of the language in ctags
	ending string
	open   []func(*bench) (from fs.FS, within string, err error)
	scan   float64 // limit of the scanner's processor time relative to ctags; 0 is none
	whole  float64 // limit of the complete index's processor time
}

func measured() []corpus {
	npm := func(p corpora.Pack) func(*bench) (fs.FS, string, error) {
		return func(b *bench) (fs.FS, string, error) {
			from, err := b.npm(p, "")
			return from, ".", err
		}
	}
	tree := func(b *bench) (fs.FS, string, error) { return os.DirFS(filepath.Join(b.goroot, "src")), ".", nil }
	jdk := func(part string) func(*bench) (fs.FS, string, error) {
		return func(b *bench) (fs.FS, string, error) {
			from, err := corpora.JDK(b.stderr)
			return from, part, err
		}
	}
	return []corpus{
		{name: "Go (GOROOT/src)", ctags: "Go", ending: ".go", open: []func(*bench) (fs.FS, string, error){tree}, whole: 1},
		{name: "TypeScript (effect, rxjs)", ctags: "TypeScript", ending: ".ts", scan: 1. / 5, whole: 1. / 5,
			open: []func(*bench) (fs.FS, string, error){npm(effect), npm(rxjs)}},
		{name: "Java (JDK, Android)", ctags: "Java", ending: ".java", scan: 1. / 5, whole: 1. / 5,
			open: []func(*bench) (fs.FS, string, error){jdk("java.base/java"), jdk("jdk.compiler"), npm(olderNative), npm(cordova)}},
	}
}

// copyTo copies the corpus to a directory.
func (c corpus) copyTo(dir string, b *bench) (files int, bytes int64, err error) {
	for i, open := range c.open {
		from, within, err := open(b)
		if err != nil {
			return 0, 0, fmt.Errorf("opening the sources of %s: %w", c.name, err)
		}
		names, err := sources(from, within, c.ending)
		if err != nil {
			return 0, 0, err
		}
		names = corpora.Thin(names, b.most)
		n, err := copyFiles(filepath.Join(dir, "part"+strconv.Itoa(i)), from, names)
		if err != nil {
			return 0, 0, err
		}
		files, bytes = files+len(names), bytes+n
	}
	return files, bytes, nil
}

// times are durations of rounds, for example processor times.
type times []time.Duration

func (t times) sorted() times { return slices.Sorted(slices.Values(t)) }

func (t times) median() time.Duration { return t.sorted()[len(t)/2] }

func (t times) String() string {
	s := t.sorted()
	return fmt.Sprintf("%.2f s [%.2f–%.2f]", t.median().Seconds(), s[0].Seconds(), s[len(s)-1].Seconds())
}

// over returns the median of the ratios of the rounds.
func (t times) over(other times) float64 {
	ratios := make([]float64, len(t))
	for i := range t {
		ratios[i] = float64(t[i]) / float64(max(other[i], 1))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// speed compares indexing with ctags, in processor time.
func (b *bench) speed(ctx context.Context) error {
	if b.profile != "" {
		return b.profileIndex(ctx)
	}
	fmt.Fprintf(b.stdout, "\n| corpus | files | MB | program | CPU | MB/s | × ctags | asked for | |\n|---|---:|---:|---|---:|---:|---:|---:|---|\n")
	for i, c := range measured() {
		dir := filepath.Join(b.dir, "speed", strconv.Itoa(i))
		files, bytes, err := c.copyTo(dir, b)
		if err != nil {
			fmt.Fprintf(b.stderr, "chunks: %v\n", err)
			fmt.Fprintf(b.stdout, "| %s | missing | | | | | | | |\n", c.name)
			continue
		}
		if err := b.compare(ctx, c, dir, files, bytes); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// contender is a program that reads a corpus.
type contender struct {
	name    string
	bar     float64
	command func() *exec.Cmd
	before  func() error // may be nil
	files   int          // number of files that it must report; 0 for a program without a report
	times   times
}

func (b *bench) compare(ctx context.Context, c corpus, dir string, files int, bytes int64) error {
	tags := filepath.Join(b.dir, "tags")
	index := func(more ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			return exec.CommandContext(ctx, b.ours, append([]string{"index", "-force", "-root", dir}, more...)...)
		}
	}
	all := []*contender{
		{name: "scanner", bar: c.scan, files: files, command: func() *exec.Cmd { return exec.CommandContext(ctx, b.parser, dir) }},
		{name: "index, in memory", files: files, command: index("-store", "memory")},
		{name: "index, first", bar: c.whole, files: files, command: index(), before: func() error { return os.RemoveAll(filepath.Join(dir, "data")) }},
		{name: "index, again", bar: c.whole, files: files, command: index()},
	}
	if b.ctags != "" {
		all = append(all, &contender{name: "ctags", command: func() *exec.Cmd {
			return exec.CommandContext(ctx, b.ctags, "-R", "--languages="+c.ctags, "--fields=+ne", "-f", tags, dir)
		}})
	}
	for range b.rounds {
		for _, one := range all {
			if err := one.measure(); err != nil {
				return err
			}
		}
	}
	for _, one := range all {
		fmt.Fprintf(b.stdout, "| %s | %d | %.1f | %s | %v | %.0f |", c.name, files, float64(bytes)/1e6, one.name, one.times, float64(bytes)/1e6/one.times.median().Seconds())
		switch ratio := one.times.over(all[len(all)-1].times); {
		case one.name == "ctags":
			fmt.Fprintf(b.stdout, " | | |\n")
		case b.ctags == "":
			fmt.Fprintf(b.stdout, " ctags is missing | ≤ %.2f | — |\n", one.bar)
		case one.bar == 0:
			fmt.Fprintf(b.stdout, " %.2f | | |\n", ratio)
		default:
			fmt.Fprintf(b.stdout, " %.2f | ≤ %.2f | %s |\n", ratio, one.bar, met(ratio <= one.bar))
		}
	}
	return nil
}

// counted matches the number of files in a report.
var counted = regexp.MustCompile(`(\d+) files`)

func (c *contender) measure() error {
	if c.before != nil {
		if err := c.before(); err != nil {
			return err
		}
	}
	cpu, said, err := driver.CPUOf(c.command())
	if err != nil {
		return err
	}
	if c.files > 0 {
		m := counted.FindSubmatch(said)
		if m == nil {
			return fmt.Errorf("%s does not say what it has read: %.300s", c.name, said)
		}
		// Hidden files and files with NUL bytes are not indexed.
		if n, err := strconv.Atoi(string(m[1])); err != nil || n < c.files*99/100 || n > c.files {
			return fmt.Errorf("%s has read %s of %d files: %.300s", c.name, m[1], c.files, said)
		}
	}
	c.times = append(c.times, cpu)
	return nil
}

// profileIndex writes a profile of indexing the Go tree.
func (b *bench) profileIndex(ctx context.Context) error {
	c, dir := measured()[0], filepath.Join(b.dir, "speed")
	if _, _, err := c.copyTo(dir, b); err != nil {
		return err
	}
	cpu, said, err := driver.CPUOf(exec.CommandContext(ctx, b.parser, "-index", "-profile", b.profile, dir))
	if err == nil {
		fmt.Fprintf(b.stdout, "\n%s, index: %.2f s of processor time, %s", c.name, cpu.Seconds(), said)
	}
	return err
}
