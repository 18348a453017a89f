package symbols

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/source"
)

// BrokenError reports an edit after which a text cannot be parsed, or after which another declaration is lost.
type BrokenError struct {
	// Line and Message are the first syntax error. Line is 0 if it is unknown.
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
	if len(now.Problems()) > len(f.Problems()) {
		p := now.Problems()[0]
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

// Doubt returns the reason why a declaration can begin or end elsewhere than the parser reports; nil if there is none.
func (f *File) Doubt(i int) *source.Problem {
	return f.parsed.CheckBounds([]byte(f.Text), i)
}
