package chunking

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/syntaxdiff"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// ChangeResult is the result of the tools edit_chunk, insert_chunk, delete_chunk, move_chunk, rename_chunk and rewrite_code.
type ChangeResult struct {
	// Chunks are the edited, inserted, moved or renamed chunks after the change.
	Chunks []Entry `json:"chunks,omitempty"`
	// Files are the changed files. They are empty if the change changes nothing.
	Files []ChangedFile `json:"files"`
	// Diff has the changed lines of all files, up to 8 KiB.
	Diff   string `json:"diff"`
	DryRun bool   `json:"dryRun,omitempty"`
	// Unchecked names the part that was not checked for syntax errors, and the reason; empty if all was checked.
	Unchecked string `json:"unchecked,omitempty"`
	// Notes describe effects that the caller did not ask for.
	Notes []string `json:"notes,omitempty"`

	did      string // past participle: "edited"
	deleted  string // ID of a deleted chunk
	same     bool   // the only chunk of the result has the ID that it had, which the text leaves out
	tagged   bool   // the caller has given a digest; the text then has the new one
	showDiff bool   // the change is not exactly the one that the caller has written
}

// ChangedFile is a file after a change.
type ChangedFile struct {
	FilePath string `json:"filePath"`
	// SHA256 is the digest of the file after the change.
	SHA256 string `json:"sha256"`
	// NewErrors are the syntax errors that the change adds. It is empty without the argument allowErrors.
	NewErrors []ParseError `json:"newErrors,omitempty"`
}

// fileChange is the change of one file. It is computed and checked before it is written.
type fileChange struct {
	path   string
	digest string         // of the content before; "" for a new file
	text   *textfile.Text // content before; nil for a new file
	before *symbols.File  // nil for a new file
	after  *symbols.File
	edits  []textfile.Edit // of the content before, in ascending order
	raw    []byte          // content after

	parsers    *source.Parsers
	start, end int // of the function in the content before to which the edits belong; end is 0 without one

	unchecked   string // as in ChangeResult
	allowErrors bool   // as in EditChunkArgs
	added       []source.Problem
}

// newChange returns a change of a file that changes nothing yet.
func (c *Chunks) newChange(ctx context.Context, s *parsedFile) (*fileChange, error) {
	content, _, err := c.root.ReadFile(ctx, s.Path, source.MaxSource)
	if err != nil {
		return nil, err
	}
	if hexDigest(content) != s.digest() {
		return nil, &security.Error{Code: security.StaleFile, AttemptedPath: s.Path, Message: quote(s.Path) + " has changed meanwhile.",
			Next: "Read the chunk again with get_chunk and apply your change to the current code."}
	}
	text, err := textfile.Decode(content, textfile.Auto)
	if err != nil {
		return nil, problem(codeNotSource, "Change it with a tool for files that takes its encoding.", "%s is not text of a known encoding: %v", quote(s.Path), err)
	}
	f := &fileChange{parsers: c.options.Parsers, path: s.Path, digest: s.digest(), text: text, raw: content}
	if f.before, err = symbols.Parse(ctx, c.options.Parsers, s.Path, text.Content); err != nil {
		return nil, notSource(s.Path, c.options.Parsers.Languages(), err)
	}
	f.after = f.before
	return f, nil
}

// find returns the index of a chunk, of which it is certain where it begins and ends.
func (f *fileChange) find(id string) (int, error) {
	found := f.before.Find(symbols.IDPattern(strings.TrimPrefix(id, f.path+"#")))
	if len(found) != 1 {
		return 0, problem(codeChunkNotFound, "list_functions_in_file shows its functions.", "%s has no chunk %s", quote(f.path), quote(id))
	}
	if doubt := f.before.Doubt(found[0]); doubt != nil {
		return 0, problem(codeDoesNotParse, "Correct that line with a tool that edits text by line or by exact match. Nothing was changed.",
			"it is not certain where %s begins and ends, because of a syntax error in line %d: %s", quote(id), doubt.Line, doubt.Message)
	}
	return found[0], nil
}

// apply computes the content after edits and checks it. The edits are in ascending order; their new text has the line ends of the
// file.
func (f *fileChange) apply(ctx context.Context, c *Chunks, edits ...textfile.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	old := f.text.Content
	content := textfile.Splice(old, edits)
	if content == old {
		return nil
	}
	var err error
	if f.raw, err = f.text.Apply(edits...); err != nil {
		return encodingError(err, f.path)
	}
	first, last := edits[0].Start, edits[len(edits)-1].End
	hull := symbols.Edit{Start: first, End: last, New: content[first : last+len(content)-len(old)], AllowErrors: f.allowErrors}
	if f.after, err = f.before.Verify(ctx, c.options.Parsers, hull, content); err != nil {
		return brokenCode(ctx, err)
	}
	f.edits, f.unchecked, f.added = edits, f.after.Unchecked, f.after.Added
	if f.end == 0 || f.after.Language != source.Python {
		return nil // Verify has checked all
	}
	return f.checkGrammar(ctx, c, content, correctOrAllow)
}

