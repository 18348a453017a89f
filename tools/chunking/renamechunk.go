package chunking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/identifier"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// Renamer renames declarations with their uses, for example with a language server. If Options.References is a Renamer, rename_chunk
// changes uses, too.
type Renamer interface {
	// Rename returns the edits that rename a declaration. It must return when ctx ends.
	Rename(ctx context.Context, of Declaration, name string) (Renaming, error)
}

// Renaming is the result of Renamer.Rename.
type Renaming struct {
	// Files are the edits of all files, with the edit of the declaration. Without one, the tool renames by name.
	Files []FileEdits
	// Incomplete is the reason why uses may be missing; "" if none is.
	Incomplete string
}

// FileEdits are edits of a file. They refer to its present text and do not overlap.
type FileEdits struct {
	Path  string // absolute
	Edits []RangeEdit
}

// RangeEdit replaces the text from Start to End.
type RangeEdit struct {
	Start, End Position
	New        string
}

// RenameChunkArgs are the arguments of rename_chunk.
type RenameChunkArgs struct {
	// ChunkID is the ID of a chunk, as in GetChunkArgs. A name must select one chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// NewName is the new name, without container and labels.
	NewName string `json:"newName" jsonschema:"minLength=1,maxLength=200"`
	// ExpectedSHA256 is the expected digest of the file or of the chunk. Another one is refused.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// DryRun returns the diff without a change of the files.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

const (
	renameTimeout   = 30 * time.Second // for a Renamer
	maxRenamedFiles = 500
	maxNamePlaces   = 10 // places of a name in an error or a note
)

// RenameChunk renames a declaration. It is the tool rename_chunk. Uses are renamed if Options.References is a Renamer that knows the
// declaration. Otherwise the declaration is renamed if no other code has its name.
func (c *Chunks) RenameChunk(ctx context.Context, args RenameChunkArgs) (ChangeResult, error) {
	if !isName(args.NewName) {
		return ChangeResult{}, invalid("Give a name of the language, without container and parameters.", "%s is no name", quote(args.NewName))
	}
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		f, found, n, err := c.target(ctx, args.ChunkID, args.ExpectedSHA256, false)
		if err != nil {
			return nil, ChangeResult{}, err
		}
		switch member := found.get().Parent >= 0; identifier.Check(found.Language, args.NewName) {
		case identifier.Invalid:
			return nil, ChangeResult{}, invalid("Give a name of the language, without container and parameters.", "%s is no name in %s", quote(args.NewName), string(found.Language))
		case identifier.Reserved, identifier.MemberOnly:
			if !member || identifier.Check(found.Language, args.NewName) == identifier.Reserved {
				return nil, ChangeResult{}, invalid("Choose another name.", "%s is a reserved word of %s", quote(args.NewName), string(found.Language))
			}
		}
		r := renaming{chunks: c, declared: f, found: found, n: n, old: found.get().Name, name: args.NewName}
		files, err := r.compute(ctx)
		r.result.tagged = args.ExpectedSHA256 != ""
		return files, r.result, err
	})
}

