package uses

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// dialect holds the functions and flags of one group of token-based languages.
type dialect struct {
	languages            []source.Language
	script, python, java bool
	read                 func(*text)
	typeAt               func(s *search, f *text, at span, env typeEnv) typ
	module               func(s *search, f *text, name string) *text // a module of the project, or nil
	elementCalls         []string                                    // methods of collections, promises and optional values that return an element
	missing              func(s *search, f *text, name string) typ   // type of a name that no block declares
}

// fileSet holds the files of a group of languages that a search has read.
type fileSet struct {
	project  Project
	dialect  *dialect
	files    []string
	known    map[string]bool // paths of files
	texts    map[string]*text
	modules  map[string]string // cached results of looking modules up
	configs  map[string]*scriptConfig
	packages map[string]string   // directories by the name of the npm package; nil before the first use
	topLevel map[string]*class   // classes of Java by qualified name
	classes  map[string][]string // files of Java by name
	globals  *globals            // of scripts; nil before the first use
	size     int
	unparsed map[string][]byte // contents that were read and not parsed, of at most maxUnparsed bytes
	held     int               // bytes in unparsed
	unread   []string
	ctx      context.Context
}

// newFileSet lists the files of a group of languages.
func newFileSet(project Project, d *dialect) *fileSet {
	w := &fileSet{project: project, dialect: d, texts: map[string]*text{}, known: map[string]bool{}, modules: map[string]string{}, configs: map[string]*scriptConfig{}, topLevel: map[string]*class{}}
	w.files = project.Files(d.languages...)
	for _, name := range w.files {
		w.known[name] = true
	}
	return w
}

// load reads the declarations of a file, once. It returns nil for an unreadable file.
func (w *fileSet) load(name string) *text {
	if f, ok := w.texts[name]; ok {
		return f
	}
	src, err := w.source(name)
	w.texts[name] = nil
	if err != nil {
		w.unread = append(w.unread, name)
		return nil
	}
	return w.parse(name, src)
}

// maxUnparsed limits the bytes of unparsed contents that a search holds. Further files are read
// again for each pass over the files.
const maxUnparsed = 64 << 20

// errUnread is the error of a file that could not be read before.
var errUnread = errors.New("the file could not be read")

// source returns the content of a file, parsed or not, which the caller must not change.
func (w *fileSet) source(name string) ([]byte, error) {
	if f, ok := w.texts[name]; ok && f == nil {
		return nil, errUnread
	} else if ok {
		return []byte(f.src), nil
	}
	if src, ok := w.unparsed[name]; ok {
		return src, nil
	}
	src, err := w.project.ReadFile(w.ctx, name)
	if err == nil && w.held+len(src) <= maxUnparsed {
		if w.unparsed == nil {
			w.unparsed = map[string][]byte{}
		}
		w.unparsed[name] = src
		w.held += len(src)
	}
	return src, err
}

// release drops the contents that were read and not parsed.
func (w *fileSet) release() { w.unparsed, w.held = nil, 0 }

func (w *fileSet) parse(name string, src []byte) *text {
	language, _ := source.LanguageOf(name, src)
	if !slices.Contains(w.dialect.languages, language) {
		language = w.dialect.languages[0]
	}
	w.size += len(src)
	if kept, ok := w.unparsed[name]; ok {
		w.held -= len(kept)
		delete(w.unparsed, name)
	}
	f := newText(name, string(src), language)
	w.texts[name] = f
	w.dialect.read(f)
	f.finish()
	for _, c := range f.classes {
		w.topLevel[f.pkg+"."+c.name] = c
	}
	return f
}

// typeAt evaluates a type as it is written.
func (s *search) typeAt(f *text, at span, env typeEnv) typ {
	if !at.ok() || !s.step() {
		return nil
	}
	s.nesting++
	defer func() { s.nesting-- }()
	return s.dialect.typeAt(s, f, at, env)
}

// firstKnown returns the first path that is a file of the project.
func (w *fileSet) firstKnown(paths ...string) string {
	for _, name := range paths {
		if name = path.Clean(name); w.known[name] {
			return name
		}
	}
	return ""
}
