package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// corpus is a project: a copy of a part of the Go tree, with words and code to search for.
type corpus struct {
	dir   string
	files int
	names []string // of functions
	codes []string // of functions

	changes int
}

var function = regexp.MustCompile(`(?ms)^func (?:\([^)]*\) )?([A-Z]\w+)\(.*?^}\n`)

// errEnough ends the copying.
var errEnough = errors.New("there are enough files")

// newCorpus copies at most most files.
func newCorpus(ctx context.Context, dir string, most int) (*corpus, error) {
	c := &corpus{dir: dir}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the Go tree: %w", err)
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd"):
			return filepath.SkipDir
		case c.files == most:
			return errEnough
		case !d.Type().IsRegular() || filepath.Ext(path) != ".go":
			return nil
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return c.copy(path, name)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("copying the Go tree: %w", err)
	}
	if len(c.names) < 10 {
		return nil, fmt.Errorf("there are %d functions in %d files of %s", len(c.names), c.files, from)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "files"}} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return c, nil
}

// copy copies a file and records one of its functions.
func (c *corpus) copy(path, name string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := c.write(name, data); err != nil {
		return err
	}
	c.files++
	if found := function.FindStringSubmatch(string(data)); found != nil && len(found[0]) < 4000 && len(found[0]) > 200 {
		c.names, c.codes = append(c.names, found[1]), append(c.codes, found[0])
	}
	return nil
}

func (c *corpus) write(name string, data []byte) error {
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// words returns words to search for.
func (c *corpus) words(r *rand.Rand) string {
	name := c.names[r.IntN(len(c.names))]
	switch r.IntN(4) {
	case 0:
		return name
	case 1:
		return strings.ToLower(name) + " error"
	case 2:
		return "how does " + name + " handle a closed connection"
	}
	return "\"" + name + "(\""
}

// changeOne creates, changes or removes a file.
func (c *corpus) changeOne() error {
	c.changes++
	name := fmt.Sprintf("soak/changed%d.go", c.changes%50)
	if c.changes%10 == 7 {
		if err := os.Remove(filepath.Join(c.dir, fmt.Sprintf("soak/changed%d.go", (c.changes+25)%50))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	text := fmt.Sprintf("package soak\n\n// %s was made by the change %d.\nfunc %[1]s() int { return %[2]d }\n", changed(c.changes), c.changes)
	return c.write(name, []byte(text))
}

// changed returns the name of the function that a change adds.
func changed(n int) string { return fmt.Sprintf("ChangedBySoak%d", n) }
