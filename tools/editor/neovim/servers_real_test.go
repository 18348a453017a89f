//go:build unix

package neovim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// serve attaches the language server of this test program to the current buffer.
func (w *workbench) serve(encoding string) {
	w.t.Helper()
	program, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	client := lua[int](w, `local program, variable, encoding, dir = ...
		local client = vim.lsp.start_client({
			name = 'speller', cmd = { program }, cmd_env = { [variable] = encoding }, root_dir = dir, offset_encoding = encoding,
		})
		vim.lsp.buf_attach_client(0, client)
		return client`, program, serverVariable, encoding, w.dir)
	w.until("the language server is there", func() bool {
		return lua[bool](w, `local c = vim.lsp.get_client_by_id(...) return c ~= nil and c.initialized == true`, client)
	})
	w.stops(client)
}

// stops ends a language server at the end of the test.
func (w *workbench) stops(client int) {
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), long)
		defer cancel()
		_ = w.conn.Call(ctx, "nvim_exec_lua", []any{`vim.lsp.stop_client(...)
			vim.wait(5000, function() return vim.tbl_isempty(vim.lsp.get_active_clients()) end)`, []any{client}}, nil)
	})
}

const text = "😀 wrng a \n\tthing\nwrng 😀\n"

// speller is a workbench with a language server on text.txt.
func speller(t *testing.T, encoding string) *workbench {
	w := start(t, map[string]string{"text.txt": text, "other.txt": otherText, "plain.txt": "wrng\n"})
	w.vim("edit plain.txt | edit text.txt")
	w.serve(encoding)
	return w
}

func (w *workbench) diagnose(names ...string) adapter.Diagnostics {
	w.t.Helper()
	var paths []string
	for _, name := range names {
		paths = append(paths, w.path(name))
	}
	found, err := w.Diagnose(w.ctx, paths)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *workbench) list(all []adapter.Diagnostic) string {
	var lines []string
	for _, d := range all {
		lines = append(lines, fmt.Sprintf("%s:%s-%s %s: %s [%s %s]", filepath.Base(d.Path), show(d.Range.Start), show(d.Range.End), d.Severity, d.Message, d.Source, d.Code))
	}
	return strings.Join(lines, "\n")
}

var encodings = []string{"utf-16", "utf-8", "utf-32"}

func TestDiagnose_Encodings(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			w := speller(t, encoding)
			doc := w.opened("text.txt")
			if _, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(3, 5, 3, 5), NewText: " wrng"}}, false); err != nil {
				t.Fatal(err)
			}
			found := w.diagnose("text.txt", "plain.txt", "none.txt")
			want := "text.txt:1:4-1:8 warning: wrng is wrong [speller 42]\ntext.txt:3:1-3:5 warning: wrng is wrong [speller 42]\ntext.txt:3:6-3:10 warning: wrng is wrong [speller 42]"
			if got := w.list(found.Items); got != want || !found.Fresh || !slices.Equal(found.Covered, []string{w.path("text.txt")}) {
				t.Errorf("got %s\n%+v", got, found)
			}
		})
	}
}

