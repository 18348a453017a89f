package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
)

// ripgrep is the order of files that a user of only rg would read.
type ripgrep struct {
	tree    *tree
	program string
	order   func(a, b *counts) int
}

// counts are the counts of rg for a file.
type counts struct {
	path         string
	words, lines int
}

// Orders to compare.
var (
	byLines = func(a, b *counts) int { return cmp.Compare(b.lines, a.lines) }
	byWords = func(a, b *counts) int { return cmp.Or(cmp.Compare(b.words, a.words), byLines(a, b)) }
	byPath  = func(*counts, *counts) int { return 0 }
)

// openRipgrep returns a function that opens it with an order. Equal files are sorted by path.
func openRipgrep(order func(a, b *counts) int) func(context.Context, *bench, *tree) (searcher, error) {
	return func(_ context.Context, _ *bench, t *tree) (searcher, error) {
		program, err := exec.LookPath("rg")
		if err != nil {
			return nil, corpora.Missing{Err: err}
		}
		return &ripgrep{t, program, order}, nil
	}
}

func (s *ripgrep) search(ctx context.Context, query string) ([]result, error) {
	all := map[string]*counts{}
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(query) {
		if word = strings.ToLower(word); seen[word] {
			continue
		}
		seen[word] = true
		err := s.count(ctx, word, func(path string, n int) {
			c := all[path]
			if c == nil {
				c = &counts{path: path}
				all[path] = c
			}
			c.words++
			c.lines += n
		})
		if err != nil {
			return nil, err
		}
	}
	order := slices.SortedFunc(maps.Values(all), func(a, b *counts) int {
		return cmp.Or(s.order(a, b), cmp.Compare(a.path, b.path))
	})
	var found []result
	for _, c := range order {
		if len(found) < wanted && s.tree.files[c.path] != nil {
			found = append(found, result{path: c.path})
		}
	}
	return found, nil
}

// count calls f for the files that contain a word, with the number of matching lines.
func (s *ripgrep) count(ctx context.Context, word string, f func(path string, n int)) error {
	cmd := exec.CommandContext(ctx, s.program, "--no-config", "-i", "-F", "-c", "--with-filename", "--null", "-e", word, ".")
	cmd.Dir = s.tree.dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // no match
	}
	if err != nil {
		return fmt.Errorf("rg %q: %w", word, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		path, count, _ := strings.Cut(lines.Text(), "\x00")
		n, err := strconv.Atoi(count)
		if err != nil {
			return fmt.Errorf("rg %q says %q", word, lines.Text())
		}
		f(strings.TrimPrefix(path, "./"), n)
	}
	return nil
}

func (s *ripgrep) close() error { return nil }
