package chunks

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/symbols"
)

// references ask the language servers of the project.
type references struct{ *headless.Headless }

// languageServers start the servers of a project when they are needed.
func languageServers(root *security.Root, trusted bool, log *slog.Logger) references {
	return references{headless.New(root, headless.Options{Formatters: []headless.Formatter{}, TrustProject: trusted, TrustFlag: "-trust-project", Log: log})}
}

// manyPlaces is as many as the adapter answers.
const manyPlaces = 10_000

// References implements chunking.References.
func (r references) References(ctx context.Context, of chunking.Declaration) (chunking.Uses, error) {
	id := headless.LanguageOf(of.Path)
	found, err := r.Headless.References(ctx, adapter.Document{Path: of.Path, Text: of.Text, Language: id}, adapter.Position(of.Position))
	if err != nil {
		return chunking.Uses{}, err
	}
	uses := chunking.Uses{}
	if len(found) < manyPlaces { // else there may be more
		uses.Languages = languagesOfServers(id)
	}
	for _, l := range found {
		uses.Locations = append(uses.Locations, chunking.Location{Path: l.Path, Position: chunking.Position(l.Range.Start)})
	}
	return uses, nil
}

// Rename implements chunking.Renamer. A rename that also moves files is not supported.
func (r references) Rename(ctx context.Context, of chunking.Declaration, name string) (chunking.Renaming, error) {
	doc := adapter.Document{Path: of.Path, Text: of.Text, Language: headless.LanguageOf(of.Path)}
	edits, err := r.Headless.Rename(ctx, doc, adapter.Position(of.Position), name)
	if err != nil {
		return chunking.Renaming{}, err
	}
	var renaming chunking.Renaming
	renaming.Incomplete, _ = r.Unindexed(of.Path)
	for _, e := range edits {
		if e.Op != adapter.ChangeFile {
			return chunking.Renaming{}, errors.New("the language server would also move or create the file " + strconv.Quote(e.Path))
		}
		file := chunking.FileEdits{Path: e.Path}
		for _, change := range e.Edits {
			file.Edits = append(file.Edits, chunking.RangeEdit{Start: chunking.Position(change.Range.Start), End: chunking.Position(change.Range.End), New: change.NewText})
		}
		renaming.Files = append(renaming.Files, file)
	}
	return renaming, nil
}

// identifiers maps identifiers of the Language Server Protocol that differ from our
// language names.
var identifiers = map[string]source.Language{"typescriptreact": source.TSX, "javascriptreact": source.JavaScript}

// languagesOfServers returns the languages of all default servers that support the language id.
func languagesOfServers(id string) []source.Language {
	var known []source.Language
	for _, s := range headless.DefaultServers() {
		if !slices.Contains(s.Languages, id) {
			continue
		}
		for _, name := range s.Languages {
			lang, ok := identifiers[name]
			if !ok {
				lang = source.Language(name)
			}
			if !slices.Contains(known, lang) {
				known = append(known, lang)
			}
		}
	}
	return known
}

// swiftSymbols has sourcekit-lsp read Swift, in a directory of its own: it sees texts
// and no project, whose code it would run.
type swiftSymbols struct {
	*headless.Headless
	root  *security.Root
	dir   string
	names chan string // that texts can have
}

// swiftServer is the program; "" if there is none outside of the project.
func swiftServer(root *security.Root) string {
	for _, dir := range pathOutside(root) {
		found, err := exec.LookPath(filepath.Join(dir, "sourcekit-lsp"))
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(found); err == nil && !within(root, real) {
			return found
		}
	}
	return ""
}

// pathOutside are the directories of PATH that are no part of the project.
func pathOutside(root *security.Root) []string {
	return slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		return err != nil || !filepath.IsAbs(dir) || within(root, real)
	})
}

// within says that a path, without links in it, belongs to the project.
func within(root *security.Root, path string) bool {
	return slices.ContainsFunc(root.Dirs(), func(dir string) bool {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// maxTexts is how many texts are asked about at once.
const maxTexts = 4

// openSwiftSymbols makes the directory. The server is started with the first text.
func openSwiftSymbols(project *security.Root, program string, log *slog.Logger) (_ *swiftSymbols, err error) {
	dir, err := os.MkdirTemp("", "dougu-swift-")
	if err != nil {
		return nil, err
	}
	s := &swiftSymbols{dir: dir, names: make(chan string, maxTexts)}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	for i := range maxTexts {
		s.names <- filepath.Join(real, "text"+strconv.Itoa(i)+".swift")
	}
	if s.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{real}, ReadOnly: true, Logger: log}); err != nil {
		return nil, err
	}
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.EqualFold(name, "PATH") || strings.HasPrefix(name, "DOUGU_")
	})
	s.Headless = headless.New(s.root, headless.Options{
		Servers:    []headless.Server{{Name: "sourcekit-lsp", Languages: []string{"swift"}, Command: program}},
		Formatters: []headless.Formatter{}, Log: log,
		Env: append(env, "PATH="+strings.Join(pathOutside(project), string(filepath.ListSeparator))),
	})
	return s, nil
}

// list is a symbols.Lister.
func (s *swiftSymbols) list(ctx context.Context, text string, _ source.Language) ([]symbols.Symbol, error) {
	var name string
	select {
	case name = <-s.names:
		defer func() { s.names <- name }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	found, err := s.Symbols(ctx, adapter.Document{Path: name, Text: text, Language: "swift"})
	if err != nil {
		return nil, err
	}
	all := make([]symbols.Symbol, len(found))
	for i, f := range found {
		all[i] = symbols.Symbol{Name: f.Name, Kind: f.Kind, Range: rangeOf(f.Location.Range), Selection: rangeOf(f.Selection)}
	}
	return all, nil
}

func rangeOf(r adapter.Range) symbols.Range {
	return symbols.Range{Start: symbols.Position(r.Start), End: symbols.Position(r.End)}
}

// close ends the server.
func (s *swiftSymbols) close(ctx context.Context) error {
	return errors.Join(s.Headless.Close(ctx), s.root.Close(), os.RemoveAll(s.dir))
}