func TestDiagnose_AllBuffers(t *testing.T) {
	w := speller(t, "utf-8")
	w.FilesChanged([]string{w.path("other.txt")})
	want := "other.txt:1:4-1:8 info: changed [ ]\ntext.txt:1:4-1:8 warning: wrng is wrong [speller 42]\ntext.txt:3:1-3:5 warning: wrng is wrong [speller 42]"
	got := ""
	w.until(want, func() bool {
		found := w.diagnose()
		if found.Fresh || found.Covered != nil || len(found.Notes) != 1 {
			t.Errorf("got %+v", found)
		}
		slices.SortFunc(found.Items, func(a, b adapter.Diagnostic) int { return strings.Compare(a.Path, b.Path) })
		got = w.list(found.Items)
		return strings.HasPrefix(got, "other")
	})
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestDiagnose_NotFresh(t *testing.T) {
	w := speller(t, "utf-16")
	w.diagnose("text.txt")
	lua[any](w, `vim.lsp.handlers['textDocument/publishDiagnostics'] = function() end`) // the server falls silent
	w.vim("normal! Gox")
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	found, err := w.Diagnose(ctx, []string{w.path("text.txt")})
	if err != nil || found.Fresh || len(found.Items) != 2 {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestRequests_NoLanguageServer(t *testing.T) {
	w := speller(t, "utf-16")
	doc := w.opened("plain.txt")
	_, e1 := w.Diagnose(w.ctx, []string{doc.Path})
	_, e2 := w.Fixes(w.ctx, doc, adapter.Diagnostic{Path: doc.Path, Range: between(1, 1, 1, 2)})
	_, e3 := w.Format(w.ctx, doc, nil)
	_, e4 := w.Definition(w.ctx, doc, at(1, 1))
	_, e5 := w.Format(w.ctx, w.opened("text.txt"), new(between(1, 1, 1, 2))) // its server lays out whole documents
	for i, err := range []error{e1, e2, e3, e4, e5} {
		if !errors.Is(err, adapter.ErrUnsupported) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestNavigator_Encodings(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			w := speller(t, encoding)
			doc := w.opened("text.txt")
			locations := func(all []adapter.Location, err error) string {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				text := ""
				for _, l := range all {
					text += fmt.Sprintf(" %s:%s-%s", filepath.Base(l.Path), show(l.Range.Start), show(l.Range.End))
				}
				return text
			}
			if got := locations(w.Definition(w.ctx, doc, at(1, 5))); got != " text.txt:1:4-1:8" {
				t.Errorf("definition:%s", got)
			}
			if got := locations(w.References(w.ctx, doc, at(1, 5))); got != " text.txt:1:4-1:8 text.txt:3:1-3:5 other.txt:1:4-1:8" {
				t.Errorf("references:%s", got)
			}
			edits, err := w.Rename(w.ctx, doc, at(3, 2), "wrong")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, e := range edits {
				if got[filepath.Base(e.Path)], err = adapter.Apply(w.disk(filepath.Base(e.Path)), e.Edits); err != nil {
					t.Error(err)
				}
				if e.Path == doc.Path && e.Version != doc.Version {
					t.Errorf("version %d, want %d", e.Version, doc.Version)
				}
			}
			if got["text.txt"] != strings.ReplaceAll(text, "wrng", "wrong") || got["other.txt"] != "😀 wrong thing\n" {
				t.Errorf("rename: %q", got)
			}
			if _, err := w.Rename(w.ctx, doc, at(1, 1), "x"); err == nil || !strings.Contains(err.Error(), "nothing to rename") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	for _, encoding := range encodings {
		w := speller(t, encoding)
		doc := w.opened("text.txt")
		edits, err := w.Format(w.ctx, doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := adapter.Apply(doc.Text, edits); err != nil || got != "😀 wrng a\n\tthing\nwrng 😀\n" {
			t.Errorf("%q, %v", got, err)
		}
		w.vim("normal! Gox")
		if _, err := w.Format(w.ctx, doc, nil); !errors.Is(err, adapter.ErrStale) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFixes(t *testing.T) {
	for _, encoding := range encodings {
		w := speller(t, encoding)
		doc := w.opened("text.txt")
		found := w.diagnose("text.txt")
		fixes, err := w.Fixes(w.ctx, doc, found.Items[0])
		if err != nil || len(fixes) != 2 {
			t.Fatalf("%+v, %v", fixes, err)
		}
		// The title contains data that the server stored in the diagnostic.
		if f := fixes[0]; f.Title != "Write wrong (text.txt)" || f.Kind != "quickfix" || !f.Preferred || len(f.Edits) != 1 {
			t.Errorf("got %+v", f)
		}
		for i, want := range []string{strings.Replace(text, "wrng", "wrong", 1), "# resolved\n" + text} {
			edits, err := w.Resolve(w.ctx, fixes[i])
			if err != nil || len(edits) != 1 || edits[0].Version != doc.Version {
				t.Fatalf("%+v, %v", edits, err)
			}
			if got, err := adapter.Apply(doc.Text, edits[0].Edits); err != nil || got != want {
				t.Errorf("%q, %v", got, err)
			}
		}
		w.vim("normal! Gox")
		if _, err := w.Resolve(w.ctx, fixes[1]); !errors.Is(err, adapter.ErrStale) {
			t.Errorf("got %v", err)
		}
	}
}

func TestSymbols(t *testing.T) {
	w := speller(t, "utf-8")
	symbols, err := w.Symbols(w.ctx, w.opened("text.txt"))
	if err != nil || len(symbols) != 2 {
		t.Fatalf("%+v, %v", symbols, err)
	}
	if s := symbols[1]; s.Name != "inner" || s.Kind != "function" || s.Container != "outer" || s.Location.Path != w.path("text.txt") || s.Location.Range != between(1, 1, 4, 1) {
		t.Errorf("got %+v", s)
	}
	symbols, err = w.FindSymbols(w.ctx, "tea")
	if err != nil || len(symbols) != 1 {
		t.Fatalf("%+v, %v", symbols, err)
	}
	if s := symbols[0]; s.Name != "tea" || s.Kind != "variable" || s.Container != "shop" || s.Location.Path != w.path("text.txt") || s.Selection.Start != at(1, 1) {
		t.Errorf("got %+v", s)
	}
}