// encodingError returns the error for a text with characters that the encoding of a file lacks.
func encodingError(err error, path string) error {
	return problem(codeNotSource, "Remove the characters that the encoding of the file lacks. Nothing was changed.", "%s cannot hold the text: %v", quote(path), err)
}

// replaceAll is apply with another content of the file, whose declarations the caller has checked.
func (f *fileChange) replaceAll(ctx context.Context, c *Chunks, after *symbols.File) (err error) {
	if f.raw, err = f.text.Update(after.Text); err != nil {
		return err
	}
	f.after, f.added = after, after.Added
	f.edits = []textfile.Edit{{Start: 0, End: len(f.text.Content), New: after.Text}}
	return f.checkGrammar(ctx, c, after.Text, correctOrAllow)
}

// fit returns the edit of package symbols with the line ends of the file.
func (f *fileChange) fit(edit symbols.Edit) textfile.Edit {
	return textfile.Edit{Start: edit.Start, End: edit.End, New: f.text.Fit(edit.Start, edit.End, edit.New, textfile.Keep)}
}

// checkGrammar refuses a content with a syntax error that the file did not have before, unless the caller allows errors. next is the
// advice of the refusal.
func (f *fileChange) checkGrammar(ctx context.Context, c *Chunks, content, next string) error {
	change := syntaxdiff.Change{After: []byte(content), Start: f.start, End: f.end}
	if f.text != nil {
		change.Before = []byte(f.text.Content)
	}
	compared, err := syntaxdiff.Compare(ctx, c.options.Parsers, f.after.Language, change)
	if err != nil {
		return err
	}
	f.unchecked = compared.Unchecked
	if f.allowErrors {
		if len(compared.Added) > 0 {
			f.added = compared.Added
		}
		return nil
	}
	return newErrors(compared, f.after.Language, next)
}

// brokenCode returns the error for a change after which a file does not parse.
func brokenCode(ctx context.Context, err error) error {
	broken, ok := errors.AsType[*symbols.BrokenError](err)
	switch {
	case !ok && ctx.Err() != nil:
		return context.Cause(ctx)
	case !ok:
		return err
	case broken.Lost != "":
		return problem(codeDoesNotParse, "Check that the new code closes its brackets, quotes and comments, and no others. Nothing was changed.", "with the change the declaration %s is lost or belongs to something else", quote(broken.Lost))
	}
	return problem(codeDoesNotParse, "Check the brackets, quotes and separators of the new code, or set allowErrors. Nothing was changed.", "with the change the file no longer parses: %s", truncate.Cut(broken.Error(), 300))
}

// sharedLine returns the error for an edit that package symbols refuses.
func sharedLine(err error, id string, line int32) error {
	switch {
	case errors.Is(err, symbols.ErrSharedLine):
		return invalid("Use edit_chunk on the declaration around it. Nothing was changed.", "%s shares line %d with other code", quote(id), line)
	case errors.Is(err, symbols.ErrNoBody):
		return invalid("Use position before or after. Nothing was changed.", "%s has no body for members", quote(id))
	}
	return err
}

// maxChangeAttempts is the most attempts if another program changes a file at the same time, and maxChangePause the longest pause
// after the first of them. It grows with each attempt.
const (
	maxChangeAttempts = 10
	maxChangePause    = 10 * time.Millisecond
)

// change calls compute, which returns the changes of files and the result without its files, and writes the changes: all or none.
// It calls compute again if another program has changed a file since.
func (c *Chunks) change(ctx context.Context, dryRun bool, compute func() ([]*fileChange, ChangeResult, error)) (ChangeResult, error) {
	for attempt := 1; ; attempt++ {
		files, r, err := compute()
		if err == nil {
			err = c.write(ctx, dryRun, files)
		}
		if security.CodeOf(err) == security.StaleFile && attempt < maxChangeAttempts && wait.Sleep(ctx, rand.N(time.Duration(attempt)*maxChangePause)) == nil {
			continue
		}
		if err != nil {
			return ChangeResult{}, err
		}
		r.DryRun = dryRun
		c.describeFiles(ctx, &r, files)
		return r, nil
	}
}

