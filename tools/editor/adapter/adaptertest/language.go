package adaptertest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// code returns the document of Code. The end of the test checks that its file is unchanged.
func (s *session) code(t *testing.T) adapter.Document {
	t.Helper()
	t.Cleanup(func() { s.checkFiles(t) })
	return s.document(t)
}

// checkFiles fails the test if a language feature has changed a file.
func (s *session) checkFiles(t *testing.T) {
	t.Helper()
	for name, text := range s.Files {
		if now := s.read(t, name); now != text {
			t.Errorf("the adapter has changed %s to %q", name, now)
		}
	}
}

func testDiagnoser(t *testing.T, s *session) {
	doc := s.code(t)
	d := s.diagnose(t, doc)
	if !slices.ContainsFunc(d.Items, func(one adapter.Diagnostic) bool { return strings.Contains(one.Message, s.Diagnostic) }) {
		t.Errorf("no diagnostic of %s contains %q: %+v", s.Code, s.Diagnostic, d.Items)
	}
	if state := stateOf(d, doc.Path); state != adapter.Checked {
		t.Errorf("the state of a file with fresh diagnostics is %q", state)
	}
	missing := s.path("adaptertest-missing.txt")
	s.within(t, "Diagnose of a missing file", func() {
		d, err := s.adapter.(adapter.Diagnoser).Diagnose(s.context(t), []string{missing})
		if err == nil && stateOf(d, missing) == adapter.Checked {
			t.Errorf("a missing file is reported as checked: %+v", d)
		}
	})
	s.within(t, "Diagnose of the project", func() {
		if d, err := s.adapter.(adapter.Diagnoser).Diagnose(s.context(t), nil); supported(t, "Diagnose of the project", err) {
			s.checkDiagnostics(t, d, doc)
		}
	})
}

// diagnose returns the diagnostics of a document.
func (s *session) diagnose(t *testing.T, doc adapter.Document) adapter.Diagnostics {
	t.Helper()
	d, err := s.adapter.(adapter.Diagnoser).Diagnose(s.context(t), []string{doc.Path})
	if err != nil {
		t.Fatalf("Diagnose returned %v", err)
	}
	if !d.Fresh {
		t.Errorf("Diagnose returned diagnostics that are not fresh before its context ended; notes %q", d.Notes)
	}
	for _, one := range d.Items {
		if one.Path != doc.Path {
			t.Errorf("the diagnostics of %s contain one of %s", doc.Path, one.Path)
		}
	}
	s.checkDiagnostics(t, d, doc)
	return d
}

// checkDiagnostics checks the form of diagnostics.
func (s *session) checkDiagnostics(t *testing.T, d adapter.Diagnostics, doc adapter.Document) {
	t.Helper()
	for _, one := range d.Items {
		if one.Message == "" || !utf8.ValidString(one.Message) {
			t.Errorf("the message of the diagnostic %+v is empty or not UTF-8", one)
		}
		if !slices.Contains([]adapter.Severity{adapter.Error, adapter.Warning, adapter.Info, adapter.Hint}, one.Severity) {
			t.Errorf("there is no severity %q", one.Severity)
		}
		if one.Path == doc.Path {
			if err := checkRange(doc.Text, one.Range); err != nil {
				t.Errorf("the diagnostic %q: %v", one.Message, err)
			}
		}
	}
}

// stateOf returns the state of a file in the result of a Diagnoser.
func stateOf(d adapter.Diagnostics, path string) adapter.CheckState {
	for _, check := range d.Checks {
		if check.Path == path {
			return check.State
		}
	}
	covered := d.Covered == nil || slices.Contains(d.Covered, path)
	if d.Covers != nil {
		covered = d.Covers(path)
	}
	switch {
	case !covered:
		return adapter.Unchecked
	case d.Fresh:
		return adapter.Checked
	}
	return adapter.Stale
}

func testFixer(t *testing.T, s *session) {
	doc := s.code(t)
	if _, ok := s.adapter.(adapter.Diagnoser); !ok {
		t.Skip("the adapter has no diagnostics to fix")
	}
	fixer := s.adapter.(adapter.Fixer)
	found := 0
	for _, one := range s.diagnose(t, doc).Items {
		if !strings.Contains(one.Message, s.Diagnostic) {
			continue
		}
		fixes, err := fixer.Fixes(s.context(t), doc, one)
		if !supported(t, "Fixes", err) {
			return
		}
		for _, fix := range fixes {
			found++
			edits := fix.Edits
			if edits == nil {
				if edits, err = fixer.Resolve(s.context(t), fix); err != nil {
					t.Errorf("Resolve of %q returned %v", fix.Title, err)
				}
			}
			if fix.Title == "" {
				t.Errorf("the fix %+v has no title", fix)
			}
			s.apply(t, doc, edits)
		}
	}
	if found == 0 {
		t.Errorf("the diagnostic %q has no fix", s.Diagnostic)
	}
	none := adapter.Diagnostic{Path: doc.Path, Range: span(9000, 1, 9000, 2), Severity: adapter.Error, Message: "adaptertest"}
	s.within(t, "Fixes outside of the document", func() { _, _ = fixer.Fixes(s.context(t), doc, none) })
}