// isName reports whether a text can be a name of a programming language.
func isName(name string) bool {
	for i, r := range name {
		if !isNameRune(r) && !(i > 0 && i == len(name)-1 && (r == '?' || r == '!' || r == '=')) || i == 0 && unicode.IsDigit(r) {
			return false
		}
	}
	return name != "" && utf8.ValidString(name)
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// renaming is the state of one attempt of rename_chunk.
type renaming struct {
	chunks    *Chunks
	declared  *fileChange // file of the declaration
	found     chunk
	n         int // index of the declaration in declared
	old, name string
	result    ChangeResult
}

// compute returns the changes of all files.
func (r *renaming) compute(ctx context.Context) ([]*fileChange, error) {
	r.result = ChangeResult{did: "renamed"}
	s := r.declared.before.Symbol(r.n)
	if !strings.HasPrefix(r.declared.text.Content[s.Ident:], r.old) {
		return nil, invalid("Rename it in another way.", "%s is declared without its name", quote(r.found.id()))
	}
	if r.old == r.name {
		return nil, nil
	}
	if err := r.checkFree(ctx); err != nil {
		return nil, err
	}
	files, incomplete, err := r.byServer(ctx)
	if err != nil {
		return nil, err
	}
	server := files != nil
	if !server {
		if files, err = r.declarationOnly(ctx); err != nil {
			return nil, err
		}
	}
	places, more, err := r.remaining(ctx, files)
	switch {
	case err != nil:
		return nil, err
	case len(places) == 0:
	case !server || incomplete != "":
		why := "no language server knows its uses"
		if incomplete != "" {
			why = incomplete
		}
		return nil, problem(codeSymbolInUse, "Change these places with edit_chunk, and then the declaration. Nothing was changed.", "%s is not renamed, because %s, and its name is also at %s", quote(r.found.id()), why, listPlaces(places, more))
	default:
		r.result.Notes = append(r.result.Notes, "the name "+r.old+" is still at "+listPlaces(places, more))
	}
	if missing := r.chunks.missing(); missing != "" && !server {
		r.result.Notes = append(r.result.Notes, missing)
	}
	r.result.Chunks = []Entry{r.declared.entry(r.n)}
	r.result.showDiff = len(files) == 1 && len(files[0].edits) > 1
	return files, nil
}

// checkFree refuses a name that the container of the declaration already has: in the file, and for Go in the package.
func (r *renaming) checkFree(ctx context.Context) error {
	s := *r.declared.before.Symbol(r.n)
	s.Name = r.name
	taken := r.declared.before.Find(symbols.IDPattern(s.Path()))
	if len(taken) > 0 {
		return invalid("Choose another name.", "%s declares %s already", quote(r.declared.path), quote(s.Path()))
	}
	if r.declared.before.Language != source.Go {
		return nil
	}
	for _, hit := range r.chunks.exactly(ctx, s.Path()) {
		if dirOf(hit.File.Path) == dirOf(r.declared.path) {
			return invalid("Choose another name.", "%s declares %s already", quote(hit.File.Path), quote(s.Path()))
		}
	}
	return nil
}

func dirOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// byServer returns the changes that the Renamer computes; nil if there is none or it does not know the declaration. incomplete is
// Renaming.Incomplete.
func (r *renaming) byServer(ctx context.Context) (files []*fileChange, incomplete string, err error) {
	server, ok := r.chunks.options.References.(Renamer)
	if !ok {
		return nil, "", nil
	}
	declared, err := r.chunks.declaration(ctx, r.found)
	if err != nil {
		return nil, "", nil // not readable for a server
	}
	waiting, cancel := context.WithTimeout(ctx, renameTimeout)
	defer cancel()
	found, err := server.Rename(waiting, declared, r.name)
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		r.result.Notes = append(r.result.Notes, "not renamed by the language server: "+firstLine(err.Error()))
		return nil, "", nil
	case len(found.Files) > maxRenamedFiles:
		return nil, "", invalid("Rename it in an editor.", "the name is used in %d files; at most %d are changed at once", len(found.Files), maxRenamedFiles)
	}
	for _, edits := range found.Files {
		f, err := r.changeFile(ctx, edits)
		if err != nil {
			return nil, "", err
		}
		files = append(files, f)
	}
	if files != nil && !slices.Contains(files, r.declared) {
		return nil, "", problem(codeStaleChunk, "Call again in a moment.", "the language server does not rename the declaration itself")
	}
	return files, found.Incomplete, nil
}

// changeFile applies the edits of a Renamer to a file.
func (r *renaming) changeFile(ctx context.Context, edits FileEdits) (*fileChange, error) {
	s, err := r.chunks.open(ctx, edits.Path, "")
	if err != nil {
		return nil, err
	}
	f := r.declared
	if s.Path != f.path {
		if f, err = r.chunks.newChange(ctx, s); err != nil {
			return nil, err
		}
	}
	lines := linesOf(f.text.Content)
	changes := make([]textfile.Edit, len(edits.Edits))
	for i, e := range edits.Edits {
		start, startOK := lines.offset(e.Start)
		end, endOK := lines.offset(e.End)
		if !startOK || !endOK || end < start || end > start && !strings.Contains(f.text.Content[start:end], r.old) {
			return nil, problem(codeStaleChunk, "Call again in a moment: the language server has not read the file again yet.", "the language server wants to change line %d of %s, which does not have the name %s", e.Start.Line, quote(f.path), quote(r.old))
		}
		changes[i] = textfile.Edit{Start: start, End: end, New: e.New}
	}
	slices.SortFunc(changes, func(a, b textfile.Edit) int { return a.Start - b.Start })
	return f, r.apply(ctx, f, changes)
}

// declarationOnly renames the declaration and its name in its documentation.
func (r *renaming) declarationOnly(ctx context.Context) ([]*fileChange, error) {
	f := r.declared
	s := f.before.Symbol(r.n)
	var changes []textfile.Edit
	if s.DocEnd > s.Doc && s.DocEnd <= s.Ident {
		doc := f.text.Content[s.Doc:s.DocEnd]
		for at := range words(doc, r.old, r.declared.before.Language) {
			start := int(s.Doc) + at
			changes = append(changes, textfile.Edit{Start: start, End: start + len(r.old), New: r.name})
		}
	}
	changes = append(changes, textfile.Edit{Start: int(s.Ident), End: int(s.Ident) + len(r.old), New: r.name})
	return []*fileChange{f}, r.apply(ctx, f, changes)
}

