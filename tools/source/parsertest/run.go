// Package parsertest tests implementations of source.Parser, and of the optional interfaces source.Checker and source.Definer.
//
// [Run] parses the samples of the test, and damaged, random and deeply nested texts that it makes of them. A parser passes if it
// finds the declarations of the samples, returns a File with the [Invariants] or an error for every other text, and neither panics
// nor changes its input.
package parsertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/source"
)

// Sample is a text for a parser.
type Sample struct {
	// Name is the name of the subtest. Default: the language.
	Name     string
	Language source.Language
	Source   string
	// Want are the paths of the declarations, in the order of the text: "Stack.push". Default: nil, which accepts all results.
	Want []string
	// Broken marks a text with a syntax error. The parser must report a problem or a *source.UnsureError. Other samples have
	// neither.
	Broken bool
}

// Run tests a parser. Each of its languages needs a sample that is not broken. Run does not close the parser.
func Run(t *testing.T, p source.Parser, samples []Sample) {
	t.Helper()
	r := &run{p: p, samples: slices.Clone(samples)}
	for i := range r.samples {
		if s := &r.samples[i]; s.Name == "" {
			s.Name = string(s.Language)
		}
	}
	t.Run("languages", r.languages)
	if _, ok := p.(source.Definer); ok {
		t.Run("definitions", r.definitions)
	}
	for _, sub := range []struct {
		name string
		test func(*testing.T, Sample)
	}{
		{"sample", r.sample}, {"copies", r.copies}, {"line ends", r.lineEnds}, {"truncated", r.truncated}, {"random", r.random},
		{"nesting", r.nesting}, {"canceled", r.canceled},
	} {
		t.Run(sub.name, func(t *testing.T) {
			for _, s := range r.samples {
				t.Run(s.Name, func(t *testing.T) { sub.test(t, s) })
			}
		})
	}
	t.Run("concurrent", r.concurrent)
}

// run is a parser with its samples.
type run struct {
	p       source.Parser
	samples []Sample
}

// languages checks the names of the parser and of its languages.
func (r *run) languages(t *testing.T) {
	all := r.p.Languages()
	if r.p.Name() == "" || len(all) == 0 {
		t.Errorf("name %q, languages %q", r.p.Name(), all)
	}
	definer, _ := r.p.(source.Definer)
	for i, lang := range all {
		if lang == "" || slices.Contains(all[:i], lang) {
			t.Errorf("the language %q is empty or repeated: %q", lang, all)
		}
		if !slices.ContainsFunc(r.samples, func(s Sample) bool { return s.Language == lang && !s.Broken }) {
			t.Errorf("%s has no sample", lang)
		}
		known := slices.Contains(source.Languages(), lang) ||
			definer != nil && slices.ContainsFunc(definer.Definitions(), func(d source.Definition) bool { return d.Language == lang })
		if !known {
			t.Errorf("the added language %s has no definition: implement source.Definer", lang)
		}
	}
	for _, s := range r.samples {
		if !slices.Contains(all, s.Language) {
			t.Errorf("the sample %s is in %s, which the parser does not support", s.Name, s.Language)
		}
	}
}

// definitions checks that the names of a definition lead to its language.
func (r *run) definitions(t *testing.T) {
	parsers := source.NewParsers(r.p)
	for _, d := range r.p.(source.Definer).Definitions() {
		if !parsers.Supports(d.Language) {
			t.Errorf("%s is defined, but not supported", d.Language)
			continue
		}
		for _, name := range append([]string{string(d.Language)}, d.Aliases...) {
			if got, ok := parsers.LanguageNamed(name); !ok || got != d.Language || name != strings.ToLower(name) {
				t.Errorf("the name %q of %s leads to %q; names are in lower case", name, d.Language, got)
			}
		}
		files := slices.Clone(d.FileNames)
		for _, ext := range d.Extensions {
			if ext != path.Ext("file"+ext) || ext != strings.ToLower(ext) {
				t.Errorf("the extension %q of %s lacks the dot, or is not in lower case", ext, d.Language)
			}
			files = append(files, "file"+ext, "FILE"+strings.ToUpper(ext))
		}
		for _, name := range files {
			if got, ok := parsers.LanguageOf("dir/"+name, nil); !ok || got != d.Language {
				t.Errorf("the file %s of %s is %q", name, d.Language, got)
			}
		}
		for _, program := range d.Interpreters {
			if got, ok := parsers.LanguageOf("script", []byte("#!/usr/bin/env "+program+"1.2\n")); !ok || got != d.Language {
				t.Errorf("a script of %s is %q, not %s; names of interpreters have no version", program, got, d.Language)
			}
		}
		checkSyntax(t, d)
	}
}