// apply checks the form of edits and returns the text of doc after them.
func (s *session) apply(t *testing.T, doc adapter.Document, edits []adapter.FileEdit) string {
	t.Helper()
	text := doc.Text
	for _, e := range edits {
		if e.Path == "" || e.Op == adapter.RenameFile && e.NewPath == "" || e.Op > adapter.DeleteFile {
			t.Errorf("the edit %+v has no path or no valid operation", e)
		}
		if e.Op != adapter.ChangeFile || e.Path != doc.Path {
			continue
		}
		var err error
		if text, err = adapter.Apply(text, e.Edits); err != nil {
			t.Errorf("the edits of %s cannot be applied: %v", e.Path, err)
		}
	}
	return text
}

func testNavigator(t *testing.T, s *session) {
	doc := s.code(t)
	navigator := s.adapter.(adapter.Navigator)
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(s.Symbol) + `\b`)
	uses := name.FindAllStringIndex(doc.Text, -1)
	if len(uses) < 2 {
		t.Fatalf("Harness.Symbol %q must occur in Code at least twice", s.Symbol)
	}
	text := adapter.NewText(doc.Text)
	declaration, use := text.Position(uses[0][0]), text.Position(uses[1][0])
	covers := func(all []adapter.Location, p adapter.Position) bool {
		return slices.ContainsFunc(all, func(l adapter.Location) bool {
			return l.Path == doc.Path && !p.Before(l.Range.Start) && !l.Range.End.Before(p)
		})
	}
	if all, err := navigator.Definition(s.context(t), doc, use); supported(t, "Definition", err) && !covers(all, declaration) {
		t.Errorf("the definition of %s at %+v is %+v, without %+v", s.Symbol, use, all, declaration)
	}
	if all, err := navigator.References(s.context(t), doc, declaration); supported(t, "References", err) {
		for _, p := range []adapter.Position{declaration, use} {
			if !covers(all, p) {
				t.Errorf("the references of %s are %+v, without %+v", s.Symbol, all, p)
			}
		}
	}
	if edits, err := navigator.Rename(s.context(t), doc, declaration, s.Symbol+"2"); supported(t, "Rename", err) {
		if got, want := s.apply(t, doc, edits), name.ReplaceAllString(doc.Text, s.Symbol+"2"); got != want {
			t.Errorf("after a rename the text is\n%s\nwant\n%s", got, want)
		}
	}
	if all, err := navigator.Symbols(s.context(t), doc); supported(t, "Symbols", err) {
		s.checkSymbols(t, doc, "Symbols", all)
	}
	if all, err := navigator.FindSymbols(s.context(t), s.Symbol); supported(t, "FindSymbols", err) {
		s.checkSymbols(t, doc, "FindSymbols", all)
	}
	far := adapter.Position{Line: 9000, Column: 9000}
	for method, call := range map[string]func(context.Context) error{
		"Definition": func(ctx context.Context) error { _, err := navigator.Definition(ctx, doc, far); return err },
		"References": func(ctx context.Context) error { _, err := navigator.References(ctx, doc, far); return err },
		"Rename": func(ctx context.Context) error {
			edits, err := navigator.Rename(ctx, doc, far, "renamed")
			if err == nil && len(edits) > 0 {
				return errEdits
			}
			return err
		},
	} {
		s.within(t, method+" outside of the document", func() {
			if err := call(s.context(t)); errors.Is(err, errEdits) {
				t.Errorf("%s outside of the document %v", method, err)
			}
		})
	}
}

var errEdits = errors.New("returned edits")

// checkSymbols checks that declarations contain Symbol.
func (s *session) checkSymbols(t *testing.T, doc adapter.Document, method string, all []adapter.Symbol) {
	t.Helper()
	found := false
	for _, one := range all {
		if one.Name == "" || one.Kind != strings.ToLower(one.Kind) {
			t.Errorf("the symbol %+v has no name, or a kind that is not in lower case", one)
		}
		if one.Location.Path != doc.Path {
			continue
		}
		found = found || one.Name == s.Symbol
		for _, r := range []adapter.Range{one.Location.Range, one.Selection} {
			if err := checkRange(doc.Text, r); err != nil {
				t.Errorf("the symbol %s: %v", one.Name, err)
			}
		}
	}
	if !found {
		t.Errorf("%s returned %+v, without %s", method, all, s.Symbol)
	}
}

