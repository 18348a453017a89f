package symbols

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// BrokenError reports an edit after which a text cannot be parsed, or after which another declaration is lost.
type BrokenError struct {
	// Line and Message are the first syntax error that the edit adds. Line is 0 if it is unknown.
	Line    int
	Message string
	// Lost is the ID of a declaration beside the edit that the new text does not have; "" if there is none.
	Lost string
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
// declaration beside the edit is not where it was.
func (f *File) Verify(ctx context.Context, parsers *source.Parsers, edit Edit, text string) (*File, error) {
	now, err := Parse(ctx, parsers, f.Path, text)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &BrokenError{Message: err.Error()}
	}
	if p := f.addedProblem(now, edit); p != nil {
		return nil, &BrokenError{Line: int(p.Line), Message: p.Message}
	}
	shift := len(text) - len(f.Text)
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
			return nil, &BrokenError{Lost: f.ID(i)}
		}
	}
	return now, nil
}

// addedProblem returns the first syntax error that an edit adds; nil if there is none. now is the file after the edit.
//
// A parser can report an old error in another line after an edit. An error outside of the new code is therefore new only if there are
// more errors than before.
func (f *File) addedProblem(now *File, edit Edit) *source.Problem {
	first, last := lineNumber(f.Text, edit.Start), lineNumber(f.Text, edit.End)
	lastNew := first + int32(strings.Count(edit.New, "\n"))
	outside := make(map[int32]int) // numbers of old errors by their lines after the edit
	inside := make(map[string]int) // numbers of old errors in the edited lines, by their messages
	for _, p := range f.Problems() {
		switch {
		case p.Line < first:
			outside[p.Line]++
		case p.Line > last:
			outside[p.Line+lastNew-last]++
		default:
			inside[p.Message]++
		}
	}
	more := len(now.Problems()) > len(f.Problems())
	for i, p := range now.Problems() {
		isNew := first <= p.Line && p.Line <= lastNew
		switch {
		case isNew && inside[p.Message] > 0:
			inside[p.Message]--
		case outside[p.Line] > 0:
			outside[p.Line]--
		case more, isNew && now.Parser() == f.Parser():
			return &now.Problems()[i]
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