// apply computes and checks the content of a file with other names.
func (r *renaming) apply(ctx context.Context, f *fileChange, changes []textfile.Edit) error {
	c := r.chunks
	raw, err := f.text.Apply(changes...)
	if err != nil {
		return err
	}
	text := textfile.Splice(f.text.Content, changes)
	after, err := symbols.Parse(ctx, c.options.Parsers, f.path, text)
	if err != nil {
		return notSource(f.path, c.options.Parsers.Languages(), err)
	}
	same := after.Len() == f.before.Len() && len(after.Problems()) <= len(f.before.Problems())
	for i := 0; same && i < after.Len(); i++ {
		was, is := f.before.Symbol(i).Name, after.Symbol(i).Name
		same = was == is || strings.ReplaceAll(was, r.old, r.name) == is
	}
	if !same || f == r.declared && after.Symbol(r.n).Name != r.name {
		return problem(codeDoesNotParse, "Choose another name. Nothing was changed.", "with the name %s, %s has other declarations", quote(r.name), quote(f.path))
	}
	f.raw, f.after, f.edits = raw, after, changes
	return f.checkGrammar(ctx, c, text, "Choose another name. Nothing was changed.")
}

// namePlace is a place of a name.
type namePlace struct {
	path string
	line int // 0 for a file that cannot be read
	text string
}

// listPlaces formats places for an error or a note.
func listPlaces(places []namePlace, more bool) string {
	all := make([]string, len(places))
	for i, p := range places {
		if all[i] = fmt.Sprintf("%s:%d %s", p.path, p.line, truncate.Cut(p.text, 80)); p.line == 0 {
			all[i] = p.path + " " + truncate.Cut(p.text, 200)
		}
	}
	list := strings.Join(all, "; ")
	if more {
		list += "; and others"
	}
	return list
}

// remaining returns the places of the old name in code after the change, in all source files of the language. Lines that begin as a
// comment do not count.
func (r *renaming) remaining(ctx context.Context, files []*fileChange) (places []namePlace, more bool, err error) {
	c := r.chunks
	analysis, err := c.Analyze(ctx, AnalyzeArgs{})
	switch {
	case err != nil:
		return nil, false, err
	case analysis.Status == "running":
		return nil, false, problem(codeNotAnalyzed, "Call again in a while.", "the analysis of the project is still running (%d of %d files)", analysis.Parsed, analysis.Files)
	}
	changed := make(map[string]*fileChange, len(files))
	for _, f := range files {
		changed[f.path] = f
	}
	add := func(path, text string) {
		for at := range words(text, r.old, r.declared.before.Language) {
			from := textfile.LineStart(text, at)
			line, _, _ := strings.Cut(text[from:], "\n")
			line = strings.TrimSpace(line)
			if r.isCommented(text, from, at) {
				continue
			}
			if len(places) == maxNamePlaces {
				more = true
				return
			}
			places = append(places, namePlace{path, 1 + strings.Count(text[:at], "\n"), line})
		}
	}
	add(r.declared.path, r.declared.after.Text)
	for _, file := range c.index.Snapshot().Files() {
		if more || file.Path == r.declared.path || !related(file.Language, r.declared.before.Language) {
			continue
		}
		if f := changed[file.Path]; f != nil {
			add(f.path, f.after.Text)
			continue
		}
		raw, _, err := c.root.ReadFile(ctx, file.Path, source.MaxSource)
		switch {
		case ctx.Err() != nil:
			return nil, false, context.Cause(ctx)
		case security.CodeOf(err) == security.FileNotFound:
			continue
		}
		text, decodeErr := textfile.Decode(raw, textfile.Auto)
		if err = cmp.Or(err, decodeErr); err != nil {
			places = append(places, namePlace{path: file.Path, text: "cannot be read: " + err.Error()})
			more = len(places) >= maxNamePlaces
			continue
		}
		add(file.Path, text.Content)
	}
	return places, more, nil
}

// related reports whether code of two languages can use the same declarations.
func related(a, b source.Language) bool {
	return a.Family() == b.Family()
}

// isCommented reports whether a place of a text is in a comment: in a line that begins as one, or between /* and */. line is the
// start of its line.
func (r *renaming) isCommented(text string, line, at int) bool {
	lang := r.declared.before.Language
	start := strings.TrimLeft(text[line:at], " \t")
	if !strings.HasPrefix(start, "/*") && r.chunks.options.Parsers.IsComment(lang, []byte(start)) {
		return true
	}
	open := strings.LastIndex(text[:at], "/*")
	return open >= 0 && strings.LastIndex(text[:at], "*/") < open && r.chunks.options.Parsers.IsComment(lang, []byte("/*"))
}

// words iterates over the offsets at which a name is a word of a text.
func words(text, name string, lang source.Language) func(yield func(at int) bool) {
	interpolates := false // a dollar sign before a name is no part of it
	switch lang {
	case source.Kotlin, source.Scala, source.PHP, "dart", "shell", "perl", "julia":
		interpolates = true
	}
	return func(yield func(at int) bool) {
		for from := 0; name != ""; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return
			}
			i += from
			from = i + len(name)
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			after, _ := utf8.DecodeRuneInString(text[from:])
			if !(i > 0 && isNameRune(before) && !(before == '$' && interpolates)) && !(from < len(text) && isNameRune(after)) && !yield(i) {
				return
			}
		}
	}
}
