package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// query is a call without side effects of one method of the adapter.
type query struct {
	name string
	// call returns the part of the result that is the same for each call of one state of the editor, for messages and comparisons.
	call func(ctx context.Context) (any, error)
}

// queries returns a call of each method that queries the editor.
func (s *session) queries(doc adapter.Document) []query {
	var all []query
	add := func(name string, call func(ctx context.Context) (any, error)) { all = append(all, query{name, call}) }
	at := adapter.Position{Line: 1, Column: 1}
	if a, ok := s.adapter.(adapter.Buffers); ok {
		add("Document", func(ctx context.Context) (any, error) {
			open, ok, err := a.Document(ctx, doc.Path)
			if err == nil && !ok {
				return nil, errNotOpen
			}
			return open, err
		})
	}
	if a, ok := s.adapter.(adapter.Windows); ok {
		add("Active", func(ctx context.Context) (any, error) {
			active, ok, err := a.Active(ctx)
			if err == nil && !ok {
				return nil, errNotOpen
			}
			return active, err
		})
	}
	if a, ok := s.adapter.(adapter.Diagnoser); ok {
		add("Diagnose", func(ctx context.Context) (any, error) {
			d, err := a.Diagnose(ctx, []string{doc.Path})
			if err == nil && stateOf(d, doc.Path) != adapter.Checked {
				return nil, errNotChecked
			}
			return d.Items, err
		})
	}
	if a, ok := s.adapter.(adapter.Fixer); ok {
		add("Fixes", func(ctx context.Context) (any, error) {
			fixes, err := a.Fixes(ctx, doc, adapter.Diagnostic{Path: doc.Path, Range: adapter.Range{Start: at, End: at}, Severity: adapter.Error, Message: "none"})
			var titles []string
			for _, f := range fixes {
				titles = append(titles, f.Title)
			}
			return titles, err
		})
	}
	if a, ok := s.adapter.(adapter.Refactorer); ok {
		add("Refactorings", func(ctx context.Context) (any, error) {
			refactorings, err := a.Refactorings(ctx, doc, adapter.Range{Start: at, End: at}, []string{"refactor"})
			var titles []string
			for _, r := range refactorings {
				titles = append(titles, r.Title)
			}
			return titles, err
		})
	}
	if a, ok := s.adapter.(adapter.Formatter); ok {
		add("Format", func(ctx context.Context) (any, error) { return a.Format(ctx, doc, nil) })
	}
	if a, ok := s.adapter.(adapter.Navigator); ok {
		add("Definition", func(ctx context.Context) (any, error) { return a.Definition(ctx, doc, at) })
		add("References", func(ctx context.Context) (any, error) { return a.References(ctx, doc, at) })
		add("Rename", func(ctx context.Context) (any, error) { return a.Rename(ctx, doc, at, "renamed") })
		add("Symbols", func(ctx context.Context) (any, error) { return a.Symbols(ctx, doc) })
		add("FindSymbols", func(ctx context.Context) (any, error) { return a.FindSymbols(ctx, "x") })
	}
	return all
}

var (
	errNotOpen    = errors.New("no document is open")
	errNotChecked = errors.New("the file was not checked")
)

func testAdapter(t *testing.T, s *session) {
	name := s.adapter.Name()
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) || s.adapter.Name() != name {
		t.Errorf("the name %q is empty, has control characters, or changes", name)
	}
	state := s.adapter.State()
	if !state.Running {
		t.Errorf("the editor of New is not running: %+v", state)
	}
	if !utf8.ValidString(state.Detail) || strings.Contains(state.Detail, "\n") {
		t.Errorf("the detail of the state is not one line of UTF-8: %q", state.Detail)
	}
	for _, folder := range state.Folders {
		if !filepath.IsAbs(folder) {
			t.Errorf("the folder %q is not absolute", folder)
		}
	}
	var mu sync.Mutex
	inside, calls := true, 0
	stop := s.adapter.Watch(func() {
		mu.Lock()
		defer mu.Unlock()
		if calls++; inside {
			calls = -1 << 20
		}
	})
	mu.Lock()
	inside = false
	if calls < 0 {
		t.Error("Watch itself called its function")
	}
	mu.Unlock()
	s.within(t, "the function that ends Watch", func() { stop(); stop() })
}