// write writes changes, or checks in a dry run whether a rule refuses them.
func (c *Chunks) write(ctx context.Context, dryRun bool, files []*fileChange) error {
	var steps []security.Step
	for _, f := range files {
		switch {
		case f.text != nil && len(f.edits) == 0:
			continue
		case dryRun:
			if err := c.root.CheckWrite(ctx, f.path); err != nil {
				return err
			}
			continue
		case f.text == nil:
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: f.path, Content: f.raw})
			continue
		}
		step := security.Step{Kind: security.WriteStep, Path: f.path, Content: f.raw, ExpectedSHA256: f.digest}
		if info, err := c.root.Stat(ctx, f.path); err == nil && info.Unsaved != "" {
			step.Unsaved, step.Act = true, func(ctx context.Context) (func(context.Context) error, error) { return c.writeUnsaved(ctx, f) }
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil
	}
	return c.root.Batch(ctx, toolName(ctx), steps...)
}

// writeUnsaved changes the unsaved text of a file in its editor, and returns the undo function.
func (c *Chunks) writeUnsaved(ctx context.Context, f *fileChange) (undo func(context.Context) error, err error) {
	done, err := c.root.Write(ctx, f.path, f.raw, security.WriteOptions{Overwrite: true, ExpectedSHA256: f.digest})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := c.root.Write(ctx, f.path, f.text.Bytes(), security.WriteOptions{Overwrite: true, ExpectedSHA256: done.SHA256})
		return err
	}, nil
}

// toolName returns the name of the called tool, for the journal.
func toolName(ctx context.Context) string {
	if call := mcp.CallFrom(ctx); call != nil {
		return call.Tool
	}
	return "change"
}

// describeFiles adds the changed files and the diff to a result, and updates the index.
func (c *Chunks) describeFiles(ctx context.Context, r *ChangeResult, files []*fileChange) {
	written := slices.DeleteFunc(slices.Clone(files), func(f *fileChange) bool { return f.text != nil && len(f.edits) == 0 })
	r.Files = make([]ChangedFile, 0, len(written))
	var diff strings.Builder
	var unchecked []string
	left := 0 // files without a diff
	for _, f := range written {
		changed := ChangedFile{FilePath: f.path, SHA256: hexDigest(f.raw), NewErrors: parseErrors(f.added)}
		if !r.DryRun {
			changed.SHA256 = c.record(ctx, r, f)
		}
		r.Files = append(r.Files, changed)
		if diff.Len() < mostDiff {
			diff.WriteString(f.diff(mostDiff - diff.Len()))
		} else {
			left++
		}
		switch {
		case f.unchecked == "" || len(unchecked) == maxCandidates:
		case len(written) == 1:
			unchecked = append(unchecked, f.unchecked)
		default:
			unchecked = append(unchecked, f.path+": "+f.unchecked)
		}
	}
	r.Unchecked = strings.Join(unchecked, "; ")
	if left > 0 {
		diff.WriteString("… and the changes of " + plural.Count(left, "more file") + "\n")
	}
	r.Diff = diff.String()
}

// record updates the index for a written file and records that the caller knows the chunks of the result in it. It returns the
// digest of the file, which an editor can have formatted.
func (c *Chunks) record(ctx context.Context, r *ChangeResult, f *fileChange) string {
	if _, err := c.index.Update(ctx, f.path); err != nil {
		c.log.Warn("the index does not have a change", "file", f.path, "error", err)
	}
	now, err := c.open(ctx, f.path, "")
	if err != nil {
		return hexDigest(f.raw)
	}
	for _, e := range r.Chunks {
		if i, ok := now.Named(strings.TrimPrefix(e.ID, f.path+"#")); ok && strings.HasPrefix(e.ID, f.path+"#") {
			c.ledger.Record(ctx, e.ID, digestOf(chunk{now, i}))
		}
	}
	return now.digest()
}

// diff returns the changed lines of a file, up to budget bytes.
func (f *fileChange) diff(budget int) string {
	o := textdiff.Options{Context: -1, MaxBytes: budget}
	if f.text == nil {
		return textdiff.Unified("/dev/null", f.path, "", f.after.Text, o)
	}
	edits := make([]textdiff.Edit, len(f.edits))
	for i, e := range f.edits {
		edits[i] = textdiff.Edit(e)
	}
	return textdiff.Edits(f.path, f.path, f.text.Content, edits, o)
}

// entriesIn returns the outermost chunks that begin in a range of the content after the change.
func (f *fileChange) entriesIn(start, end int) []Entry {
	var entries []Entry
	last := 0
	for i := range f.after.Len() {
		if s := f.after.Symbol(i); int(s.Decl) >= start && int(s.Decl) < end && int(s.Decl) >= last {
			entries = append(entries, f.entry(i))
			last = int(s.End)
		}
	}
	return entries
}

