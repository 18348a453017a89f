package chunking

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/source"
)

// FunctionChunkArgs are the arguments of get_function_chunk.
type FunctionChunkArgs struct {
	// FilePath and Language are described at ListFunctionsArgs.
	FilePath string `json:"filePath"`
	// FunctionSignature is a signature as list_functions_in_file returns it, an ID, or a
	// part of the name that identifies one function. A signature with other modifiers,
	// types or parameters is enough if one function fits best.
	FunctionSignature string `json:"functionSignature" jsonschema:"minLength=1,description=Signature\\, id or name"`
	Language          string `json:"language,omitempty"`
	// IncludeContext adds the imports of the file and the heads of the enclosing types.
	IncludeContext bool `json:"includeContext,omitempty" jsonschema:"default=false,description=With imports and heads of the enclosing types"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// GetChunkArgs are the arguments of get_chunk.
type GetChunkArgs struct {
	// ChunkID is the ID of a chunk. A signature, a name, for example push or Stack.push, or
	// a part of the name of one function is searched in all analyzed files. The path of an
	// ID may be the end of a path of one file.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// Full returns the text of a long type, too. Default: with Options.Outlines its members.
	Full bool `json:"full,omitempty" jsonschema:"default=false,description=The text of a long type\\, not its members"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// ChunkResult is a chunk with its text, which is also the text of the result.
type ChunkResult struct {
	Entry
	// Code is the text of the chunk with its documentation and attributes, byte for byte.
	// If the chunk exceeds the answer budget, Code has the lines that fit.
	Code string `json:"code"`
	// Context is the text that IncludeContext requests.
	Context string `json:"context,omitempty"`
	// FilePath is the path of the file for other tools.
	FilePath string `json:"filePath"`
	Language string `json:"language"`
	Parser   string `json:"parser"`
	// SHA256 is the digest of the file. replace_function_chunk accepts it as
	// expectedSha256.
	SHA256 string `json:"sha256"`
	// Moved reports that the chunk is not at its indexed position.
	Moved bool `json:"moved,omitempty"`
	// ParseErrors are the parse errors of the file.
	ParseErrors []ParseError `json:"parseErrors,omitempty"`
	// Truncated reports that Code is a part of the chunk. CodeLines are its first and last
	// line in the file, and TotalBytes is the size of the complete chunk.
	Truncated  bool    `json:"truncated,omitempty"`
	CodeLines  []int32 `json:"codeLines,omitempty"`
	TotalBytes int     `json:"totalBytes,omitempty"`
	// NextCursor is the cursor of the next part, if there is one. It becomes invalid when
	// the chunk changes.
	NextCursor string `json:"nextCursor,omitempty"`
	// Members are the declarations directly within a long type, in place of the text of all of them; Code then ends before the
	// first one. See Options.Outlines.
	Members []Entry `json:"members,omitempty"`

	memberCount int // Members and those that do not fit

	byName bool     // the caller has not named the file
	others []string // short IDs of other chunks that the given name can mean
}

// FunctionChunk implements the tool get_function_chunk.
func (c *Chunks) FunctionChunk(ctx context.Context, args FunctionChunkArgs) (ChunkResult, error) {
	s, err := c.open(ctx, args.FilePath, args.Language)
	if err != nil {
		return ChunkResult{}, err
	}
	found, err := s.find(args.FunctionSignature)
	near := false
	if bad, ok := errors.AsType[*mcp.ToolError](err); ok && bad.Code == codeChunkNotFound {
		found, near, err = s.nearSignature(args.FunctionSignature, err)
	}
	if err != nil {
		return ChunkResult{}, err
	}
	r, err := c.answer(ctx, found, args.Cursor)
	if r.byName = near; near {
		c.shortenChunk(ctx, &r)
	}
	if err == nil && args.IncludeContext && args.Cursor == "" {
		r.Context = s.context(found.n)
	}
	return r, err
}

// Chunk implements the tool get_chunk.
func (c *Chunks) Chunk(ctx context.Context, args GetChunkArgs) (ChunkResult, error) {
	found, others, err := c.lookupPart(ctx, args.ChunkID)
	if err != nil {
		return ChunkResult{}, err
	}
	r, err := c.read(ctx, found, args.Full, args.Cursor)
	if err != nil {
		return ChunkResult{}, err
	}
	if r.byName = !found.isID(args.ChunkID); r.byName {
		c.shortenChunk(ctx, &r)
		r.others = c.shortest(ctx, others)
	}
	return r, nil
}

// isID reports whether a name contains the path of the file.
func (c chunk) isID(named string) bool {
	named = strings.TrimSpace(named)
	return strings.HasPrefix(named, c.Path+"#") || strings.Contains(named, "#") && filepath.IsAbs(named)
}

// shortenChunk sets the short ID of a result.
func (c *Chunks) shortenChunk(ctx context.Context, r *ChunkResult) {
	r.short = c.shortener().of(r.ID)
	c.recordShort(ctx, r.short, r.ID)
}

// shortest returns the short forms of IDs, and records their meaning for the caller.
func (c *Chunks) shortest(ctx context.Context, ids []string) []string {
	s := c.shortener()
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = s.of(id)
		c.recordShort(ctx, short[i], id)
	}
	return short
}

