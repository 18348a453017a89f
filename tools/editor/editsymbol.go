package editor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// SymbolTarget selects one declaration.
type SymbolTarget struct {
	// Symbol is a name path or an ID; see FindSymbolArgs. It must select one declaration.
	Symbol string `json:"symbol" jsonschema:"minLength=1,maxLength=1000,description=Name path\\, or an id"`
	// Path is the file or a directory of the declaration. Empty is the project.
	Path string `json:"path,omitempty"`
}

// InsertSymbolArgs are the arguments of insert_before_symbol and insert_after_symbol.
type InsertSymbolArgs struct {
	SymbolTarget
	// Content is one or more complete lines. Indentation, blank lines and line ends are adapted to the neighbours.
	Content string `json:"content" jsonschema:"minLength=1"`
}

// ReplaceSymbolArgs are the arguments of replace_symbol_body.
type ReplaceSymbolArgs struct {
	SymbolTarget
	// Body is the whole declaration with decorators and signature. The documentation comment stays unless Body begins with a
	// comment. Indentation and line ends are adapted.
	Body string `json:"body" jsonschema:"minLength=1,description=The whole declaration; indentation is adapted"`
}

// DeleteSymbolArgs are the arguments of delete_symbol.
type DeleteSymbolArgs struct {
	SymbolTarget
}

// EditSymbolResult is the result of a tool that changes code by name path.
type EditSymbolResult struct {
	Change
	// ID is the ID of the declaration that was named. It may have another name after replace_symbol_body.
	ID string `json:"id"`
	// Range are the lines of the new code; zero after a deletion.
	Range LineRange `json:"range,omitzero"`
	Feedback

	did   string
	notes []string // of the edit
}

// InsertBeforeSymbol inserts code before a declaration, its documentation comment and its decorators. It is the tool
// insert_before_symbol.
func (e *Editor) InsertBeforeSymbol(ctx context.Context, args InsertSymbolArgs) (EditSymbolResult, error) {
	return e.insertSymbol(ctx, args, "inserted before", (*symbols.File).InsertBefore)
}

// InsertAfterSymbol inserts code after a declaration. It is the tool insert_after_symbol.
func (e *Editor) InsertAfterSymbol(ctx context.Context, args InsertSymbolArgs) (EditSymbolResult, error) {
	return e.insertSymbol(ctx, args, "inserted after", (*symbols.File).InsertAfter)
}

func (e *Editor) insertSymbol(ctx context.Context, args InsertSymbolArgs, did string, insert func(f *symbols.File, i int, code string) (symbols.Edit, error)) (EditSymbolResult, error) {
	if strings.TrimSpace(args.Content) == "" {
		return EditSymbolResult{}, invalid("give the code to insert", "content is empty")
	}
	s, err := e.oneSymbol(ctx, args.Path, args.Symbol, false)
	if err != nil {
		return EditSymbolResult{}, err
	}
	return e.editSymbol(ctx, s, did, func(f *symbols.File, i int) (symbols.Edit, error) { return insert(f, i, args.Content) })
}

// ReplaceSymbolBody replaces a declaration without its documentation comment. It is the tool replace_symbol_body.
func (e *Editor) ReplaceSymbolBody(ctx context.Context, args ReplaceSymbolArgs) (EditSymbolResult, error) {
	if strings.TrimSpace(args.Body) == "" {
		return EditSymbolResult{}, invalid("give the whole declaration; delete_symbol deletes one", "body is empty")
	}
	s, err := e.oneSymbol(ctx, args.Path, args.Symbol, false)
	if err != nil {
		return EditSymbolResult{}, err
	}
	id := s.id()
	r, err := e.editSymbol(ctx, s, "replaced", func(f *symbols.File, i int) (symbols.Edit, error) {
		if seen, _ := e.bodies.Seen(ctx, id); seen != "" && seen != digest([]byte(f.BodyLines(i))) {
			return symbols.Edit{}, &security.Error{Code: security.StaleFile, AttemptedPath: f.Path, Message: quote(id) + " has changed since find_symbol returned its body.",
				Next: "Call find_symbol with body=true, and apply the change to the present code."}
		}
		return f.ReplaceBody(i, args.Body), nil
	})
	if err == nil {
		e.recordBody(ctx, s, id)
	}
	return r, err
}

// recordBody records the body of a declaration after its replacement: the caller knows it.
func (e *Editor) recordBody(ctx context.Context, s parsedSymbol, id string) {
	d, err := e.openDocument(ctx, s.doc.path)
	if err != nil {
		return
	}
	if f, err := e.parseDocument(ctx, d); err == nil {
		if found := f.Find(symbols.IDPattern(s.unique())); len(found) == 1 {
			e.bodies.Record(ctx, id, digest([]byte(f.BodyLines(found[0]))))
		}
	}
}