// checkSyntax checks the delimiters of a definition.
func checkSyntax(t *testing.T, d source.Definition) {
	t.Helper()
	for _, pair := range slices.Concat(d.Syntax.BlockComments, d.Syntax.Strings) {
		if pair.Open == "" || pair.Close == "" {
			t.Errorf("%s has delimiters without an opening or a closing text: %+v", d.Language, pair)
		}
	}
	if slices.Contains(d.Syntax.LineComments, "") || slices.Contains(d.Syntax.Keywords, "") {
		t.Errorf("%s has an empty comment mark or keyword", d.Language)
	}
}

// sample parses a sample and checks the result.
func (r *run) sample(t *testing.T, s Sample) {
	src := []byte(s.Source)
	file, err := r.parse(t.Context(), t, src, s.Language, source.Options{})
	unsure, _ := errors.AsType[*source.UnsureError](err)
	switch {
	case err != nil && unsure == nil:
		t.Fatal(err)
	case s.Broken && unsure == nil && len(file.Problems) == 0:
		t.Error("the parser reports no problem in a broken text")
	case !s.Broken && (unsure != nil || len(file.Problems) > 0):
		t.Errorf("the parser reports problems: %v, %v", err, problemsOf(file))
	}
	if file == nil {
		return
	}
	if file.Parser != r.p.Name() || file.Language != s.Language || len(file.Calls) > 0 {
		t.Errorf("parser %q, language %q, %d calls that were not requested", file.Parser, file.Language, len(file.Calls))
	}
	if got := paths(file); s.Want != nil && !slices.Equal(got, s.Want) {
		t.Errorf("declarations %q, want %q", got, s.Want)
	}
	for i := range file.Chunks {
		if c := &file.Chunks[i]; !s.Broken && !isNamed(src, c) {
			t.Errorf("the name of %s is not at its offset: %q", c.Path(), src[c.Ident:min(int(c.Ident)+40, len(src))])
		}
	}
	if again, _ := r.parse(t.Context(), t, src, s.Language, source.Options{}); !reflect.DeepEqual(again, file) {
		t.Error("the same text has another result the second time")
	}
	r.check(t, s)
}

// isNamed reports whether the name of a function or type is at its offset, possibly in quotation marks. Kinds with a keyword in
// place of the name are not checked.
func isNamed(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Function, source.Class, source.Struct, source.Enum, source.Interface:
		at := src[c.Ident:c.End]
		return bytes.HasPrefix(at, []byte(c.Name)) || len(at) > 0 && bytes.HasPrefix(at[1:], []byte(c.Name))
	}
	return true
}

// check checks the errors that a Checker reports for a sample.
func (r *run) check(t *testing.T, s Sample) {
	t.Helper()
	checker, ok := r.p.(source.Checker)
	if !ok {
		return
	}
	problems, err := r.checkText(t.Context(), t, checker, []byte(s.Source), s.Language)
	switch {
	case err != nil:
		t.Errorf("Check: %v", err)
	case (len(problems) > 0) != s.Broken:
		t.Errorf("Check returns the problems %+v", problems)
	}
}

// copies checks that a File does not refer to the text.
func (r *run) copies(t *testing.T, s Sample) {
	src := []byte(s.Source)
	file, _ := r.parse(t.Context(), t, src, s.Language, source.Options{Calls: true})
	for i := range src {
		src[i] = 'x'
	}
	want, _ := r.parse(t.Context(), t, []byte(s.Source), s.Language, source.Options{Calls: true})
	if !reflect.DeepEqual(file, want) {
		t.Error("the result changes with the text that was parsed")
	}
}

