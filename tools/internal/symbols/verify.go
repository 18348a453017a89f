package symbols

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/syntaxdiff"
	"github.com/dougu-go/dougu/tools/source"
)

// BrokenError reports an edit after which a text cannot be parsed, or after which another declaration is lost.
type BrokenError struct {
	// Line and Message are the first syntax error that the edit adds. Line is 0 if it is unknown.
	Line    int
	Message string
	// Lost is the ID of a declaration beside the edit that the new text does not have; "" if there is none.
	Lost string
	// Grammar says that a grammar has found the error, which can be older than the language and does not know macros.
	Grammar bool
}

// Error implements error.
func (e *BrokenError) Error() string {
	if e.Lost != "" {
		return e.Lost + " is lost or belongs to something else"
	}
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Verify parses the text after an edit and returns it. The error is a *BrokenError if the edit adds a syntax error, or if a
// declaration beside the edit is not where it was. With edit.AllowErrors, syntax errors are in File.Added of the result. The parser finds syntax errors of declarations, and the source.Checker of the
// language finds syntax errors in the bodies of functions. File.Unchecked of the result is the reason why bodies were not checked.
func (f *File) Verify(ctx context.Context, parsers *source.Parsers, edit Edit, text string) (*File, error) {
	now, err := Parse(ctx, parsers, f.Path, text)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &BrokenError{Message: err.Error()}
	}
	added := f.addedProblem(now)
	if added == nil || edit.AllowErrors {
		if err := f.verifyDeclarations(now, edit); err != nil {
			return nil, err
		}
		added = cmp.Or(added, now.statementAfter(edit))
	}
	switch {
	case added == nil:
	case edit.AllowErrors:
		now.Added = []source.Problem{*added}
	default:
		return nil, &BrokenError{Line: int(added.Line), Message: added.Message}
	}
	if err := f.checkSyntax(ctx, now, edit.AllowErrors); err != nil {
		return nil, err
	}
	return now, nil
}

// statementAfter returns a problem for the first statement of the new code after a function or a type of Python, which is not within
// a declaration: a line of its body has too little indentation. It returns nil if the edit allows such statements.
func (f *File) statementAfter(edit Edit) *source.Problem {
	if !edit.declares {
		return nil
	}
	declared := false
	for at, end := edit.Start, edit.Start+len(edit.New); at < end; {
		next := at
		for i := range f.Len() {
			if c := f.Symbol(i); (c.Kind.IsCallable() || c.Kind.IsType()) && int(c.Decl) >= edit.Start && int(c.Start) <= at && at < int(c.End) {
				next = max(next, int(c.End))
			}
		}
		switch line := f.lineAt(at); {
		case next > at:
			declared, at = true, next
		case indent.IsBlank(line) || isHashComment(line):
			at = f.nextLine(at)
		case line[0] == ' ' || line[0] == '\t' || line[0] == ';':
			at++
		case declared:
			return &source.Problem{Line: lineNumber(f.Text, at), Message: "this line is not in the declaration any more: indent it"}
		default:
			at = f.nextLine(at)
		}
	}
	return nil
}

// checkSyntax returns a *BrokenError if the edit adds a syntax error for the source.Checker of the language. With allow it sets
// now.Added instead.
func (f *File) checkSyntax(ctx context.Context, now *File, allow bool) error {
	compared, err := syntaxdiff.Compare(ctx, f.parsers, now.Language, syntaxdiff.Change{Before: []byte(f.Text), After: []byte(now.Text)})
	switch {
	case err != nil:
		return err
	case len(compared.Added) > 0 && allow:
		now.Added = compared.Added
	case len(compared.Added) > 0:
		p := compared.Added[0]
		return &BrokenError{Line: int(p.Line), Message: p.Message, Grammar: now.Language != source.Go}
	}
	now.Unchecked = compared.Unchecked
	return nil
}

// verifyDeclarations returns a *BrokenError if a declaration beside an edit is not where it was.
func (f *File) verifyDeclarations(now *File, edit Edit) error {
	shift := len(now.Text) - len(f.Text)
	there := make(map[int32]*source.Chunk, now.Len())
	for i := range now.Len() {
		there[now.Symbol(i).Ident] = now.Symbol(i)
	}
	sameParser := now.Parser() == f.Parser()
	for i := range f.Len() {
		was := f.Symbol(i)
		at := int(was.Ident)
		switch {
		case at >= edit.End:
			at += shift
		case at >= edit.Start:
			continue // it is replaced or deleted
		}
		is := there[int32(at)]
		if is == nil && !sameParser && !was.Kind.IsCallable() && !was.Kind.IsType() {
			continue // another parser of the new text can leave out values
		}
		if is == nil || is.Name != was.Name || is.Container != was.Container {
			return &BrokenError{Lost: f.ID(i)}
		}
	}
	return nil
}

// addedProblem returns the first syntax error that the text of now has and the text of f has not; nil if there is none.
//
// A parser can report an old error in another line after an edit, and another parser can report other errors. An error outside of the
// changed lines, or of another parser, is therefore new only if there are more errors than before.
func (f *File) addedProblem(now *File) *source.Problem {
	old, found := f.Problems(), now.Problems()
	added, changed := syntaxdiff.Added([]byte(f.Text), []byte(now.Text), old, found)
	for i, p := range added {
		if len(found) > len(old) || changed(p.Line) && now.Parser() == f.Parser() {
			return &added[i]
		}
	}
	return nil
}

// lineNumber returns the number of the line of an offset, from 1.
func lineNumber(text string, at int) int32 { return int32(1 + strings.Count(text[:at], "\n")) }

// Doubt returns the reason why a declaration can begin or end elsewhere than the parser reports; nil if there is none.
func (f *File) Doubt(i int) *source.Problem {
	return f.parsed.CheckBounds([]byte(f.Text), i)
}