// read returns the text of a chunk, or the outline of a long type.
func (c *Chunks) read(ctx context.Context, found chunk, full bool, given string) (ChunkResult, error) {
	if members := c.members(found); len(members) > 0 && !full && given == "" {
		return c.outline(found, members), nil
	}
	return c.answer(ctx, found, given)
}

// answer returns the result for a chunk. When the caller has received the last part, the
// ledger records that it has read the chunk, because a cursor is valid only for an
// unchanged chunk.
func (c *Chunks) answer(ctx context.Context, found chunk, given string) (ChunkResult, error) {
	code, digest := found.code(), digestOf(found)
	whole := cursor.NewListID("chunk", found.id(), digest)
	from, err := offset(whole, given)
	if err != nil || from > len(code) {
		return ChunkResult{}, cmp.Or(err, problem(codeInvalidCursor, "Call without cursor.", "the cursor leads beyond the chunk"))
	}
	shown := c.shown(code[from:])
	r := ChunkResult{
		Entry: found.entry(found.n, 0), Code: shown, FilePath: found.Path, Language: string(found.Language), Parser: found.Parser,
		SHA256: found.digest(), Moved: found.moved(), ParseErrors: parseErrors(found.Problems),
	}
	if len(shown) < len(code) {
		first := r.Line + int32(strings.Count(code[:from], "\n"))
		last := first + int32(strings.Count(strings.TrimSuffix(shown, "\n"), "\n"))
		r.Truncated, r.CodeLines, r.TotalBytes = true, []int32{first, last}, len(code)
		r.NextCursor = nextCursor(whole, from+len(shown), len(code))
	}
	if r.NextCursor == "" {
		c.ledger.Record(ctx, r.ID, digest)
	}
	return r, nil
}

// shown returns the part of a text that fits in an answer: complete lines, or a part of the
// first line if it is too long.
func (c *Chunks) shown(code string) string {
	if len(code) <= c.limits.Answer {
		return code
	}
	code = code[:c.limits.Answer]
	if end := strings.LastIndexByte(code, '\n'); end > 0 {
		return code[:end+1]
	}
	for end := len(code); end > max(0, len(code)-utf8.UTFMax); end-- {
		if r, size := utf8.DecodeLastRuneInString(code[:end]); r != utf8.RuneError || size > 1 {
			return code[:end]
		}
	}
	return code
}

// byID finds a chunk by any form of name that get_chunk accepts.
func (c *Chunks) byID(ctx context.Context, id string) (chunk, error) {
	found, _, err := c.lookup(ctx, id)
	return found, err
}

// lookup finds a chunk like byID. others are the IDs of the chunks with the same name that it has not chosen.
func (c *Chunks) lookup(ctx context.Context, id string) (found chunk, others []string, err error) {
	if strings.Contains(id, "#") {
		found, err = c.byPath(ctx, id)
		return found, nil, err
	}
	return c.anywhere(ctx, id)
}

// byPath finds a chunk by an ID, the path of a file and a name.
func (c *Chunks) byPath(ctx context.Context, id string) (chunk, error) {
	id = strings.TrimSpace(id)
	for at := strings.IndexByte(id, '#'); at > 0; {
		s, err := c.open(ctx, id[:at], "")
		if err == nil {
			found, err := s.find(id[at+1:])
			if err != nil {
				return c.elsewhere(ctx, id[at+1:], err)
			}
			return found, nil
		}
		next := strings.IndexByte(id[at+1:], '#')
		if next < 0 {
			if code := security.CodeOf(err); code == security.FileNotFound {
				return c.byPathEnd(ctx, id[:at], id[at+1:], err)
			}
			return chunk{}, err
		}
		at += 1 + next
	}
	found, _, err := c.anywhere(ctx, id)
	return found, err
}

