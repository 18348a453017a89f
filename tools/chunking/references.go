package chunking

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// References finds the uses of a declaration exactly, for example with a language
// server. A References that is also a Renamer renames them.
type References interface {
	// References returns the uses of a declaration. It must return when ctx ends.
	References(ctx context.Context, of Declaration) (Uses, error)
}

// Declaration is a declaration in a file, at the position of its name.
type Declaration struct {
	Path     string // absolute, without symbolic links
	Language source.Language
	Text     string // content of the file
	Position
}

// Uses is the result of References.
type Uses struct {
	// Locations are the uses. The declaration itself and files outside the project are
	// allowed; they are ignored.
	Locations []Location
	// Languages are the languages for which Locations is complete. In their files, a call of
	// the name that is not in Locations has another target, or is in code that is not built.
	// It must be empty if Locations was cut.
	Languages []source.Language
}

// Position is a position in a text.
type Position struct {
	Line   int // from 1
	Column int // from 1, in UTF-16 code units
}

// Location is a position in a file.
type Location struct {
	Path string // absolute
	Position
}

// Limits of a call of References, with and without a Graph, and of its result.
const (
	timeoutWithGraph    = 5 * time.Second
	timeoutWithoutGraph = 30 * time.Second
	maxPlaces           = 20_000 // uses that are read
	maxUsingFiles       = 1_000  // files that are read
)

// exactUses are the uses in the project, grouped by the chunks that contain them.
type exactUses struct {
	callers   []Caller
	languages []source.Language
	// lines are the lines of all uses, by path.
	lines map[string]map[int32]bool
	// unread is the number of unreadable files, and foreign the number of files without a
	// parser.
	unread, foreign int
	cut             bool // uses beyond maxPlaces were ignored
}

// notes describes the reasons why callers may be missing.
func (u *exactUses) notes() []string {
	var notes []string
	if u.cut {
		notes = append(notes, "only the first "+number(maxPlaces)+" uses of the language server were read")
	}
	if u.unread > 0 {
		notes = append(notes, plural.Count(u.unread, "file")+" with uses could not be read")
	}
	if u.foreign > 0 {
		notes = append(notes, plural.Count(u.foreign, "file")+" with uses cannot be read by a parser here")
	}
	return notes
}

// uses queries References for the uses of a chunk.
func (c *Chunks) uses(ctx context.Context, of chunk) (*exactUses, error) {
	timeout := timeoutWithGraph
	if c.options.Graph == nil {
		timeout = timeoutWithoutGraph
	}
	declared, err := c.declaration(ctx, of)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, cmp.Or(c.options.ReferencesTimeout, timeout))
	defer cancel()
	found, err := c.options.References.References(asking, declared)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && asking.Err() != nil:
		return nil, problem(string(security.CodeOf(context.DeadlineExceeded)), "Try again: the language server continues to load the project.", "the language server took too long")
	case err != nil:
		return nil, err
	}
	return c.place(ctx, found, of)
}

// declaration returns the position of a chunk's name.
func (c *Chunks) declaration(ctx context.Context, of chunk) (Declaration, error) {
	src, mark := unmarked(of.src)
	if !utf8.Valid(src) {
		return Declaration{}, errors.New("language servers read UTF-8 only, and the file is not")
	}
	info, err := c.root.Stat(ctx, of.Path)
	if err != nil {
		return Declaration{}, err
	}
	dir := c.root.Dirs()[info.Dir]
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	text := string(src)
	return Declaration{
		Path: filepath.Join(dir, filepath.FromSlash(info.Rel)), Language: of.Language, Text: text,
		Position: linesOf(text).place(int(of.get().Ident) - mark),
	}, nil
}

