package chunking

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/edit"
	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// TextEdit is a replacement of text in a chunk. The place of OldText is found as by the tool edit_file, and within the chunk alone.
type TextEdit struct {
	// OldText is the present text. It must be at one place of the chunk.
	OldText string `json:"oldText"`
	// NewText is the replacement. Its indentation and line ends are adapted if OldText has other ones than the chunk.
	NewText string `json:"newText"`
	// ReplaceAll replaces every match of OldText.
	ReplaceAll bool `json:"replaceAll,omitempty"`
}

// EditChunkArgs are the arguments of edit_chunk.
type EditChunkArgs struct {
	// ChunkID is the ID of a chunk, as in GetChunkArgs. A name must select one chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// OldText and NewText are one edit, instead of Edits.
	OldText string `json:"oldText,omitempty"`
	NewText string `json:"newText,omitempty"`
	// Edits are applied in order, each to the result of the previous one: all or none.
	Edits []TextEdit `json:"edits,omitempty" jsonschema:"description=Several edits instead"`
	// ExpectedSHA256 is the expected digest of the file or of the chunk. A chunk with another one is not changed.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// AllowErrors writes code with syntax errors. Code that hides another declaration is still refused.
	AllowErrors bool `json:"allowErrors,omitempty" jsonschema:"default=false"`
	// DryRun returns the diff without a change of the file.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// EditChunk replaces text in a chunk. It is the tool edit_chunk. The result has the chunk under its ID after the change.
func (c *Chunks) EditChunk(ctx context.Context, args EditChunkArgs) (ChangeResult, error) {
	edits, err := args.edits()
	if err != nil {
		return ChangeResult{}, err
	}
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		r := ChangeResult{did: "edited", tagged: args.ExpectedSHA256 != ""}
		f, found, n, err := c.target(ctx, args.ChunkID, args.ExpectedSHA256, false)
		if err != nil {
			return nil, r, err
		}
		f.allowErrors = args.AllowErrors
		was := *f.before.Symbol(n)
		start := int(was.Start)
		if from := textfile.LineStart(f.text.Content, start); indent.IsBlank(f.text.Content[from:start]) {
			start = from // an edit can begin with the indentation
		}
		plan, err := edit.PlanPart(f.text.Content, start, int(was.End), "chunk", edits)
		if err != nil {
			return nil, r, adviseEdit(err, args.ChunkID)
		}
		changes, err := f.changesOf(plan, int(was.Start), start, int(was.End))
		if err != nil {
			return nil, r, err
		}
		if was.Kind.IsCallable() {
			f.start, f.end = int(was.Start), int(was.End)
		}
		if err := f.apply(ctx, c, changes...); err != nil {
			return nil, r, err
		}
		end := int(was.End) + len(f.after.Text) - len(f.text.Content)
		now, err := f.edited(n, end)
		if err != nil {
			return nil, r, err
		}
		r.Chunks = []Entry{f.entry(now)}
		r.same = r.Chunks[0].ID == found.id()
		r.showDiff = slices.ContainsFunc(plan.Applied, func(a edit.Applied) bool { return a.By&^edit.LineEnds != 0 })
		return []*fileChange{f}, r, nil
	})
}

// edits returns the edits of the arguments for package edit.
func (a EditChunkArgs) edits() ([]edit.Edit, error) {
	given := a.Edits
	switch {
	case a.OldText == "" && a.NewText == "" && len(given) > 0:
	case len(given) == 0 && a.OldText != "":
		given = []TextEdit{{OldText: a.OldText, NewText: a.NewText}}
	default:
		return nil, invalid("Give oldText and newText, or edits.", "it is not clear which edit is meant")
	}
	edits := make([]edit.Edit, len(given))
	for i, e := range given {
		if e.OldText == "" {
			return nil, invalid("Give a line next to the place as oldText, and the same line with the new text as newText.", "edit %d: oldText is empty", i+1)
		}
		edits[i] = edit.Edit{Old: e.OldText, New: e.NewText, ReplaceAll: e.ReplaceAll}
	}
	return edits, nil
}

// adviseEdit replaces the advice of an edit without a match that suggests to read the file.
func adviseEdit(err error, id string) error {
	missing, ok := errors.AsType[*edit.NoMatchError](err)
	if !ok || missing.Earlier || missing.Present > 0 || missing.First > 0 {
		return err
	}
	return &mcp.ToolError{Code: missing.ErrorCode(), Message: missing.Error(), Next: "Read it again with get_chunk, chunkId=" + quote(id) + ", and copy oldText from it.", Err: err}
}

// changesOf returns the changes of a plan as edits with the line ends of the file. begin is the start of the chunk, and start to end
// are the searched part. Changes of the indentation before the chunk are refused.
func (f *fileChange) changesOf(plan *edit.Result, begin, start, end int) ([]textfile.Edit, error) {
	content := f.text.Content
	oneLine := textfile.DetectEOL(content[start:end]) == textfile.NoEOL
	edits := make([]textfile.Edit, len(plan.Changes))
	for i, change := range plan.Changes {
		e := textfile.Edit(change)
		if e.Start < begin {
			same := min(begin-e.Start, len(e.New))
			if e.End < begin || same < begin-e.Start || e.New[:same] != content[e.Start:begin] {
				return nil, invalid("Give oldText and newText with the same indentation of the first line.", "the edit changes the indentation before the chunk")
			}
			e.Start, e.New = begin, e.New[same:]
		}
		if oneLine { // the plan did not know the line ends of the file
			e.New = f.text.Fit(e.Start, e.End, e.New, textfile.Keep)
		}
		edits[i] = e
	}
	return edits, nil
}

// edited returns the index of an edited chunk after the change. n is the chunk before, and end is its end after the change. It
// refuses a change after which the text of the chunk declares nothing, or ends with code that belongs to something else.
func (f *fileChange) edited(n, end int) (int, error) {
	was := f.before.Symbol(n)
	found, last := -1, int(was.Start)
	for i := range f.after.Len() {
		s := f.after.Symbol(i)
		if int(s.Decl) < int(was.Start) || int(s.Decl) >= end || s.Container != was.Container && (s.Parent >= 0 || was.Parent >= 0) {
			continue
		}
		last = max(last, int(s.End))
		if found < 0 || s.Name == was.Name && f.after.Symbol(found).Name != was.Name {
			found = i
		}
	}
	switch {
	case found < 0:
		return 0, problem(codeDoesNotParse, "delete_chunk deletes a chunk, and move_chunk moves it. Nothing was changed.", "with the change %s is no declaration of %s", quote(f.before.ID(n)), quote(cmp.Or(was.Container, f.path)))
	case f.after.Parser() == f.before.Parser() && last < end && !f.isInsignificant(f.after.Text[last:end]):
		return 0, problem(codeDoesNotParse, "Check indentation and brackets of the new code; insert_chunk adds code after a chunk. Nothing was changed.", "with the change code after line %d of the file is outside of %s", 1+strings.Count(f.after.Text[:last], "\n"), quote(f.before.ID(n)))
	case !sameConditionals(f.text.Content[was.Start:was.End], f.after.Text[was.Start:end], f.after.Language):
		return 0, problem(codeDoesNotParse, "Give as many #endif as #if. Nothing was changed.", "the change opens or closes a conditional that reaches beyond the chunk")
	}
	return found, nil
}

// isInsignificant reports whether a text has only blanks, separators and comments in lines of their own.
func (f *fileChange) isInsignificant(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, " \t\r\n;,"); line != "" && !f.parsers.IsComment(f.after.Language, []byte(line)) {
			return false
		}
	}
	return true
}