// testNotRunning checks the errors of an adapter without a running editor.
func (h Harness) testNotRunning(t *testing.T) {
	if h.NotRunning == nil {
		t.Skip("Harness.NotRunning is nil")
	}
	dir := h.project(t)
	s := &session{Harness: h, dir: dir, adapter: h.NotRunning(t, dir)}
	defer s.close(t)
	state := s.adapter.State()
	if state.Running || state.Detail == "" && state.Start == "" {
		t.Errorf("the state %+v is that of a running editor, or has neither Detail nor Start", state)
	}
	ctx := s.context(t)
	for _, q := range s.queries(s.document(t)) {
		s.within(t, q.name, func() {
			switch _, err := q.call(ctx); {
			case errors.Is(err, errNotOpen), errors.Is(err, errNotChecked), errors.Is(err, adapter.ErrNotRunning), errors.Is(err, adapter.ErrUnsupported):
			default:
				t.Errorf("%s returned %v without a running editor; the error must wrap ErrNotRunning", q.name, err)
			}
		})
	}
}

// testClosed checks that calls after Close return and do not succeed.
func (h Harness) testClosed(t *testing.T) {
	dir := h.project(t)
	s := &session{Harness: h, dir: dir, adapter: h.New(t, dir)}
	s.close(t)
	_ = s.adapter.State()
	ctx := s.context(t)
	for _, q := range s.queries(s.document(t)) {
		s.within(t, q.name+" after Close", func() {
			if _, err := q.call(ctx); err == nil {
				t.Errorf("%s succeeded after Close", q.name)
			}
		})
	}
}

// concurrency is the number of goroutines that call each method in testConcurrent.
const concurrency = 4

// testConcurrent calls all methods at once. A query that succeeds alone has the same result then. The race detector finds
// unguarded data.
func testConcurrent(t *testing.T, s *session) {
	doc, ctx := s.document(t), s.context(t)
	var checks []func() // one for each method
	for _, q := range s.queries(doc) {
		var want any
		var alone error
		if !s.within(t, q.name, func() { want, alone = q.call(ctx) }) {
			return
		}
		checks = append(checks, func() {
			got, err := q.call(ctx)
			switch {
			case alone != nil, errors.Is(err, errNotChecked): // FilesChanged may have made the diagnostics stale
			case err != nil || !reflect.DeepEqual(got, want):
				t.Errorf("%s at the same time as other calls returned %+v, %v; alone it returned %+v", q.name, got, err, want)
			}
		})
	}
	checks = append(checks, func() {
		if state := s.adapter.State(); !state.Running {
			t.Errorf("State at the same time as other calls returned %+v", state)
		}
	}, func() { s.adapter.Watch(func() {})() })
	if l, ok := s.adapter.(adapter.Listener); ok {
		checks = append(checks, func() { l.FilesChanged([]string{doc.Path}) })
	}
	var calls group.Group
	for _, check := range checks {
		for range concurrency {
			calls.Go(check)
		}
	}
	s.within(t, "a concurrent call", calls.Wait)
}

// testEndedContext checks that calls return after the end of their context. Diagnostics are not fresh then.
func testEndedContext(t *testing.T, s *session) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, q := range s.queries(s.document(t)) {
		s.within(t, q.name+" with an ended context", func() {
			if _, err := q.call(ctx); err == nil && q.name == "Diagnose" {
				t.Error("Diagnose returned fresh diagnostics although its context had ended")
			}
		})
	}
}

// supported reports whether the method supports the file. Another error fails the test.
func supported(t *testing.T, method string, err error) bool {
	t.Helper()
	if errors.Is(err, adapter.ErrUnsupported) {
		t.Logf("%s is not supported: %v", method, err)
		return false
	}
	if err != nil {
		t.Errorf("%s returned %v", method, err)
	}
	return err == nil
}

// checkRange returns an error if a range is not inside a text.
func checkRange(text string, r adapter.Range) error {
	lines := adapter.NewText(text)
	for _, p := range []adapter.Position{r.Start, r.End} {
		offset, err := lines.Offset(p)
		if err != nil {
			return err
		}
		if back := lines.Position(offset); back != p && p.Line <= lines.Lines() {
			return fmt.Errorf("the position %+v is inside a character or after the end of its line; the nearest is %+v", p, back)
		}
	}
	if r.End.Before(r.Start) {
		return fmt.Errorf("the range %+v ends before it begins", r)
	}
	return nil
}
