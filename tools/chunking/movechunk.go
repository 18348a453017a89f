package chunking

import (
	"context"
	"path"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// MoveChunkArgs are the arguments of move_chunk.
type MoveChunkArgs struct {
	// ChunkID is the ID of a chunk, as in GetChunkArgs. A name must select one chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// To is the ID of another chunk, or the path of a file, at whose end the chunk is inserted. A new file gets the package clause,
	// the encoding, the byte-order mark and the line ends of the old one.
	To string `json:"to" jsonschema:"minLength=1,description=Id of a chunk\\, or path of a file: to its end"`
	// Position is as in InsertChunkArgs, relative to the chunk To.
	Position string `json:"position,omitempty" jsonschema:"enum=before,enum=after,enum=first,enum=last,default=after"`
	// ExpectedSHA256 is the expected digest of the file of the chunk, or of the chunk. Without it, the chunk must be unchanged since
	// the caller has read it, if the caller has read it at all.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// AllowErrors writes code with syntax errors. Code that hides another declaration is still refused.
	AllowErrors bool `json:"allowErrors,omitempty" jsonschema:"default=false"`
	// DryRun returns the diff without a change of the files.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// noteMoved is the note of a move between files.
const noteMoved = "imports and uses are not changed"

// MoveChunk moves a chunk beside another one, into a type, or to the end of a file. It is the tool move_chunk. Imports and uses are
// not changed.
func (c *Chunks) MoveChunk(ctx context.Context, args MoveChunkArgs) (ChangeResult, error) {
	insert, err := inserterAt(args.Position)
	if err != nil {
		return ChangeResult{}, err
	}
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		m := moving{chunks: c, args: args, insert: insert}
		files, err := m.compute(ctx)
		return files, m.result, err
	})
}

// moving is the state of one attempt of move_chunk.
type moving struct {
	chunks *Chunks
	args   MoveChunkArgs
	insert func(f *symbols.File, i int, code string) (symbols.Edit, error)

	from   *fileChange
	n      int    // index of the chunk in from
	id     string // of the chunk
	code   string // the chunk without its indentation, with LF
	result ChangeResult
}

// compute returns the changes of the files.
func (m *moving) compute(ctx context.Context) ([]*fileChange, error) {
	m.result = ChangeResult{did: "moved", tagged: m.args.ExpectedSHA256 != ""}
	from, found, n, err := m.chunks.target(ctx, m.args.ChunkID, m.args.ExpectedSHA256, true)
	if err != nil {
		return nil, err
	}
	m.from, m.n, m.id = from, n, found.id()
	from.allowErrors = m.args.AllowErrors
	if m.code, err = from.lines(n); err != nil {
		return nil, sharedLine(err, m.id, found.get().Line)
	}
	deleted, err := from.before.Delete(n)
	if err != nil {
		return nil, sharedLine(err, m.id, found.get().Line)
	}
	if err := from.apply(ctx, m.chunks, from.fit(deleted)); err != nil {
		return nil, err
	}
	if deleted.Note != "" {
		m.result.Notes = append(m.result.Notes, deleted.Note)
	}
	to, beside, err := m.destination(ctx)
	switch {
	case err != nil:
		return nil, err
	case to == nil:
		to, err = m.newFile(ctx)
	case to.path == from.path:
		return []*fileChange{from}, m.within(ctx, beside)
	default:
		err = m.insertInto(ctx, to, beside)
	}
	if err != nil {
		return nil, err
	}
	m.result.Notes = append(m.result.Notes, noteMoved)
	return []*fileChange{to, from}, nil
}