// byPathEnd finds a chunk in the only indexed file whose path has this end, or elsewhere if there is none.
func (c *Chunks) byPathEnd(ctx context.Context, end, name string, otherwise error) (chunk, error) {
	files := filesEndingWith(c.index.Snapshot().Files(), end, sameCase)
	if len(files) == 0 {
		files = filesEndingWith(c.index.Snapshot().Files(), end, strings.EqualFold)
	}
	switch {
	case end == "" || len(files) == 0:
		return c.elsewhere(ctx, name, otherwise)
	case len(files) > 1:
		var paths []string
		for _, f := range files[:min(len(files), maxCandidates)] {
			paths = append(paths, f.Path)
		}
		return chunk{}, problem(codeAmbiguousChunk, "Give more of the path. Files are "+strings.Join(paths, ", ")+".", "%s can be %s files", quote(end), number(len(files)))
	}
	s, err := c.open(ctx, files[0].Path, "")
	if err != nil {
		return chunk{}, err
	}
	found, err := s.find(name)
	if err != nil {
		return c.elsewhere(ctx, name, err)
	}
	return found, nil
}

// elsewhere searches other files for a chunk that is missing in the file of its ID, because
// it may have moved. It returns the error otherwise if there is none.
func (c *Chunks) elsewhere(ctx context.Context, path string, otherwise error) (chunk, error) {
	hits := c.exactly(ctx, path)
	if len(hits) != 1 {
		return chunk{}, otherwise
	}
	s, err := c.open(ctx, hits[0].File.Path, "")
	if err != nil {
		return chunk{}, otherwise
	}
	found, err := s.find(path)
	if err != nil || found.get().Path() != path {
		return chunk{}, otherwise
	}
	found.was = new(index.File)
	return found, nil
}

// exactly returns the indexed chunks with this path in their files.
func (c *Chunks) exactly(ctx context.Context, path string) []index.Hit {
	c.indexUnsaved(ctx)
	hits, _ := c.index.Snapshot().Search(index.Query{Text: path, Limit: maxSameName})
	var exact []index.Hit
	for _, hit := range hits {
		if c := hit.File.Symbol(hit.Chunk); c.Path() == path {
			exact = append(exact, hit)
		}
	}
	return exact
}

// anywhere searches all files for a path or a signature. Of several chunks it returns the only function, and the IDs of
// the others, for example of imports.
func (c *Chunks) anywhere(ctx context.Context, named string) (found chunk, others []string, err error) {
	if named = strings.TrimSpace(named); named == "" {
		return chunk{}, nil, invalid("Give the id of a chunk, as list_functions_in_file and search_symbols show it.", "chunkId is empty")
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return chunk{}, nil, err
	}
	if snapshot.Len() == 0 {
		return chunk{}, nil, problem(codeNotAnalyzed, "Give the whole id, path#name, or call analyze_project first.", "%s names no file, and %s", quote(named), c.emptiness())
	}
	hits := c.called(ctx, snapshot, named)
	if len(hits) == 0 {
		if changed, _ := c.catchUp(ctx); changed {
			hits = c.called(ctx, c.index.Snapshot(), named)
		}
	}
	if len(hits) == 0 {
		return chunk{}, nil, problem(codeChunkNotFound, "search_symbols finds chunks by a part of their name.", "no chunk is called %s", quote(named))
	}
	chosen, others, ok := onlyFunction(hits)
	if !ok {
		return chunk{}, nil, c.severalChunks(ctx, named, hits)
	}
	s, err := c.open(ctx, chosen.File.Path, "")
	if err != nil {
		return chunk{}, nil, err
	}
	found, err = s.find(chosen.File.ID(chosen.Chunk))
	return found, others, err
}

// called returns the indexed chunks that a path, a short ID, a signature or a name means.
func (c *Chunks) called(ctx context.Context, snapshot *index.Snapshot, named string) []index.Hit {
	hits := c.exactly(ctx, named)
	if len(hits) == 0 {
		hits = shortHits(snapshot, named)
	}
	if len(hits) == 0 {
		hits = bySignature(snapshot, normal(named))
	}
	if len(hits) == 0 {
		hits, _ = snapshot.Search(index.Query{Text: named, Limit: index.DefaultLimit})
		hits = wholeName(hits)
	}
	return hits
}

// onlyFunction returns the only hit, or the only function among several, and the IDs of the others.
func onlyFunction(hits []index.Hit) (chosen index.Hit, others []string, ok bool) {
	if len(hits) == 1 {
		return hits[0], nil, true
	}
	if len(hits) >= index.DefaultLimit {
		return chosen, nil, false // there may be more
	}
	for _, hit := range hits {
		c := hit.File.Symbol(hit.Chunk)
		switch {
		case !c.Kind.IsCallable():
			others = append(others, hit.File.ID(hit.Chunk))
		case ok:
			return chosen, nil, false
		default:
			chosen, ok = hit, true
		}
	}
	return chosen, others, ok
}

// maxSameName limits the chunks of one name that are compared with a path.
const maxSameName = 1000

// wholeName returns the hits whose name equals the searched name.
func wholeName(hits []index.Hit) []index.Hit {
	const sameName = 500
	return slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Score < sameName })
}