// place groups uses by the chunks that contain them.
func (c *Chunks) place(ctx context.Context, found Uses, of chunk) (*exactUses, error) {
	u := &exactUses{languages: found.Languages, lines: make(map[string]map[int32]bool)}
	if len(found.Locations) > maxPlaces {
		found.Locations, u.languages, u.cut = found.Locations[:maxPlaces], nil, true
	}
	files := make(map[string][]Position)
	var paths []string
	for _, p := range found.Locations {
		if !filepath.IsAbs(p.Path) {
			continue // the base of a relative path is unknown
		}
		if _, ok := files[p.Path]; !ok {
			paths = append(paths, p.Path)
		}
		files[p.Path] = append(files[p.Path], p.Position)
	}
	slices.Sort(paths)
	for i, path := range paths {
		if i == maxUsingFiles {
			u.unread += len(paths) - i
			u.languages = nil
			break
		}
		s, err := c.open(ctx, path, "")
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil:
			u.add(s, files[path], of)
		case security.CodeOf(err) == codeNotSource:
			u.foreign++
		case security.CodeOf(err) != security.PermissionDenied && security.CodeOf(err) != security.FileNotFound:
			u.unread++
		}
	}
	return u, nil
}

// add records the uses in one file. It ignores declarations and imports.
func (u *exactUses) add(s *parsedFile, places []Position, of chunk) {
	src, mark := unmarked(s.src)
	valid := utf8.Valid(src)
	var text *textLines
	if valid {
		text = linesOf(string(src))
	}
	at := make(map[string]int)
	slices.SortFunc(places, func(a, b Position) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	for _, p := range places {
		line, in := int32(min(max(p.Line, 1), source.MaxSource)), -1
		if valid {
			offset, ok := text.offset(p)
			if !ok || s.declares(int32(offset+mark)) || s.Path == of.Path && int32(offset+mark) == of.get().Ident {
				continue
			}
			line = int32(bytes.Count(src[:offset], []byte("\n"))) + 1
			in = s.around(int32(offset + mark))
		}
		if in < 0 && slices.ContainsFunc(s.imports, func(i source.Import) bool { return i.Line == line }) {
			continue
		}
		id := ""
		if in >= 0 {
			id = s.ID(in)
		}
		if u.lines[s.Path] == nil {
			u.lines[s.Path] = make(map[int32]bool)
		}
		u.lines[s.Path][line] = true
		i, ok := at[id]
		if !ok {
			i = len(u.callers)
			at[id] = i
			u.callers = append(u.callers, Caller{ID: id, FilePath: s.Path, Source: sourceServer, rank: rankServer})
		}
		if lines := u.callers[i].Lines; len(lines) == 0 || lines[len(lines)-1] != line {
			u.callers[i].Lines = append(lines, line)
		}
	}
}

// declares reports whether a declared name is at a position.
func (s *parsedFile) declares(at int32) bool {
	for i := range s.chunks {
		if s.chunks[i].Ident == at {
			return true
		}
	}
	return false
}

// around returns the innermost chunk with code around a position, or -1.
func (s *parsedFile) around(at int32) int {
	in := -1
	for i := range s.chunks {
		if c := &s.chunks[i]; c.Decl <= at && at < c.End && c.HasCode() {
			in = i
		}
	}
	return in
}

// unmarked returns a text without its byte-order mark, and the length of the mark.
func unmarked(src []byte) ([]byte, int) {
	rest := bytes.TrimPrefix(src, []byte("\uFEFF"))
	return rest, len(src) - len(rest)
}

// textLines has the offsets of the lines of a text. Lines end at LF, CRLF or CR, as in the
// Language Server Protocol.
type textLines struct {
	text   string
	starts []int
}

func linesOf(text string) *textLines {
	return &textLines{text, textfile.LineStarts(text)}
}

// place returns the position of a byte.
func (t *textLines) place(offset int) Position {
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	p := Position{Line: line + 1, Column: 1}
	for _, r := range t.text[t.starts[line]:offset] {
		p.Column += utf16.RuneLen(r)
	}
	return p
}

// offset returns the byte at a position; ok is false if the text does not have the
// position.
func (t *textLines) offset(p Position) (int, bool) {
	if p.Line < 1 || p.Line > len(t.starts) || p.Column < 1 {
		return 0, false
	}
	at, left := t.starts[p.Line-1], p.Column-1
	end := len(t.text)
	if p.Line < len(t.starts) {
		end = t.starts[p.Line]
	}
	for left > 0 && at < end {
		r, size := utf8.DecodeRuneInString(t.text[at:])
		left -= utf16.RuneLen(r)
		at += size
	}
	return at, left <= 0
}
