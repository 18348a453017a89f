package document_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
)

// added is a parser of a language with functions of several lines, from "sub name" to "done".
type added struct{}

func (added) Name() string                 { return "added" }
func (added) Languages() []source.Language { return []source.Language{"added"} }
func (added) Definitions() []source.Definition {
	return []source.Definition{{Language: "added", Extensions: []string{".added"}, Syntax: source.Syntax{
		LineComments: []string{";;"}, BlockComments: []source.Delimiters{{Open: "(*", Close: "*)"}}, Strings: []source.Delimiters{{Open: "|", Close: "|", Raw: true}},
		Keywords: []string{"sub", "done", "frobnicate"},
	}}}
}

func (added) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("sub "))
		if i < 0 {
			return b.File("added"), nil
		}
		begin := at + i
		name, _, _ := bytes.Cut(src[begin+4:], []byte("\n"))
		at = begin + bytes.Index(src[begin:], []byte("done")) + 4
		b.Add(source.Chunk{Kind: source.Function, Name: string(name), Parent: -1, Decl: int32(begin), Ident: int32(begin + 4), End: int32(at)})
	}
}

const addedSource = `(* All the
subtle things. *)

;; Adds one.
;; It is fast.
sub inc
  x = x + 1 / 2 * y
  print x, |a string|
  frobnicate x
  return x + y
done ;; inc

// no comment
sub dec
done
`

func TestCut_AddedLanguage(t *testing.T) {
	f, err := document.Cut(t.Context(), "a.added", []byte(addedSource), document.Options{Parsers: source.NewParsers(added{})})
	if err != nil {
		t.Fatal(err)
	}
	checkFile(t, f)
	got := map[string]string{}
	for _, p := range f.Pieces {
		got[p.Kind+" "+p.Name] = string(f.Text[p.Doc.Start:p.Doc.End])
	}
	for piece, doc := range map[string]string{
		"file ": "(* All the\nsubtle things. *)", "function inc": ";; Adds one.\n;; It is fast.", "function dec": "",
	} {
		if comment, ok := got[piece]; !ok || comment != doc {
			t.Errorf("%s: documentation %q, want %q; pieces %q", piece, comment, doc, got)
		}
	}
}

// The fingerprints of similar code do not depend on names, comments and the texts of strings in the syntax of the language.
func TestWithPrints_AddedLanguage(t *testing.T) {
	prints := func(text string) []uint32 {
		f, err := document.Cut(t.Context(), "a.added", []byte(text), document.Options{Parsers: source.NewParsers(added{})})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Pieces {
			if p.Name == "inc" {
				return p.Prints
			}
		}
		t.Fatalf("no function in %q", text)
		return nil
	}
	const one = "sub inc\n x = x + 1 * y - z ;; adds\n print x, |a string|, x, y\n frobnicate x + 1 * x + 2\n return x\ndone"
	const same = "sub inc\n (* it's *) x = x + 1 * y - z\n print x, |a string|, x, y ;; prints (x)\n frobnicate x + 1 * x + 2\n return x\ndone"
	const other = "sub inc\n x = x + 1 * y - z\n print x, |a string|, x, y\n other x + 1 * x + 2\n return x\ndone"
	if a, b := prints(one), prints(same); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("comments change the fingerprints: %d and %d", a, b)
	}
	if slices.Equal(prints(one), prints(other)) {
		t.Error("a keyword counts as a name")
	}
	if got := similar.Prints([]byte(one), "added"); slices.Equal(got, prints(one)) {
		t.Error("without a definition the fingerprints are the same")
	}
}

// phpFunctions is a parser of PHP that finds functions with a body.
type phpFunctions struct{}

func (phpFunctions) Name() string                 { return "phpFunctions" }
func (phpFunctions) Languages() []source.Language { return []source.Language{source.PHP} }

func (phpFunctions) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("function "))
		if i < 0 {
			return b.File("phpFunctions"), nil
		}
		begin := at + i
		body := begin + bytes.IndexByte(src[begin:], '{')
		name, _, _ := bytes.Cut(src[begin+9:], []byte("("))
		at = begin + bytes.IndexByte(src[begin:], '}') + 1
		b.Add(source.Chunk{Kind: source.Function, Name: string(name), Parent: -1, Decl: int32(begin), Ident: int32(begin + 9), Body: int32(body), End: int32(at)})
	}
}

// A comment after a number sign belongs to the function before it in its line, with and without a blank; an attribute does not.
func TestCut_PHPComments(t *testing.T) {
	for trailer, want := range map[string]bool{" #done": true, " # done": true, " // done": true, " #[Done]": false} {
		text := "<?php\nfunction f($a) {\n    $b = $a + 1;\n    return $b;\n}" + trailer + "\n\nfunction g($a) {\n    $b = $a + 2;\n    return $b;\n}\n"
		f, err := document.Cut(t.Context(), "a.php", []byte(text), document.Options{Parsers: source.NewParsers(phpFunctions{})})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range f.Pieces {
			if p.Name == "f" {
				found = true
				if got := bytes.HasSuffix(f.Text[p.Range.Start:p.Range.End], []byte(trailer)); got != want {
					t.Errorf("%q: the piece is %q", trailer, f.Text[p.Range.Start:p.Range.End])
				}
			}
		}
		if !found {
			t.Fatalf("no function in %q", text)
		}
	}
}
