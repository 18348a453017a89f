package uses

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// Project gives a Finder the texts of a project. Implementations are safe for concurrent
// use.
type Project interface {
	// Files returns the paths of the source files in the languages, with slashes, sorted.
	Files(languages ...source.Language) []string
	// ReadFile returns the text of a source file or of a file such as go.mod.
	ReadFile(ctx context.Context, path string) ([]byte, error)
}

// Declaration is a declared name.
type Declaration struct {
	Path     string // of the file, as Project.Files returns it
	Name     string
	Offset   int // of the name in the text, in bytes
	Language source.Language
}

// Certainty describes how a use is related to a declaration.
type Certainty uint8

const (
	// Unresolved is a use of the same name with an unknown target.
	Unresolved Certainty = iota
	// Possible is a use of a method that the declaration implements or overrides, or of a
	// variable or property that holds the declaration.
	Possible
	// Resolved is a use of the declaration.
	Resolved
)

// Use is a place in a text that names a declaration.
type Use struct {
	Path      string
	Offset    int   // of the name, in bytes; the file can use another name for the declaration
	Line      int32 // from 1
	Certainty Certainty
	// Value reports that a function is stored or passed on, and not called. The calls of
	// the value are not followed.
	Value bool
}

// Result is the result of Finder.Find.
type Result struct {
	// Uses are sorted by path and offset.
	Uses []Use
	// Others is the number of uses of the name that mean another declaration.
	Others int
	// Quoted is the number of strings that are the name of the function, as in object["name"].
	// Calls by a string are not followed.
	Quoted int
	// Unfollowed is the number of other names of the declaration that a limit left out.
	Unfollowed int
	// Unread are the paths of files that cannot be read or parsed, sorted.
	Unread []string
}

// Errors of Finder.Find.
var (
	// ErrLanguage reports a language whose names a Finder does not resolve.
	ErrLanguage = errors.New("names of the language are not resolved")
	// ErrDeclaration reports a Declaration whose name is not at its offset.
	ErrDeclaration = errors.New("the declared name is not at its position; the file may have changed")
)

// Supports reports whether a Finder resolves names of a language.
func Supports(language source.Language) bool {
	return language == source.Go || dialectOf(language) != nil
}

// Finder finds the uses of declarations. It keeps the declarations of the files that it
// has read until Forget. Its methods are safe for concurrent use; one call runs at a time.
type Finder struct {
	project Project

	running  chan struct{} // holds a value while a call runs
	golang   *goProject    // nil before the first use
	fileSets map[*dialect]*fileSet
}

// NewFinder returns a Finder for a project.
func NewFinder(project Project) *Finder {
	return &Finder{project: project, running: make(chan struct{}, 1)}
}

// Forget releases all memory about the files. Call it when a file has changed.
func (f *Finder) Forget() {
	f.running <- struct{}{}
	defer func() { <-f.running }()
	f.golang, f.fileSets = nil, nil
}

// Find returns the uses of a declaration in the files of its language. The errors are
// ErrLanguage, ErrDeclaration, errors of Project.ReadFile for the file of the declaration, and the cause
// of the end of ctx.
func (f *Finder) Find(ctx context.Context, d Declaration) (r Result, err error) {
	select {
	case f.running <- struct{}{}:
	case <-ctx.Done():
		return r, context.Cause(ctx)
	}
	defer func() { <-f.running }()
	defer func() {
		if v := recover(); v != nil {
			f.golang, f.fileSets = nil, nil
			r, err = Result{}, fmt.Errorf("finding the uses of %s failed: %v", d.Name, v)
		}
	}()
	if !Supports(d.Language) {
		return r, ErrLanguage
	}
	text, err := f.project.ReadFile(ctx, d.Path)
	if err != nil {
		return r, err
	}
	if d.Name == "" || d.Offset < 0 || d.Offset > len(text) || !bytes.HasPrefix(text[d.Offset:], []byte(d.Name)) {
		return r, ErrDeclaration
	}
	if d.Language == source.Go {
		if f.golang == nil {
			f.golang = newGoProject(f.project)
		}
		r, err = f.golang.find(ctx, d)
		if f.golang.size > maxKept {
			f.golang = nil
		}
	} else {
		group := dialectOf(d.Language)
		w := f.fileSets[group]
		if w == nil {
			w = newFileSet(f.project, group)
		}
		r, err = w.find(ctx, d)
		w.release()
		if f.fileSets == nil {
			f.fileSets = map[*dialect]*fileSet{}
		}
		if f.fileSets[group] = w; w.size > maxKept {
			delete(f.fileSets, group)
		}
	}
	if ctx.Err() != nil {
		f.golang, f.fileSets = nil, nil // files that were not read count as empty there
		return Result{}, context.Cause(ctx)
	}
	slices.SortFunc(r.Uses, func(a, b Use) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Offset, b.Offset)) })
	slices.Sort(r.Unread)
	r.Unread = slices.Compact(r.Unread)
	return r, err
}

// maxKept is the number of bytes of read texts above which a Finder keeps no
// declarations after a search.
const maxKept = 24 << 20

// contains reports whether a text contains a name as a whole word.
func contains(text []byte, name string) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		if (at == 0 || !isNameByte(text[at-1])) && (from == len(text) || !isNameByte(text[from])) {
			return true
		}
	}
}

// isNameByte reports whether a byte can belong to a name.
func isNameByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// dialectOf returns the dialect of a language, or nil.
func dialectOf(language source.Language) *dialect {
	for _, d := range []*dialect{scriptDialect, pythonDialect, javaDialect} {
		if slices.Contains(d.languages, language) {
			return d
		}
	}
	return nil
}
