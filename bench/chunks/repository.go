package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dougu-go/dougu/bench/corpora"
)

// repository is source text for tasks.
type repository struct {
	name     string
	language string
	ending   string
	open     func(*bench) (fs.FS, error)
	heads    []*regexp.Regexp // lines that begin a function; the first group is its name
	tests    *regexp.Regexp   // files without tasks

	from  fs.FS
	files []string
}

// repositories returns the repositories of the tasks. Functions are found with regular expressions for lines, independent of the
// measured parsers, so that some functions are never chosen.
func repositories() []*repository {
	heads := func(all ...string) []*regexp.Regexp {
		var compiled []*regexp.Regexp
		for _, one := range all {
			compiled = append(compiled, regexp.MustCompile(one))
		}
		return compiled
	}
	npm := func(p corpora.Pack, within string) func(*bench) (fs.FS, error) {
		return func(b *bench) (fs.FS, error) { return b.npm(p, within) }
	}
	return []*repository{
		{name: "expo", language: "Swift", ending: ".swift", open: npm(expo, "ios"),
			heads: heads(`^\s*(?:[a-z@]\S* )*func (\w+)[(<].*\{$`)},
		{name: "react-native", language: "Kotlin", ending: ".kt", open: npm(reactNative, "ReactAndroid"),
			heads: heads(`^\s*(?:[a-z]\S* )*fun (\w+)\(.*\{$`)},
		{name: "effect", language: "TypeScript", ending: ".ts", open: npm(effect, "src"),
			heads: heads(`^\s*(?:export )?(?:async )?function\*? (\w+)[(<].*\{$`, `^(?:export )?const (\w+) = .*=> \{$`)},
		{name: "net/http", language: "Go", ending: ".go", tests: regexp.MustCompile(`_test\.go$`),
			open:  func(b *bench) (fs.FS, error) { return os.DirFS(filepath.Join(b.goroot, "src", "net", "http")), nil },
			heads: heads(`^func (?:\([^)]*\) )?(\w+)[(\[].*\{$`)},
	}
}

// load finds the files.
func (r *repository) load(b *bench) (err error) {
	if r.from, err = r.open(b); err == nil {
		r.files, err = sources(r.from, ".", r.ending)
	}
	if err != nil {
		return fmt.Errorf("opening the sources of %s: %w", r.name, err)
	}
	return nil
}

// read returns the content of a file.
func (r *repository) read(file string) (string, error) {
	content, err := fs.ReadFile(r.from, file)
	return string(content), err
}

// unchanged checks that copies of the repository are equal to it.
func (r *repository) unchanged(copies ...string) error {
	for _, file := range r.files {
		src, err := r.read(file)
		if err != nil {
			return err
		}
		for _, dir := range copies {
			copied, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			if string(copied) != src {
				return fmt.Errorf("%s in %s has changed, which no task asked for", file, dir)
			}
		}
	}
	return nil
}