func testFormatter(t *testing.T, s *session) {
	doc := s.code(t)
	formatter := s.adapter.(adapter.Formatter)
	edits, err := formatter.Format(s.context(t), doc, nil)
	if !supported(t, "Format", err) {
		return
	}
	if got, err := adapter.Apply(doc.Text, edits); err != nil || got != s.Formatted {
		t.Errorf("the formatted text is %q, %v; want %q", got, err, s.Formatted)
	}
	first := span(1, 1, 2, 1)
	if edits, err := formatter.Format(s.context(t), doc, &first); supported(t, "Format of a range", err) {
		if _, err := adapter.Apply(doc.Text, edits); err != nil {
			t.Errorf("the edits that format a range cannot be applied: %v", err)
		}
	}
	far := span(9000, 1, 9001, 1)
	s.within(t, "Format outside of the document", func() {
		if edits, err := formatter.Format(s.context(t), doc, &far); err == nil {
			if _, err := adapter.Apply(doc.Text, edits); err != nil {
				t.Errorf("the edits that format a range outside of the document cannot be applied: %v", err)
			}
		}
	})
}

func testRefactorer(t *testing.T, s *session) {
	doc := s.code(t)
	refactorer := s.adapter.(adapter.Refactorer)
	whole := adapter.Range{Start: adapter.Position{Line: 1, Column: 1}, End: adapter.NewText(doc.Text).Position(len(doc.Text))}
	for _, kind := range []string{"refactor", "refactor.extract"} {
		all, err := refactorer.Refactorings(s.context(t), doc, whole, []string{kind})
		if !supported(t, "Refactorings", err) {
			return
		}
		for _, one := range all {
			if one.Title == "" || one.Kind != kind && !strings.HasPrefix(one.Kind, kind+".") {
				t.Errorf("the refactoring %+v has no title, or is not of the kind %s", one, kind)
			}
			if one.Disabled != "" || one.NeedsTarget {
				continue
			}
			if edits, err := refactorer.Refactor(s.context(t), one); supported(t, "Refactor", err) {
				s.apply(t, doc, edits)
			}
		}
	}
	far := span(9000, 1, 9000, 2)
	s.within(t, "Refactorings outside of the document", func() { _, _ = refactorer.Refactorings(s.context(t), doc, far, []string{"refactor"}) })
}

func testCoverage(t *testing.T, s *session) {
	s.within(t, "CoversProject", func() { s.adapter.(adapter.Coverage).CoversProject() })
}

func testExplainer(t *testing.T, s *session) {
	s.checkExplanation(t, s.adapter.(adapter.Explainer).WhyUnchecked)
}

func testIndexer(t *testing.T, s *session) {
	s.checkExplanation(t, s.adapter.(adapter.Indexer).Unindexed)
}

// checkExplanation checks the reasons that a method returns for files.
func (s *session) checkExplanation(t *testing.T, explain func(path string) (reason, next string)) {
	t.Helper()
	for _, path := range []string{s.document(t).Path, s.path("adaptertest.unknown"), s.path("adaptertest-missing.txt")} {
		s.within(t, "an explanation", func() {
			if reason, next := explain(path); reason == "" && next != "" || !utf8.ValidString(reason+next) {
				t.Errorf("the explanation of %s is %q, %q: a next step without a reason, or text that is not UTF-8", path, reason, next)
			}
		})
	}
}

func testListener(t *testing.T, s *session) {
	l := s.adapter.(adapter.Listener)
	s.within(t, "FilesChanged", func() {
		for range 1000 {
			l.FilesChanged([]string{s.path(plainFile), s.path("adaptertest-missing.txt")})
		}
	})
}

// RunSyntax tests a SyntaxChecker. broken is the path of a file with a syntax error, and text its content.
func RunSyntax(t *testing.T, checker adapter.SyntaxChecker, broken, text string) {
	t.Helper()
	if !checker.KnowsSyntax(broken) {
		t.Errorf("there is no parser for %s", broken)
	}
	result, err := checker.CheckSyntax(t.Context(), broken, text)
	if err != nil || len(result.Items) == 0 || result.By == "" {
		t.Errorf("CheckSyntax returned %+v, %v for a syntax error", result, err)
	}
	for _, one := range result.Items {
		if err := checkRange(text, one.Range); err != nil || one.Path != broken || one.Message == "" {
			t.Errorf("the diagnostic %+v has no message, another path, or a wrong range: %v", one, err)
		}
	}
	if _, err := checker.CheckSyntax(t.Context(), "adaptertest.unknown", text); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("CheckSyntax returned %v for an unknown type of file; the error must wrap ErrUnsupported", err)
	}
	for _, hostile := range []string{"", "\x00", "\xff\xfe", strings.Repeat("(", 100_000), strings.Repeat("{\n", 10_000)} {
		if result, err := checker.CheckSyntax(t.Context(), broken, hostile); err == nil {
			for _, one := range result.Items {
				if err := checkRange(hostile, one.Range); err != nil {
					t.Errorf("the text %.20q: %v", hostile, err)
				}
			}
		}
	}
}