// bySignature finds chunks by signature. It first checks chunks whose name occurs in
// the signature, because their details need not be loaded for that. If there is none,
// it checks the others.
func bySignature(snapshot *index.Snapshot, signature string) []index.Hit {
	hits := signed(snapshot, signature, func(name string) bool { return strings.Contains(signature, name) })
	if len(hits) == 0 && strings.ContainsFunc(signature, func(r rune) bool { return r < utf8.RuneSelf && !isWord(byte(r)) }) {
		hits = signed(snapshot, signature, func(string) bool { return true })
	}
	return hits
}

// signed returns the chunks with a signature. It checks only chunks whose name passes may.
func signed(snapshot *index.Snapshot, signature string, may func(name string) bool) []index.Hit {
	var hits []index.Hit
	for _, f := range snapshot.Files() {
		var parsed *source.File
		for i := range f.Len() {
			if !may(f.Symbol(i).Name) {
				continue
			}
			if parsed == nil {
				var err error
				if parsed, err = f.Parsed(); err != nil {
					break // the file has changed since it was indexed
				}
			}
			if c := &parsed.Chunks[i]; len(c.Signature) >= len(signature) && normal(c.Signature) == signature {
				hits = append(hits, index.Hit{File: f, Chunk: i})
			}
		}
	}
	return hits
}

func (c *Chunks) severalChunks(ctx context.Context, named string, hits []index.Hit) error {
	var ids []string
	for _, hit := range hits[:min(len(hits), maxCandidates)] {
		ids = append(ids, hit.File.ID(hit.Chunk))
	}
	ids = c.shortest(ctx, ids)
	more := ""
	if len(hits) > maxCandidates {
		more = " and others"
	}
	least := ""
	if len(hits) >= index.DefaultLimit {
		least = "at least " // the search returns at most this number
	}
	return problem(codeAmbiguousChunk, "Give one of these ids: "+strings.Join(ids, ", ")+more+".", "%s can be %s%s chunks", quote(named), least, number(len(hits)))
}

// context returns the text of the imports and the heads of the types around a chunk.
func (s *parsedFile) context(n int) string {
	var b strings.Builder
	last := int32(0)
	lines := strings.SplitAfter(s.text(0, int32(len(s.src))), "\n")
	for _, imported := range s.imports {
		if line := imported.Line; line != last && int(line) <= len(lines) {
			b.WriteString(strings.TrimRight(lines[line-1], "\r\n") + "\n")
			last = line
		}
	}
	var around []string
	for parent := s.chunks[n].Parent; parent >= 0; parent = s.chunks[parent].Parent {
		around = append(around, s.chunks[parent].Signature)
	}
	for i := len(around) - 1; i >= 0; i-- {
		b.WriteString(around[i] + "\n")
	}
	return b.String()
}

// TextContent returns the code, byte for byte.
func (r ChunkResult) TextContent() string {
	if len(r.Members) > 0 {
		return r.outlineText()
	}
	if r.Context == "" {
		return r.Code
	}
	return r.Context + "\n" + r.Code
}

// place returns the short ID with path and lines.
func (e *Entry) place() string {
	if short := e.handle(); !strings.HasPrefix(short, e.file+"#") {
		return short + ", " + e.file + ":" + e.lines()
	}
	return e.ID + ", lines " + number(e.Line) + "-" + number(e.EndLine)
}

// lines returns the lines of a chunk, for example 10-13 or 7.
func (e *Entry) lines() string {
	if e.EndLine <= e.Line {
		return strconv.Itoa(int(e.Line))
	}
	return strconv.Itoa(int(e.Line)) + "-" + strconv.Itoa(int(e.EndLine))
}

// TextNote describes unusual properties of the chunk.
func (r ChunkResult) TextNote() string {
	var notes []string
	if r.byName && !r.Moved {
		note := "[" + r.place()
		if len(r.others) > 0 {
			note += "; also " + strings.Join(r.others[:min(len(r.others), maxCandidates)], ", ")
		}
		notes = append(notes, note+"]")
	}
	if r.Moved {
		notes = append(notes, "[moved: now "+r.ID+", lines "+number(r.Line)+" to "+number(r.EndLine)+"]")
	}
	if r.Truncated && len(r.Members) == 0 {
		note := "[lines " + number(r.CodeLines[0]) + "-" + number(r.CodeLines[1]) + " of " + number(r.Line) + "-" + number(r.EndLine) + ", " +
			number(len(r.Code)) + " of " + number(r.TotalBytes) + " bytes"
		if r.NextCursor != "" {
			note += "; continue with cursor=" + r.NextCursor
		}
		notes = append(notes, note+"]")
	}
	return strings.Join(append(notes, problemNotes(r.ParseErrors)...), "\n")
}
