package editor

import (
	"bytes"
	"context"
	iofs "io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	// maxNameFiles limits the files that are searched for a name.
	maxNameFiles = 20_000
	// nameSearchTime limits the time of that search.
	nameSearchTime = 5 * time.Second
)

// families are extensions of files that declare names for each other. An extension that is not listed has a family of its own.
var families = [][]string{
	{".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".m", ".mm"},
	{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"},
	{".py", ".pyi", ".pyw"},
	{".java", ".kt", ".kts"},
}

// family returns the extensions of the language of a file.
func family(name string) []string {
	ext := strings.ToLower(path.Ext(name))
	for _, f := range families {
		if slices.Contains(f, ext) {
			return f
		}
	}
	return []string{ext}
}

// unindexed returns the reason why an adapter may miss files that use a name of p, and the step that would help. Both are empty
// if the adapter has indexed all files.
func (e *Editor) unindexed(by string, p projectFile) (reason, next string) {
	for _, a := range e.options.Adapters {
		if x, ok := a.(adapter.Indexer); ok && a.Name() == by {
			return x.Unindexed(p.abs)
		}
	}
	return "", ""
}

// remainingNames are files outside of a rename that still contain the old name as a word.
type remainingNames struct {
	paths []string
	all   bool // all files of the language were read
}

// findRemainingNames searches the other files of the language of from.
func (e *Editor) findRemainingNames(ctx context.Context, t *transaction, from projectFile, name string) (remainingNames, error) {
	changed := make(map[string]bool)
	for _, p := range t.files {
		changed[p.path] = true
		if p.original != nil {
			changed[p.original.path] = true
		}
	}
	left := remainingNames{all: true}
	extensions := family(from.path)
	limited, cancel := context.WithTimeout(ctx, nameSearchTime)
	defer cancel()
	var buf []byte
	read := 0
	for _, dir := range e.dirs {
		stats, err := e.root.Walk(limited, dir, security.WalkOptions{}, func(entry *security.WalkEntry) error {
			if entry.Kind != security.RegularFile || !slices.Contains(extensions, strings.ToLower(path.Ext(entry.Name))) || changed[entry.Path()] {
				return nil
			}
			if read++; read > maxNameFiles {
				left.all = false
				return iofs.SkipAll
			}
			raw, err := entry.ReadFile(limited, buf, int(e.limits.MaxFile))
			buf = raw
			switch {
			case err != nil:
				left.all = false
				return ended(limited)
			case !bytes.Contains(raw, []byte(name)) && bytes.IndexByte(raw, 0) < 0:
				return nil
			}
			if text, err := textfile.Decode(raw, textfile.Auto); err == nil && indexWord(text.Content, name) >= 0 {
				left.paths = append(left.paths, entry.Path())
			}
			return nil
		})
		if ctx.Err() != nil {
			return left, ended(ctx)
		}
		if left.all = left.all && err == nil && !stats.Incomplete; !left.all {
			break
		}
	}
	return left, nil
}

// notes describe files that a rename may have missed.
func (l remainingNames) notes(name string) []string {
	var notes []string
	if len(l.paths) > 0 {
		notes = append(notes, "other files still contain the name "+name+": "+listSome(l.paths)+"; check them: the language server did not change them")
	}
	if !l.all {
		notes = append(notes, "not all other files were searched for the name "+name)
	}
	return notes
}
