package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
)

// Packages whose source is a project of the tasks.
var (
	fastify    = corpora.Pack{Name: "fastify", Version: "5.12.8", Integrity: "sha512-moP8exb2sCHLUbJkwp+I6C0padhy4D8lp0SdmzY7HhSdZuqm7O/u3o2aq7u8okaQ//33QDzj3G/u+FsSdB8Qzw=="}
	sqlalchemy = "python3-sqlalchemy"
)

// project is source text that tasks are about.
type project struct {
	name, language string
	endings        []string
	dirs           []string // directories that belong to the project; empty is all
	open           func(*bench) (fs.FS, error)
	// definition is a regular expression for lines that declare a function, a method or a type.
	definition string
	// function is the pattern that finds the declaration of a function by its name, which replaces %s.
	function string
}

func projects() []project {
	npm := func(p corpora.Pack, dir string) func(*bench) (fs.FS, error) {
		return func(b *bench) (fs.FS, error) {
			all, err := corpora.NPM(b.stderr, p)
			if err != nil {
				return nil, err
			}
			return fs.Sub(all, dir)
		}
	}
	return []project{
		{name: "fastify", function: "function %s", language: "JavaScript", endings: []string{".js"}, dirs: []string{"lib"}, open: npm(fastify, "."),
			definition: `^\s*(async )?function \w+|^class |^\w+\.prototype\.\w+ = function`},
		{name: "rxjs", function: "function %s", language: "TypeScript", endings: []string{".ts"}, open: npm(corpora.RxJS, "src"),
			definition: `^\s*(export |public |protected |private |static |abstract |async )*(function\*? \w+|class \w+|\w+(<[^>]*>)?\(.*\).*\{$)`},
		{name: "sqlalchemy", function: "def %s", language: "Python", endings: []string{".py"},
			open: func(b *bench) (fs.FS, error) {
				all, err := corpora.Debian(b.stderr, sqlalchemy)
				if err != nil {
					return nil, err
				}
				return fs.Sub(all, "usr/lib/python3/dist-packages/sqlalchemy")
			},
			definition: `^\s*(def|class) \w+`},
		{name: "net/http", function: `^func.* %s\(`, language: "Go", endings: []string{".go"},
			open:       func(b *bench) (fs.FS, error) { return os.DirFS(filepath.Join(b.goroot, "src", "net", "http")), nil },
			definition: `^(func|type) `},
		{name: "expo-modules-core", function: "func %s", language: "Swift", endings: []string{".swift"}, open: npm(corpora.Expo, "ios"),
			definition: `^\s*(public |internal |private |open |static |override |final |@\w+ )*(func|class|struct|enum|protocol|init|extension) ?\w*`},
	}
}

// copyTo copies the files of the project to a directory.
func (p project) copyTo(b *bench, dir string) error {
	from, err := p.open(b)
	if err != nil {
		return fmt.Errorf("opening the sources of %s: %w", p.name, err)
	}
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !slices.Contains(p.endings, path.Ext(name)) || !p.contains(name) {
			return err
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
}

// contains reports whether a file belongs to the project: a file of its top directory, or of one of its directories.
func (p project) contains(name string) bool {
	top, _, nested := strings.Cut(name, "/")
	return len(p.dirs) == 0 || !nested || slices.Contains(p.dirs, top)
}
