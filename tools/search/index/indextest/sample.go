package indextest

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dougu-go/dougu/tools/search/index"
)

// epoch is the modification time of the test files.
var epoch = time.Date(2026, 2, 13, 12, 0, 0, 123456789, time.UTC)

// piece describes a piece of a test file, with its part of the text.
type piece struct {
	kind, name, container, signature, doc, body string
	prints                                      []uint32
}

// file returns a file whose text is the concatenated texts of the pieces.
func file(path, language string, pieces ...piece) index.File {
	var text strings.Builder
	f := index.File{Path: path, ModTime: epoch, Language: language, Version: "v1", Verbatim: true}
	for _, p := range pieces {
		start, line := int32(text.Len()), int32(1+strings.Count(text.String(), "\n"))
		text.WriteString(p.doc)
		doc := index.Span{}
		if p.doc != "" {
			doc = index.Span{Start: start, End: int32(text.Len())}
			text.WriteString("\n")
		}
		text.WriteString(p.body)
		all := index.Span{Start: start, End: int32(text.Len())}
		text.WriteString("\n")
		if p.kind == "" {
			p.kind = "function"
		}
		f.Pieces = append(f.Pieces, index.Piece{
			Kind: p.kind, Name: p.name, Container: p.container, Signature: p.signature, Range: all, Own: []index.Span{all}, Doc: doc,
			StartLine: line, EndLine: line + int32(strings.Count(text.String()[all.Start:all.End], "\n")), Prints: p.prints,
		})
	}
	f.Text = []byte(text.String())
	f.Hash, f.Size = sha256.Sum256(f.Text), int64(text.Len())
	return f
}

// known returns the stored data of a file.
func known(f index.File) index.Known {
	return index.Known{Path: f.Path, Hash: f.Hash, Size: f.Size, ModTime: f.ModTime, Language: f.Language, Version: f.Version, Pieces: len(f.Pieces)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares values; times in different zones and empty lists are equal.
func same(t *testing.T, label string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", label, diff)
	}
}

func begin(t *testing.T, ix index.Index, o index.WriteOptions) index.Writer {
	t.Helper()
	w, err := ix.Begin(t.Context(), o)
	must(t, err)
	return w
}

// commit stores files in one transaction.
func commit(t *testing.T, ix index.Index, files ...index.File) {
	t.Helper()
	w := begin(t, ix, index.WriteOptions{})
	for _, f := range files {
		must(t, w.Put(t.Context(), f))
	}
	must(t, w.Commit(t.Context()))
}

// all returns the files of an index.
func all(t *testing.T, ix index.Index) []index.Known {
	t.Helper()
	var list []index.Known
	for k, err := range ix.Files(t.Context()) {
		must(t, err)
		list = append(list, k)
	}
	return list
}

func paths(list []index.Known) []string {
	var names []string
	for _, k := range list {
		names = append(names, k.Path)
	}
	return names
}

// query returns a query with one term per word; "a|b" are alternatives, "+a" is required.
func query(words string) index.Query {
	var q index.Query
	for _, word := range strings.Fields(words) {
		rest, required := strings.CutPrefix(word, "+")
		q.Terms = append(q.Terms, index.Term{Words: strings.Split(rest, "|"), Required: required})
	}
	return q
}

func search(t *testing.T, ix index.Index, q index.Query) index.Found {
	t.Helper()
	found, err := ix.Search(t.Context(), q)
	must(t, err)
	if found.Total < len(found.Candidates) {
		t.Errorf("%d pieces were found, of %d", len(found.Candidates), found.Total)
	}
	return found
}

// names returns the results in order, as path:name.
func names(found index.Found) []string {
	var list []string
	for _, c := range found.Candidates {
		list = append(list, c.File.Path+":"+c.Piece.Name)
	}
	return list
}

// without returns a piece as an index returns it.
func without(p index.Piece) index.Piece {
	p.Prints = nil
	return p
}