// destination returns the change of the file to which the chunk is moved, and the ID of the chunk beside or around it; "" for the end
// of the file. The change is nil for a new file.
func (m *moving) destination(ctx context.Context) (to *fileChange, beside string, err error) {
	c := m.chunks
	if strings.Contains(m.args.To, "#") && !m.isFile(ctx) {
		found, err := c.chosen(ctx, ReplaceArgs{ChunkID: m.args.To})
		if err != nil && m.namesFile() {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		if found.Path == m.from.path {
			return m.from, found.id(), nil
		}
		to, err := c.newChange(ctx, found.parsedFile)
		return to, found.id(), err
	}
	if m.args.Position != "" && m.args.Position != positionAfter {
		return nil, "", invalid("Leave position out, or give the id of a chunk of the file as to.", "a position is relative to a chunk, and %s is none", quote(m.args.To))
	}
	s, err := c.open(ctx, m.args.To, "")
	switch {
	case security.CodeOf(err) == security.FileNotFound:
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case s.Path == m.from.path:
		return m.from, "", nil
	}
	to, err = c.newChange(ctx, s)
	return to, "", err
}

// isFile reports whether the destination is a file, whose path can contain "#".
func (m *moving) isFile(ctx context.Context) bool {
	info, err := m.chunks.root.Stat(ctx, m.args.To)
	return err == nil && info.Kind == security.RegularFile
}

// namesFile reports whether the destination, which contains "#" and names no chunk, can be the path of a new file: it has the
// extension of the chunk's file, and no part before a "#" is the path of a source file.
func (m *moving) namesFile() bool {
	to := m.args.To
	if path.Ext(to) == "" || path.Ext(to) != path.Ext(m.from.path) {
		return false
	}
	for i := range len(to) {
		if to[i] == '#' && path.Ext(to[:i]) != "" {
			return false
		}
	}
	return true
}

// insertInto inserts the chunk into another file.
func (m *moving) insertInto(ctx context.Context, to *fileChange, beside string) error {
	if !movable(m.from.before.Language, to.before.Language) {
		return invalid("Move it to a file of its language.", "%s is a file of another language", quote(to.path))
	}
	edit, err := m.insertion(to.before, to.find, beside)
	if err != nil {
		return err
	}
	to.allowErrors = m.args.AllowErrors
	fitted := to.fit(edit)
	if err := to.apply(ctx, m.chunks, fitted); err != nil {
		return err
	}
	m.result.Chunks = to.entriesIn(fitted.Start, fitted.Start+len(fitted.New))
	return nil
}

// insertion returns the edit that inserts the chunk into a file.
func (m *moving) insertion(f *symbols.File, find func(id string) (int, error), beside string) (symbols.Edit, error) {
	if beside == "" {
		edit, err := f.Append(m.code)
		if err != nil {
			last := f.Children(-1)
			i := last[len(last)-1]
			return edit, sharedLine(err, f.ID(i), f.Symbol(i).Line)
		}
		return edit, nil
	}
	n, err := find(beside)
	if err != nil {
		return symbols.Edit{}, err
	}
	edit, err := m.insert(f, n, m.code)
	if err != nil {
		return edit, sharedLine(err, beside, f.Symbol(n).Line)
	}
	return edit, nil
}

// movable reports whether a file of one language can contain a declaration of another.
func movable(from, to source.Language) bool {
	if from == to {
		return true
	}
	family := func(lang source.Language) int {
		switch lang {
		case source.C, source.CPP:
			return 1
		case source.JavaScript, source.TypeScript, source.TSX:
			return 2
		}
		return 0
	}
	return family(from) != 0 && family(from) == family(to)
}

// within moves the chunk in its own file, which from has without the chunk.
func (m *moving) within(ctx context.Context, beside string) error {
	removed := m.from.after
	find := func(id string) (int, error) {
		was, err := m.from.find(id)
		if err != nil {
			return 0, err
		}
		if s, own := m.from.before.Symbol(was), m.from.before.Symbol(m.n); own.Start <= s.Start && s.End <= own.End {
			return 0, invalid("Give another chunk as to.", "%s cannot be moved beside or into itself", quote(m.id))
		}
		return counterpart(m.from.before, was, removed, m.from.edits[0])
	}
	edit, err := m.insertion(removed, find, beside)
	if err != nil {
		return err
	}
	edit.New = m.from.text.Fit(0, 0, edit.New, textfile.Keep)
	edit.AllowErrors = m.args.AllowErrors
	text := removed.Text[:edit.Start] + edit.New + removed.Text[edit.End:]
	after, err := removed.Verify(ctx, m.chunks.options.Parsers, edit, text)
	if err != nil {
		return brokenCode(ctx, err)
	}
	if text == m.from.text.Content {
		m.from.after, m.from.edits, m.from.raw = m.from.before, nil, m.from.text.Bytes()
		return nil
	}
	if err := m.from.replaceAll(ctx, m.chunks, after); err != nil {
		return err
	}
	m.result.Chunks = m.from.entriesIn(edit.Start, edit.Start+len(edit.New))
	return nil
}

// counterpart returns the index, after an edit, of a chunk that the edit does not change.
func counterpart(before *symbols.File, n int, after *symbols.File, edit textfile.Edit) (int, error) {
	at := int(before.Symbol(n).Ident)
	if at >= edit.End {
		at += len(edit.New) - (edit.End - edit.Start)
	}
	for i := range after.Len() {
		if s := after.Symbol(i); int(s.Ident) == at && s.Name == before.Symbol(n).Name {
			return i, nil
		}
	}
	return 0, problem(codeChunkNotFound, "list_functions_in_file shows its functions.", "%s has no chunk %s", quote(after.Path), quote(before.ID(n)))
}

// newFile returns the change that creates the destination with the chunk, after the package clause of the chunk's file. Encoding,
// byte-order mark and line ends are those of the chunk's file.
func (m *moving) newFile(ctx context.Context) (*fileChange, error) {
	before := m.from.before
	name := path.Clean(strings.ReplaceAll(m.args.To, "\\", "/"))
	if dir, err := m.chunks.root.Stat(ctx, path.Dir(name)); err == nil {
		name = path.Join(dir.Path, path.Base(name))
	}
	lang, ok := m.chunks.options.Parsers.LanguageOf(name, nil)
	if !ok || !movable(before.Language, lang) {
		return nil, invalid("Give a path with the extension of "+quote(m.from.path)+".", "%s is no name of a file for this language", quote(m.args.To))
	}
	text, clause := m.code+"\n", 0
	for i := range before.Len() {
		if !before.IsPackageClause(i) {
			continue
		}
		if path.Dir(name) != path.Dir(m.from.path) {
			return nil, invalid("Create the file with its package clause first.", "%s does not exist, and its package can be another one than that of %s", quote(m.args.To), quote(m.from.path))
		}
		s := before.Symbol(i)
		text, clause = before.Text[s.Decl:s.End]+"\n\n"+text, int(s.End-s.Decl)
		break
	}
	if before.Language == source.PHP {
		text = "<?php\n\n" + text
	}
	text = m.from.text.Fit(m.from.edits[0].Start, m.from.edits[0].Start, text, textfile.Keep)
	to := &fileChange{path: name, allowErrors: m.args.AllowErrors}
	var err error
	if to.raw, err = textfile.Encode(text, m.from.text.Encoding, m.from.text.BOM); err != nil {
		return nil, encodingError(err, name)
	}
	if to.after, err = symbols.Parse(ctx, m.chunks.options.Parsers, name, text); err != nil {
		return nil, notSource(name, m.chunks.options.Parsers.Languages(), err)
	}
	if err := to.checkGrammar(ctx, m.chunks, text, correctOrAllow); err != nil {
		return nil, err
	}
	m.result.Chunks = to.entriesIn(clause, len(text))
	return to, nil
}
