package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// accuracyBar is the lowest recall and the lowest share of exact ends.
const accuracyBar = 0.98

// extent is a function by its first and last line. name is empty if the truth has none.
type extent struct {
	name        string
	first, last int
}

// accuracyCorpus is a project in a language whose functions or, in declarative languages, declarations another parser or the layout of the text shows.
type accuracyCorpus struct {
	language source.Language
	name     string
	test     bool // false for a project that served to improve the parser
	open     func(b *bench) (fs.FS, error)
	within   string
	truth    func(ctx context.Context, dir string, names []string) (map[string][]extent, error)
	by       string // the origin of the truth
}

// accuracy compares the functions that the parsers find with those that other parsers find.
func (b *bench) accuracy(ctx context.Context) (err error) {
	parsers := builtin.Parsers(builtin.Options{Precise: true})
	defer func() { err = errors.Join(err, parsers.Close()) }()
	fmt.Fprint(b.stdout, "\n| language | project | for | truth | files | with problems | declarations | recall | exact ends | CPU s/MB | |\n|---|---|---|---|---:|---:|---:|---:|---:|---:|---|\n")
	for _, c := range accuracyCorpora() {
		if chosen := strings.Split(b.languages, ","); b.languages != "" && !slices.Contains(chosen, string(c.language)) && !slices.Contains(chosen, c.name) {
			continue
		}
		if err := b.measureAccuracy(ctx, parsers, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func (b *bench) measureAccuracy(ctx context.Context, parsers *source.Parsers, c accuracyCorpus) error {
	from, err := c.open(b)
	if err != nil {
		fmt.Fprintf(b.stderr, "chunks: %s is not measured: %v\n", c.name, err)
		return nil
	}
	dir, err := os.MkdirTemp(b.dir, "accuracy")
	if err != nil {
		return err
	}
	names, err := languageFiles(parsers, from, c.within, c.language)
	if err != nil {
		return err
	}
	if len(names) > accuracyFiles {
		names = names[:accuracyFiles]
	}
	size, err := copyFiles(dir, from, names)
	if err != nil {
		return err
	}
	known, err := c.truth(ctx, dir, names)
	if err != nil {
		fmt.Fprintf(b.stderr, "chunks: %s is not measured: %v\n", c.name, err)
		return nil
	}
	var problems, all, found, exact int
	var spent float64
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		begun := processorTime()
		file, err := parsers.Parse(ctx, src, c.language, source.Options{})
		spent += processorTime().Seconds() - begun.Seconds()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(b.stderr, "chunks: %s: %v\n", name, err)
			file = &source.File{Problems: []source.Problem{{Message: err.Error()}}}
		}
		if len(file.Problems) > 0 {
			problems++
			if b.verbose {
				fmt.Fprintf(b.stderr, "%s: %v\n", name, file.Problems[0])
			}
		}
		text := newLineIndex(src)
		for _, f := range known[name] {
			all++
			located, ends := f.in(text, file, known[name])
			if located {
				found++
			}
			if ends {
				exact++
			} else if b.verbose {
				fmt.Fprintf(b.stderr, "%s:%d-%d: %s: found %t\n", name, f.first, f.last, f.name, located)
			}
		}
	}
	purpose := "tuning"
	if c.test {
		purpose = "test"
	}
	fmt.Fprintf(b.stdout, "| %s | %s | %s | %s | %d | %d | %d | %s | %s | %.2f | %s |\n", c.language, c.name, purpose, c.by, len(names), problems, all,
		share(found, all), share(exact, found), spent/max(float64(size)/1e6, 1e-6), met(ratio(found, all) >= accuracyBar && ratio(exact, found) >= accuracyBar))
	return nil
}

// accuracyFiles limits the files of a project.
const accuracyFiles = 300

// languageFiles returns the files of a directory in a language, sorted.
func languageFiles(parsers *source.Parsers, from fs.FS, within string, lang source.Language) ([]string, error) {
	var names []string
	err := fs.WalkDir(from, within, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() > 1<<20 {
			return err
		}
		head, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		if of, ok := parsers.LanguageOf(name, head[:min(len(head), 4096)]); ok && of == lang {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// in reports whether a file has a callable chunk with the name and a line of the function, and whether its last line is right. A chunk
// may end with a later clause of the same function.
func (f extent) in(text lineIndex, file *source.File, all []extent) (found, exact bool) {
	for i := range file.Chunks {
		c := &file.Chunks[i]
		named := f.name == "" || c.Name == f.name || strings.HasSuffix(f.name, "."+c.Name) || strings.HasSuffix(f.name, "::"+c.Name)
		isBlock := f.name == "" && c.Kind == source.Object              // of Terraform
		isAny := file.Language == "proto" || file.Language == "graphql" // all declarations count
		if !c.Kind.IsCallable() && c.Kind != source.Macro && !isBlock && !isAny || !named {
			continue
		}
		first, last := text.line(c.Decl), text.line(c.End-1)
		if f.first < first || f.first > last {
			continue
		}
		if f.name == "" && f.first != first && f.first != text.line(c.Sig) {
			continue
		}
		found = true
		exact = exact || slices.ContainsFunc(all, func(g extent) bool { return g.name == f.name && g.first >= f.first && g.last == last })
	}
	return found, exact
}

// lineIndex holds the offsets of the line feeds of a text.
type lineIndex []int32

func newLineIndex(src []byte) (index lineIndex) {
	for at, b := range src {
		if b == '\n' {
			index = append(index, int32(at))
		}
	}
	return index
}

// line returns the line of an offset, from 1.
func (l lineIndex) line(offset int32) int {
	before, _ := slices.BinarySearch(l, offset)
	return before + 1
}

// programTruth returns the functions that a program prints for the names of files in its input: name, first line, last line and file,
// separated by tabs. Files without a line are not counted: the program cannot read them.
func programTruth(program string, args ...string) func(ctx context.Context, dir string, names []string) (map[string][]extent, error) {
	return func(ctx context.Context, dir string, names []string) (map[string][]extent, error) {
		program, err := exec.LookPath(program)
		if err != nil {
			return nil, err
		}
		for i, arg := range args {
			if strings.HasPrefix(arg, "truth/") {
				own, err := filepath.Abs(filepath.Join("chunks", arg))
				if err != nil {
					return nil, err
				}
				args[i] = own
			}
		}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run %s: %w: %s", program, err, errs.String())
		}
		found := map[string][]extent{}
		scanner := bufio.NewScanner(bytes.NewReader(out))
		for scanner.Scan() {
			words := strings.Split(scanner.Text(), "\t")
			if len(words) != 4 {
				continue
			}
			first, err1 := strconv.Atoi(words[1])
			last, err2 := strconv.Atoi(words[2])
			if err1 == nil && err2 == nil && first > 0 {
				found[words[3]] = append(found[words[3]], extent{words[0], first, last})
			}
		}
		return found, scanner.Err()
	}
}

// processorTime returns the user and system time of this process.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
