package chunking

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// InsertChunkArgs are the arguments of insert_chunk.
type InsertChunkArgs struct {
	// ChunkID is the ID of a chunk, as in GetChunkArgs. A name must select one chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// Position is before or after the chunk, or first or last in it, for a type or a namespace.
	Position string `json:"position,omitempty" jsonschema:"enum=before,enum=after,enum=first,enum=last,default=after,description=first\\, last: as a member of the type"`
	// Code is one or more whole declarations or lines. Indentation, blank lines and line ends are adapted to the neighbours.
	Code string `json:"code" jsonschema:"minLength=1"`
	// ExpectedSHA256 is the expected digest of the file or of the chunk. Another one is refused.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// AllowErrors writes code with syntax errors. Code that hides another declaration is still refused.
	AllowErrors bool `json:"allowErrors,omitempty" jsonschema:"default=false"`
	// DryRun returns the diff without a change of the file.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// Values of InsertChunkArgs.Position.
const (
	positionBefore = "before"
	positionAfter  = "after"
	positionFirst  = "first"
	positionLast   = "last"
)

// inserterAt returns the function of package symbols that inserts code at a position; "" is after.
func inserterAt(position string) (func(f *symbols.File, i int, code string) (symbols.Edit, error), error) {
	switch position {
	case positionBefore:
		return (*symbols.File).InsertBefore, nil
	case positionAfter, "":
		return (*symbols.File).InsertAfter, nil
	case positionFirst:
		return (*symbols.File).InsertFirst, nil
	case positionLast:
		return (*symbols.File).InsertLast, nil
	}
	return nil, invalid("Use before, after, first or last.", "the position %s is not known", quote(position))
}

// InsertChunk inserts code beside a chunk, or as a member of it. It is the tool insert_chunk. The result has the inserted chunks.
func (c *Chunks) InsertChunk(ctx context.Context, args InsertChunkArgs) (ChangeResult, error) {
	if indent.IsBlank(args.Code) {
		return ChangeResult{}, invalid("Give the code to insert in code.", "code is empty")
	}
	insert, err := inserterAt(args.Position)
	if err != nil {
		return ChangeResult{}, err
	}
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		r := ChangeResult{did: "inserted", tagged: args.ExpectedSHA256 != ""}
		f, _, n, err := c.target(ctx, args.ChunkID, args.ExpectedSHA256, false)
		if err != nil {
			return nil, r, err
		}
		f.allowErrors = args.AllowErrors
		inserted, err := insert(f.before, n, args.Code)
		if err != nil {
			return nil, r, sharedLine(err, f.before.ID(n), f.before.Symbol(n).Line)
		}
		edit := f.fit(inserted)
		if err := f.apply(ctx, c, edit); err != nil {
			return nil, r, err
		}
		r.Chunks = f.entriesIn(edit.Start, edit.Start+len(edit.New))
		return []*fileChange{f}, r, nil
	})
}

// DeleteChunkArgs are the arguments of delete_chunk.
type DeleteChunkArgs struct {
	// ChunkID is the ID of a chunk, as in GetChunkArgs. A name must select one chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// ExpectedSHA256 is the expected digest of the file or of the chunk. Without it, the chunk must be unchanged since the caller
	// has read it, if the caller has read it at all.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// AllowErrors writes code with syntax errors. Code that hides another declaration is still refused.
	AllowErrors bool `json:"allowErrors,omitempty" jsonschema:"default=false"`
	// DryRun returns the diff without a change of the file.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// DeleteChunk deletes a chunk with its documentation and the blank lines beside it. It is the tool delete_chunk. It does not look for
// uses of the chunk.
func (c *Chunks) DeleteChunk(ctx context.Context, args DeleteChunkArgs) (ChangeResult, error) {
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		r := ChangeResult{did: "deleted", tagged: args.ExpectedSHA256 != ""}
		f, found, n, err := c.target(ctx, args.ChunkID, args.ExpectedSHA256, true)
		if err != nil {
			return nil, r, err
		}
		f.allowErrors = args.AllowErrors
		deleted, err := f.before.Delete(n)
		if err != nil {
			return nil, r, sharedLine(err, found.id(), found.get().Line)
		}
		if err := f.apply(ctx, c, f.fit(deleted)); err != nil {
			return nil, r, err
		}
		if deleted.Note != "" {
			r.Notes = append(r.Notes, deleted.Note)
		}
		r.deleted = found.id() + ", lines " + number(found.get().StartLine) + "-" + number(found.get().EndLine)
		return []*fileChange{f}, r, nil
	})
}

// lines returns the lines of a chunk with its documentation, without the indentation of the chunk.
func (f *fileChange) lines(n int) (string, error) {
	deleted, err := f.before.Delete(n)
	if err != nil {
		return "", err
	}
	s := f.before.Symbol(n)
	start := deleted.Start
	if first := textfile.LineStart(f.text.Content, start); indent.IsBlank(f.text.Content[first:start]) {
		start = first
	}
	text := strings.Trim(strings.ReplaceAll(f.text.Content[start:deleted.End], "\r\n", "\n"), "\n")
	margin := f.text.Content[textfile.LineStart(f.text.Content, int(s.Decl)):s.Decl]
	if margin == "" || !indent.IsBlank(margin) {
		return text, nil
	}
	lines := strings.Split(text, "\n")
	inside := f.parsers.StringLines([]byte(text), f.before.Language)
	inString := func(i int) bool { return i < len(inside) && inside[i] }
	for i, line := range lines {
		if !inString(i) && !indent.IsBlank(line) && !strings.HasPrefix(line, margin) {
			return text, nil // a string at the left edge
		}
	}
	for i, line := range lines {
		if !inString(i) {
			lines[i] = strings.TrimPrefix(line, margin)
		}
	}
	return strings.Join(lines, "\n"), nil
}
