package document_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// parsers returns parsers that start quickly.
func parsers() *source.Parsers { return source.NewParsers(outline.Parser{}, golang.Parser{}) }

// cut calls Cut and checks the invariants of the result.
func cut(t *testing.T, path, content string) index.File {
	t.Helper()
	f, err := document.Cut(context.Background(), path, []byte(content), document.Options{Parsers: parsers()})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	checkFile(t, f)
	return f
}

// checkFile checks the invariants of a File.
func checkFile(t *testing.T, f index.File) {
	t.Helper()
	var all []index.Span
	for _, p := range f.Pieces {
		checkPiece(t, f, p)
		all = append(all, p.Own...)
	}
	slices.SortFunc(all, func(a, b index.Span) int { return int(a.Start - b.Start) })
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End {
			t.Fatalf("%v and %v overlap", all[i-1], all[i])
		}
	}
}

func checkPiece(t *testing.T, f index.File, p index.Piece) {
	t.Helper()
	size := int32(len(f.Text))
	within := func(s, in index.Span) bool { return in.Start <= s.Start && s.Start < s.End && s.End <= in.End }
	if !within(p.Range, index.Span{End: size}) || len(p.Own) == 0 {
		t.Fatalf("%s %q: range %v of %d bytes, own %v", p.Kind, p.Name, p.Range, size, p.Own)
	}
	at, documented := p.Range.Start, p.Doc == index.Span{}
	for _, own := range p.Own {
		if !within(own, p.Range) || own.Start < at {
			t.Fatalf("%s %q: own %v in %v", p.Kind, p.Name, p.Own, p.Range)
		}
		at = own.End
		documented = documented || within(p.Doc, own)
	}
	if !documented {
		t.Fatalf("%s %q: doc %v, own %v", p.Kind, p.Name, p.Doc, p.Own)
	}
	for _, s := range []string{p.Signature, p.Name, p.Container} {
		if len(s) > 200 || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r") {
			t.Fatalf("%s: %q", p.Kind, s)
		}
	}
	first := int32(bytes.Count(f.Text[:p.Range.Start], []byte("\n")) + 1)
	last := first + int32(bytes.Count(f.Text[p.Range.Start:p.Range.End-1], []byte("\n")))
	if p.StartLine != first || p.EndLine != last || p.Kind == "" {
		t.Fatalf("%s %q: lines %d to %d, want %d to %d", p.Kind, p.Name, p.StartLine, p.EndLine, first, last)
	}
}

// table returns one line for each piece: kind, container, name.
func table(f index.File) string {
	var b strings.Builder
	for _, p := range f.Pieces {
		b.WriteString(p.Kind)
		if p.Container != "" {
			b.WriteString(" [" + p.Container + "]")
		}
		if p.Name != "" {
			b.WriteString(" " + p.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}