// lineEnds checks that a text with CRLF, and one with a byte-order mark, has the same declarations in the same lines.
func (r *run) lineEnds(t *testing.T, s Sample) {
	if s.Broken {
		return
	}
	text := strings.ReplaceAll(s.Source, "\r\n", "\n")
	want, err := r.parse(t.Context(), t, []byte(text), s.Language, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, variant := range map[string]string{"CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "byte-order mark": "\ufeff" + strings.TrimPrefix(text, "\ufeff")} {
		got, err := r.parse(t.Context(), t, []byte(variant), s.Language, source.Options{})
		if err != nil {
			t.Errorf("with %s: %v", name, err)
		} else if got, want := lineTable(got), lineTable(want); got != want {
			t.Errorf("with %s the declarations are\n%s\nwithout\n%s", name, got, want)
		}
	}
}

// canceled checks that a context that has ended causes its error or a complete result.
func (r *run) canceled(t *testing.T, s Sample) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := []byte(strings.Repeat(s.Source+"\n", 1+(64<<10)/(1+len(s.Source))))
	_, err := r.parse(ctx, t, src, s.Language, source.Options{})
	if unsure, _ := errors.AsType[*source.UnsureError](err); err != nil && unsure == nil && !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of the context", err)
	}
}

// concurrent parses all samples on several goroutines.
func (r *run) concurrent(t *testing.T) {
	want := make([]*source.File, len(r.samples))
	for i, s := range r.samples {
		want[i], _ = r.p.Parse(t.Context(), []byte(s.Source), s.Language, source.Options{Calls: true})
	}
	workers := group.Group{OnPanic: func(value any, stack []byte) {
		t.Errorf("Parse panics while other texts are parsed: %v\n%s", value, stack)
	}}
	for range 4 {
		workers.Go(func() {
			for i, s := range r.samples {
				src := []byte(s.Source)
				got, _ := r.p.Parse(t.Context(), src, s.Language, source.Options{Calls: true})
				if string(src) != s.Source {
					t.Errorf("Parse has changed the text of %s while other texts are parsed", s.Name)
				}
				if !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s has another result while other texts are parsed", s.Name)
				}
			}
		})
	}
	workers.Wait()
}

// parse parses a text and checks the invariants of the result. A panic, or a change of the text, fails the test with the text.
func (r *run) parse(ctx context.Context, t *testing.T, src []byte, lang source.Language, o source.Options) (file *source.File, err error) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("Parse panics: %v\n%s text: %q", v, lang, src[:min(len(src), 2000)])
		}
	}()
	before := bytes.Clone(src)
	file, err = r.p.Parse(ctx, src, lang, o)
	switch {
	case !bytes.Equal(src, before):
		t.Fatalf("Parse has changed the text\n%s text: %q", lang, before[:min(len(before), 2000)])
	case err == nil && file == nil:
		t.Fatalf("Parse returns neither a File nor an error for the %s text %q", lang, src[:min(len(src), 2000)])
	case file != nil:
		if err := Invariants(src, file); err != nil {
			t.Fatalf("%v\n%s text: %q", err, lang, src[:min(len(src), 2000)])
		}
	}
	return file, err
}

// checkText checks the syntax of a text, and the problems in the result. A panic, or a change of the text, fails the test with the
// text.
func (r *run) checkText(ctx context.Context, t *testing.T, checker source.Checker, src []byte, lang source.Language) ([]source.Problem, error) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("Check panics: %v\n%s text: %q", v, lang, src[:min(len(src), 2000)])
		}
	}()
	before := bytes.Clone(src)
	problems, err := checker.Check(ctx, src, lang)
	if !bytes.Equal(src, before) {
		t.Fatalf("Check has changed the text\n%s text: %q", lang, before[:min(len(before), 2000)])
	}
	last := 1 + bytes.Count(src, []byte("\n"))
	for _, p := range problems {
		if p.Line < 0 || int(p.Line) > last || p.Message == "" || len(problems) > source.MaxProblems {
			t.Fatalf("Check returns %d problems, one of them %+v of %d lines\n%s text: %q", len(problems), p, last, lang, src[:min(len(src), 2000)])
		}
	}
	return problems, err
}

// paths returns the paths of the declarations.
func paths(f *source.File) []string {
	all := make([]string, 0, len(f.Chunks))
	for i := range f.Chunks {
		all = append(all, f.Chunks[i].Path())
	}
	return all
}

// lineTable returns the declarations with their lines.
func lineTable(f *source.File) string {
	var b strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&b, "%d-%d %s %s\n", c.StartLine, c.EndLine, c.Kind, c.Path())
	}
	return b.String()
}

func problemsOf(f *source.File) []source.Problem {
	if f == nil {
		return nil
	}
	return f.Problems
}