// entry describes a chunk after the change.
func (f *fileChange) entry(i int) Entry {
	s := f.after.Symbol(i)
	return Entry{ID: f.after.ID(i), Signature: s.Signature, Kind: s.Kind.String(), Container: s.Container, Line: s.StartLine, EndLine: s.EndLine, file: f.path}
}

// TextContent returns a line on the change and its chunks. The diff follows after a dry run, and if the change is not exactly the one
// that the caller has written.
func (r ChangeResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[")
	switch {
	case len(r.Files) == 0:
		b.WriteString("unchanged")
	case r.DryRun:
		b.WriteString("dry run, nothing was written: " + r.did)
	default:
		b.WriteString(r.did)
	}
	if r.deleted != "" {
		b.WriteString(" " + truncate.Cut(r.deleted, maxShown))
	}
	for i, e := range r.Chunks {
		if i == maxCandidates {
			b.WriteString(", and " + number(len(r.Chunks)-i) + " more")
			break
		}
		if r.same {
			b.WriteString(", now lines " + number(e.Line) + "-" + number(e.EndLine))
			break
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + e.ID + ", lines " + number(e.Line) + "-" + number(e.EndLine))
	}
	for i, f := range r.Files {
		if !r.tagged && len(r.Files) == 1 {
			break
		}
		if i == maxCandidates {
			b.WriteString("; and " + plural.Count(len(r.Files)-i, "more file"))
			break
		}
		b.WriteString("; ")
		switch {
		case len(r.Files) == 1:
			b.WriteString("sha256 " + security.ShortSHA256(f.SHA256))
		case r.tagged:
			b.WriteString(f.FilePath + " sha256 " + security.ShortSHA256(f.SHA256))
		default:
			b.WriteString(f.FilePath)
		}
	}
	b.WriteString("]")
	if r.Diff != "" && (r.DryRun || r.showDiff) {
		b.WriteString("\n" + strings.TrimSuffix(r.Diff, "\n"))
	}
	return b.String()
}

// TextNote describes new syntax errors, the part that was not checked, and further effects.
func (r ChangeResult) TextNote() string {
	var notes []string
	for _, f := range r.Files {
		path := ""
		if len(r.Files) > 1 {
			path = f.FilePath + " "
		}
		notes = append(notes, newErrorNotes(path, f.NewErrors)...)
	}
	if r.Unchecked != "" {
		notes = append(notes, "[not checked: "+r.Unchecked+"]")
	}
	for _, note := range r.Notes {
		notes = append(notes, "["+note+"]")
	}
	return strings.Join(notes, "\n")
}

// checkCurrent refuses a chunk that is not the one that the caller expects: by the digest of the file or of the chunk, or, without
// one, as the caller has read it if useLedger is set.
func (c *Chunks) checkCurrent(ctx context.Context, found chunk, expected string, useLedger bool) error {
	is := digestOf(found)
	if expected != "" {
		ofChunk, err := security.CheckSHA256(is, expected)
		if err != nil {
			return err
		}
		if ofFile, _ := security.CheckSHA256(found.digest(), expected); !ofChunk && !ofFile {
			return problem(codeStaleChunk, "Read the chunk again with get_chunk and apply your change to the current code.", "%s has changed since: the file has the sha256 %s", quote(found.id()), found.digest())
		}
		return nil
	}
	if seen, _ := c.ledger.Seen(ctx, found.id()); useLedger && seen != "" && seen != is {
		return problem(codeStaleChunk, "Read it again with get_chunk and apply your change to the current code.", "%s has changed since you read it", quote(found.id()))
	}
	return nil
}

// target returns the chunk that a change names, and the change of its file.
func (c *Chunks) target(ctx context.Context, id, expected string, useLedger bool) (f *fileChange, found chunk, n int, err error) {
	if found, err = c.chosen(ctx, ReplaceArgs{ChunkID: id}); err != nil {
		return nil, chunk{}, 0, err
	}
	if err = c.checkCurrent(ctx, found, expected, useLedger); err != nil {
		return nil, chunk{}, 0, err
	}
	if f, err = c.newChange(ctx, found.parsedFile); err == nil {
		n, err = f.find(found.id())
	}
	return f, found, n, err
}

// sameConditionals reports whether two texts leave the same preprocessor conditionals open.
func sameConditionals(was, is string, lang source.Language) bool {
	return strings.Join(source.OpenConditionals([]byte(was), lang), "\n") == strings.Join(source.OpenConditionals([]byte(is), lang), "\n")
}