// editSymbol changes the file of a declaration. The declaration is found again in the content that is changed, and the edit is
// refused if the new text does not parse or loses another declaration.
func (e *Editor) editSymbol(ctx context.Context, s parsedSymbol, did string, compute func(f *symbols.File, i int) (symbols.Edit, error)) (EditSymbolResult, error) {
	id, unique := s.id(), s.unique()
	r := EditSymbolResult{ID: id, did: did}
	p, feedback, err := e.change(ctx, request{path: s.doc.path, edits: func(d *document, _ int) ([]textfile.Edit, error) {
		f, err := e.parseDocument(ctx, d)
		if err != nil {
			return nil, err
		}
		found := f.Find(symbols.IDPattern(unique))
		if len(found) != 1 {
			return nil, problem(codeSymbolNotFound, "Call find_symbol again.", "%s no longer declares %s", quote(d.path), quote(unique))
		}
		if doubt := f.Doubt(found[0]); doubt != nil {
			return nil, problem(codeDoesNotParse, "Correct that line first. Nothing was changed.", "it is not certain where %s begins and ends, because of a syntax error in line %d: %s", quote(id), doubt.Line, truncateText(doubt.Message))
		}
		edit, err := compute(f, found[0])
		if errors.Is(err, symbols.ErrSharedLine) {
			return nil, problem(codeBadRange, "Edit the line as text. Nothing was changed.", "%s shares line %d with other code", quote(id), f.Symbol(found[0]).Line)
		}
		if err != nil || edit.Start == edit.End && edit.New == "" {
			return nil, err
		}
		edit.New = fitLineEnds(d.text, edit.Start, edit.End, edit.New)
		text := d.text.Content[:edit.Start] + edit.New + d.text.Content[edit.End:]
		now, err := f.Verify(ctx, e.options.Parsers, edit, text)
		if err != nil {
			return nil, brokenCode(ctx, err, did)
		}
		r.notes = nil
		if edit.Note != "" {
			r.notes = append(r.notes, edit.Note)
		}
		if now.Unchecked != "" {
			r.notes = append(r.notes, "the syntax in functions was not checked: "+truncateText(now.Unchecked))
		}
		r.Range = newLines(text, edit)
		return []textfile.Edit{{Start: edit.Start, End: edit.End, New: edit.New}}, nil
	}})
	if err != nil {
		return EditSymbolResult{}, err
	}
	r.Change, r.Feedback = p.changeResult(maxDiff), feedback
	r.Notes = append(r.Notes, r.notes...)
	if r.Diff == "" {
		r.did = "unchanged:"
	}
	return r, nil
}

// didDelete is the word for a deletion in answers.
const didDelete = "deleted"

// brokenCode returns the error for an edit after which a file does not parse.
func brokenCode(ctx context.Context, err error, did string) error {
	broken, ok := errors.AsType[*symbols.BrokenError](err)
	if !ok {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return err
	}
	with, next := "with the new code", "Check the brackets, quotes and separators of the new code. Nothing was changed."
	if did == didDelete {
		with, next = "without it", "Edit the lines around it as text. Nothing was changed."
	}
	switch {
	case broken.Lost != "":
		return problem(codeDoesNotParse, next, "%s the declaration %s is lost or belongs to something else", with, quote(broken.Lost))
	case broken.Grammar:
		next += " If a compiler accepts it, the grammar is older than the language or does not know a macro: edit the lines as text."
	}
	return problem(codeDoesNotParse, next, "%s the file no longer parses: %s", with, truncateText(broken.Error()))
}

// newLines returns the lines of the new code without blank lines at both ends.
func newLines(text string, edit symbols.Edit) LineRange {
	code := strings.TrimLeft(edit.New, " \t\r\n")
	if code == "" {
		return LineRange{}
	}
	start := edit.Start + len(edit.New) - len(code)
	first := 1 + strings.Count(text[:start], "\n")
	return LineRange{first, first + strings.Count(strings.TrimRight(code, " \t\r\n"), "\n")}
}

// DeleteSymbol deletes a declaration to which nothing refers. It is the tool delete_symbol. References are those of a language
// server; without one, or if it has not indexed the project, each occurrence of the name is a reference.
func (e *Editor) DeleteSymbol(ctx context.Context, args DeleteSymbolArgs) (EditSymbolResult, error) {
	s, err := e.oneSymbol(ctx, args.Path, args.Symbol, false)
	if err != nil {
		return EditSymbolResult{}, err
	}
	uses, err := e.usesOfSymbol(ctx, s)
	if err != nil {
		return EditSymbolResult{}, err
	}
	if len(uses.lines) > 0 {
		at := plural.Count(uses.total, "place")
		if uses.more {
			at = "more than " + at
		}
		message := fmt.Sprintf("%s is used at %s: %s", quote(s.id()), at, strings.Join(uses.lines, "; "))
		if uses.more || uses.total > len(uses.lines) {
			message += "; …"
		}
		if uses.note != "" {
			message += " (" + uses.note + ")"
		}
		return EditSymbolResult{}, problem(codeSymbolInUse, "Change these places first, then call again. find_references shows all. Nothing was deleted.", "%s", message)
	}
	if uses.incomplete != "" {
		return EditSymbolResult{}, problem(codeNotIndexed, "Delete its lines as text if nothing uses it.", "nothing was deleted: it is not certain that nothing refers to %s: %s", quote(s.id()), uses.incomplete)
	}
	r, err := e.editSymbol(ctx, s, didDelete, func(f *symbols.File, i int) (symbols.Edit, error) {
		if f.Text != s.doc.text.Content {
			return symbols.Edit{}, stale(f.Path, digest([]byte(f.Text)), digest([]byte(s.doc.text.Content)))
		}
		return f.Delete(i)
	})
	if err == nil && uses.note != "" {
		r.Notes = append(r.Notes, uses.note)
	}
	return r, err
}

// TextContent returns the result as text for a model. The diff of new code is left out: the caller has written the code.
func (r EditSymbolResult) TextContent() string {
	did := r.did + " " + truncate.Cut(strings.TrimPrefix(r.ID, r.Path+"#"), maxLine)
	if r.Range.Start > 0 {
		did += fmt.Sprintf(", lines %d-%d", r.Range.Start, r.Range.End)
	}
	change := r.Change
	change.Diff = ""
	return change.text(did) + r.Feedback.text()
}
