package chunking

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// ReplaceArgs are the arguments of replace_function_chunk.
type ReplaceArgs struct {
	// ChunkID is an ID. Alternatively, FilePath and FunctionSignature select the chunk as
	// in get_function_chunk.
	ChunkID           string `json:"chunkId,omitempty"`
	FilePath          string `json:"filePath,omitempty" jsonschema:"description=With functionSignature\\, instead of chunkId"`
	FunctionSignature string `json:"functionSignature,omitempty"`
	Language          string `json:"language,omitempty"`
	// NewCode replaces the text that get_chunk returns. Its indentation and line ends are
	// adapted to the file. If it does not begin with a comment, the documentation is kept.
	NewCode string `json:"newCode" jsonschema:"minLength=1,description=The whole function. Indentation is adapted"`
	// ExpectedSHA256 is the expected digest of the file or of the chunk itself. Without it,
	// the chunk must be unchanged since the caller has read it, if the caller has read it
	// at all.
	ExpectedSHA256 string `json:"expectedSha256,omitempty" jsonschema:"description=Of the file\\, from get_chunk"`
	// AllowErrors writes code with syntax errors. Code that hides another declaration is still refused.
	AllowErrors bool `json:"allowErrors,omitempty" jsonschema:"default=false"`
	// DryRun returns the diff without a change of the file.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// ReplaceResult is the result of the tool replace_function_chunk.
type ReplaceResult struct {
	Entry
	FilePath string `json:"filePath"`
	// Diff is the change, or with DryRun the possible change.
	Diff string `json:"diff"`
	// SHA256 is the digest of the file after the change.
	SHA256 string `json:"sha256"`
	DryRun bool   `json:"dryRun,omitempty"`
	// ParseErrors are syntax errors of the file that existed before the change.
	ParseErrors []ParseError `json:"parseErrors,omitempty"`
	// NewErrors are the syntax errors of the new code. It is empty without ReplaceArgs.AllowErrors.
	NewErrors []ParseError `json:"newErrors,omitempty"`
	// CheckedBy is the parser that read the new code; empty if no parser read all of it.
	CheckedBy string `json:"checkedBy,omitempty"`
	// Unchecked names the part that was not checked for syntax errors, and the reason; empty if all was checked.
	Unchecked string `json:"unchecked,omitempty"`

	same   bool // the chunk has the ID that it had, which the text leaves out
	tagged bool // the caller has given a digest; the text then has the new one
}

// mostDiff limits the diff in a result, in bytes.
const mostDiff = 8 << 10

// Replace implements the tool replace_function_chunk.
func (c *Chunks) Replace(ctx context.Context, args ReplaceArgs) (ReplaceResult, error) {
	if strings.TrimSpace(args.NewCode) == "" {
		return ReplaceResult{}, invalid("Give the whole new function; to remove one, edit the file.", "newCode is empty")
	}
	found, err := c.chosen(ctx, args)
	if err != nil {
		return ReplaceResult{}, err
	}
	r := &replacing{chunks: c, args: args, id: found.id(), lang: found.Language}
	o := security.UpdateOptions{MaxSize: source.MaxSource, DryRun: args.DryRun}
	done, err := c.root.Update(ctx, found.Path, o, func(old []byte, info security.FileInfo) ([]byte, error) {
		return r.change(ctx, info.Path, old)
	})
	if err != nil {
		return ReplaceResult{}, err
	}
	now := chunk{newParsedFile(index.Describe(done.Path, r.content, r.now), r.now, r.text), r.n}
	if !args.DryRun {
		c.ledger.Record(ctx, now.id(), digestOf(now))
		if _, _, err := c.index.ReadFile(ctx, done.Path, found.Language); err != nil {
			c.log.Warn("the index does not have a change", "file", done.Path, "error", err)
		}
	}
	return ReplaceResult{
		Entry: now.entry(now.n, 0), FilePath: done.Path, SHA256: now.digest(), DryRun: args.DryRun, ParseErrors: parseErrors(r.now.Problems),
		NewErrors: parseErrors(r.newErrors), CheckedBy: r.checkedBy, Unchecked: r.unchecked,
		same: now.id() == found.id(), tagged: args.ExpectedSHA256 != "",
		Diff: textdiff.Edits(done.Path, done.Path, r.was.Content, []textdiff.Edit{textdiff.Edit(r.edit)}, textdiff.Options{MaxBytes: mostDiff}),
	}, nil
}

// chosen returns the chunk that the arguments select.
func (c *Chunks) chosen(ctx context.Context, args ReplaceArgs) (chunk, error) {
	switch {
	case args.ChunkID != "" && args.FunctionSignature == "":
		found, others, err := c.lookup(ctx, args.ChunkID)
		if err != nil {
			return chunk{}, err
		}
		if len(others) > 0 { // a change needs a unique name
			ids := c.shortest(ctx, append([]string{found.id()}, others[:min(len(others), maxCandidates)]...))
			return chunk{}, problem(codeAmbiguousChunk, "Give one of these ids: "+strings.Join(ids, ", ")+".", "%s can be several chunks", quote(args.ChunkID))
		}
		return found, c.checkShort(ctx, strings.TrimSpace(args.ChunkID), found.id())
	case args.ChunkID == "" && args.FilePath != "" && args.FunctionSignature != "":
		s, err := c.open(ctx, args.FilePath, args.Language)
		if err != nil {
			return chunk{}, err
		}
		return s.find(args.FunctionSignature)
	}
	return chunk{}, invalid("Give the id of a chunk, or a file and the signature of its function.", "it is not clear which function is meant")
}

// replacing is the state of one call of replace_function_chunk.
type replacing struct {
	chunks *Chunks
	args   ReplaceArgs
	id     string
	lang   source.Language

	was     *textfile.Text
	edit    textfile.Edit
	content []byte // new content of the file
	text    []byte // its text, which now describes; see index.Text
	now     *source.File
	n       int // index of the chunk in it

	checkedBy, unchecked string // as in ReplaceResult
	newErrors            []source.Problem
}

// change returns the new content of the file. The caller holds the lock of the file.
func (r *replacing) change(ctx context.Context, path string, old []byte) ([]byte, error) {
	text := index.Text(old)
	before, err := r.chunks.options.Parsers.Parse(ctx, text, r.lang, source.Options{})
	if err != nil {
		return nil, notSource(path, r.chunks.options.Parsers.Languages(), err)
	}
	s := newParsedFile(index.Describe(path, old, before), before, text)
	found, err := s.find(r.id)
	if err != nil {
		return nil, err
	}
	if err := r.chunks.checkCurrent(ctx, found, r.args.ExpectedSHA256, true); err != nil {
		return nil, err
	}
	if doubt := before.CheckBounds(text, found.n); doubt != nil {
		return nil, problem(codeDoesNotParse, "Correct that line with a tool that edits text by line or by exact match, then read the function again with get_chunk. Nothing was changed.",
			"it is not certain where %s ends, because of a syntax error in line %d: %s", quote(r.id), doubt.Line, doubt.Message)
	}
	if r.was, err = textfile.Decode(old, textfile.Auto); err != nil {
		return nil, problem(codeNotSource, "Change it with a tool for files that takes its encoding.", "%s is not text of a known encoding: %v", quote(path), err)
	}
	if err := r.place(found); err != nil {
		return nil, err
	}
	if r.content, err = r.was.Apply(r.edit); err != nil {
		return nil, err
	}
	r.text = index.Text(r.content)
	if bytes.Equal(r.content, old) {
		r.now, r.n = before, found.n
		return r.content, nil
	}
	if err := r.check(ctx, found); err != nil {
		return nil, err
	}
	return r.content, r.checkGrammar(ctx, found)
}

// place determines the range to replace and the new text.
func (r *replacing) place(found chunk) error {
	c := found.get()
	old := found.code()
	code := strings.Trim(r.args.NewCode, lineEnds)
	if around := found.context(found.n); around != "" {
		// The code begins with the context of get_function_chunk.
		if rest, ok := strings.CutPrefix(textfile.WithLF(code), textfile.WithLF(around)+"\n"); ok {
			code = rest
		}
	}
	if read := len(r.chunks.shown(old)); read < len(old) && isCut(textfile.WithLF(code), textfile.WithLF(strings.Trim(old, lineEnds)), textfile.WithLF(old[:read])) {
		return invalid("Read the rest of it with get_chunk and its cursor, and give all of it.", "newCode ends in the middle of the function as it is, where get_chunk has cut it")
	}
	start := c.Start
	if c.DocEnd > c.Doc && !r.chunks.beginsWithComment(code, r.lang) {
		start = c.Decl - int32(len(bytes.TrimLeft(found.src[c.DocEnd:c.Decl], " \t\r\n")))
	}
	same := textfile.WithLF(code) == textfile.WithLF(strings.Trim(old, lineEnds))
	if same {
		start = c.Start
	}
	_, mark := unmarked(found.src)
	start = max(start, int32(mark))
	from := int(start) - mark
	to := from + len(strings.TrimRight(found.text(start, c.End), lineEnds)) // a damaged chunk may end with its last line
	r.edit = textfile.Edit{Start: from, End: to, New: r.was.Content[from:to]}
	if !same {
		code = withoutSeparator(code, r.was.Content[to:])
		code = reindent(code, indentation(r.was.Content[:from]), old, r.chunks.options.Parsers.StringLines([]byte(textfile.WithLF(code)), r.lang))
		r.edit.New = r.was.Fit(from, to, code, textfile.Keep)
	}
	return nil
}

// withoutSeparator returns code without the comma or the semicolon at its end that the text after it begins with.
func withoutSeparator(code, after string) string {
	for _, separator := range []string{",", ";"} {
		if strings.HasPrefix(after, separator) {
			return strings.TrimSuffix(code, separator)
		}
	}
	return code
}

// isCut reports whether the new code is a beginning of the old code that contains at least
// its first part.
func isCut(code, old, first string) bool {
	return len(code) < len(old) && strings.HasPrefix(old, code) && len(code) >= len(strings.TrimRight(first, lineEnds))
}

// lineEnds are the characters at the start and the end of a text that are neither compared
// nor replaced.
const lineEnds = "\r\n"

// check refuses a change that breaks the file, and finds the chunk in the new content.
func (r *replacing) check(ctx context.Context, before chunk) error {
	now, err := r.chunks.options.Parsers.Parse(ctx, r.text, r.lang, source.Options{})
	if err != nil {
		return problem(codeDoesNotParse, "Check the brackets and quotes of newCode. Nothing was changed.", "with newCode the file cannot be parsed: %v", err)
	}
	if len(now.Problems) > 0 && len(before.Problems) == 0 && !r.args.AllowErrors {
		first := now.Problems[0]
		return problem(codeDoesNotParse, "Check the brackets and quotes of newCode. Nothing was changed.", "with newCode the file no longer parses: line %d: %s", first.Line, first.Message)
	}
	if moved := r.moved(before, now); moved != "" {
		return problem(codeDoesNotParse, "Check that newCode closes its brackets, quotes, comments and conditionals, and no others. Nothing was changed.", "with newCode the declaration %s is lost or belongs to something else", quote(moved))
	}
	if len(now.Problems) > len(before.Problems) && !r.args.AllowErrors {
		return problem(codeDoesNotParse, "Check the brackets and quotes of newCode. Nothing was changed.", "with newCode the file, which has a syntax error already, has more of them")
	}
	own := before.get()
	was := source.OpenConditionals(before.src[own.Start:own.End], r.lang)
	is := source.OpenConditionals(r.text[own.Start:int(own.End)+len(r.text)-len(before.src)], r.lang)
	if !slices.Equal(was, is) {
		return problem(codeDoesNotParse, "Give as many #endif as #if. Nothing was changed.", "newCode opens or closes a conditional that reaches beyond it")
	}
	r.now, r.n = now, -1
	at := before.get().Start
	for i := range now.Chunks {
		c := &now.Chunks[i]
		if c.Start <= at && c.End > at && (r.n < 0 || c.Start > now.Chunks[r.n].Start || c.Path() == before.get().Path()) {
			r.n = i
		}
	}
	if r.n < 0 {
		return problem(codeDoesNotParse, "Give the whole function, with its head. Nothing was changed.", "newCode declares nothing")
	}
	return nil
}

// moved returns a declaration outside the chunk that the new text does not declare at the
// same position and in the same container; "" if there is none. Another parser of the new
// text may report other ends of declarations.
func (r *replacing) moved(before chunk, now *source.File) string {
	own := before.get()
	shift := int32(len(r.text) - len(before.src))
	there := make(map[int32][]int32) // by Ident
	for i := range now.Chunks {
		there[now.Chunks[i].Ident] = append(there[now.Chunks[i].Ident], int32(i))
	}
	sameParser := before.Parser == now.Parser && len(before.Problems) == 0
	place := func(at int32) int32 {
		if at >= own.End {
			return at + shift
		}
		return at
	}
	parents := make(map[int32]int32, len(before.chunks)) // from chunks before to chunks now
	parents[-1] = -1
	for i := range before.chunks {
		was := &before.chunks[i]
		if own.Start <= was.Start && was.End <= own.End {
			continue
		}
		partly := was.Start < own.End && own.Start < was.End && (own.Start < was.Start || was.End < own.End)
		found := false
		for _, n := range there[place(was.Ident)] {
			is := &now.Chunks[n]
			parent, known := parents[was.Parent]
			switch {
			case is.Name != was.Name || is.Container != was.Container || known && is.Parent != parent:
				continue
			case sameParser && !partly && (is.Kind != was.Kind || is.Labels != was.Labels || is.Start != place(was.Start) || is.End != place(was.End)):
				continue
			}
			parents[int32(i)], found = n, true
			break
		}
		if !found && (sameParser || was.Kind.IsCallable() || was.Kind.IsType()) {
			return was.Path()
		}
	}
	return ""
}

func digestOf(c chunk) string { return hexDigest(c.src[c.get().Start:c.get().End]) }

func hexDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// TextContent returns a line that describes the change, and the diff of a dry run: the caller has written the code of a real one.
func (r ReplaceResult) TextContent() string {
	did, diff := "replaced", ""
	if r.DryRun {
		did, diff = "would replace", "\n"+r.Diff
	}
	if !r.same {
		did += " " + r.ID
	}
	tag := ""
	if r.tagged {
		tag = ", sha256 " + security.ShortSHA256(r.SHA256)
	}
	return "[" + did + ", now lines " + number(r.Line) + "-" + number(r.EndLine) + tag + "]" + diff
}

// TextNote describes the new syntax errors, the parts that were not checked, and the syntax errors that existed before.
func (r ReplaceResult) TextNote() string {
	notes := newErrorNotes("", r.NewErrors)
	if r.Unchecked != "" {
		notes = append(notes, "[not checked: "+r.Unchecked+"]")
	}
	return strings.Join(append(notes, problemNotes(r.ParseErrors)...), "\n")
}
