package syntaxdiff

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
)

// outside finds the first statement in the new text of a function that its indentation puts outside of it: code between or after the
// functions and classes of the new text.
func (c Change) outside(ctx context.Context, parsers *source.Parsers) []source.Problem {
	now, err := parsers.Parse(ctx, c.After, source.Python, source.Options{})
	if err != nil {
		return nil
	}
	from, to := c.Start, c.End+len(c.After)-len(c.Before)
	covered := from
	for i := range now.Chunks {
		k := &now.Chunks[i]
		if int(k.Start) < from || int(k.Start) >= to || !k.Kind.IsCallable() && !k.Kind.IsType() {
			continue
		}
		if at := codeIn(c.After, covered, int(k.Start)); at >= 0 {
			return left(c.After, at)
		}
		covered = max(covered, int(k.End))
	}
	if at := codeIn(c.After, covered, to); at >= 0 && covered > from {
		return left(c.After, at)
	}
	return nil
}

// codeIn returns the offset of the first line with code from an offset to another one; -1 if there are only comments.
func codeIn(src []byte, from, to int) int {
	for at := from; at < to; {
		end := at + bytes.IndexByte(src[at:], '\n') + 1
		if end <= at {
			end = len(src)
		}
		line := bytes.TrimLeft(src[at:min(end, to)], " \t\r\n;\\")
		if len(line) > 0 && line[0] != '#' {
			return at
		}
		at = end
	}
	return -1
}

// left returns the error of a line outside of its function.
func left(src []byte, at int) []source.Problem {
	return []source.Problem{{Line: lineOf(src, at), Message: "the indentation puts this statement outside of the function"}}
}
