package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// query is a call without side effects of one method of the adapter.
type query struct {
	name string
	call func(ctx context.Context) error
}

// queries returns a call of each method that queries the editor.
func (s *session) queries(doc adapter.Document) []query {
	var all []query
	add := func(name string, call func(ctx context.Context) error) { all = append(all, query{name, call}) }
	at := adapter.Position{Line: 1, Column: 1}
	if a, ok := s.adapter.(adapter.Buffers); ok {
		add("Document", func(ctx context.Context) error {
			_, open, err := a.Document(ctx, doc.Path)
			if err == nil && !open {
				return errNotOpen
			}
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Windows); ok {
		add("Active", func(ctx context.Context) error {
			_, ok, err := a.Active(ctx)
			if err == nil && !ok {
				return errNotOpen
			}
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Diagnoser); ok {
		add("Diagnose", func(ctx context.Context) error {
			d, err := a.Diagnose(ctx, []string{doc.Path})
			if err == nil && stateOf(d, doc.Path) != adapter.Checked {
				return errNotChecked
			}
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Fixer); ok {
		add("Fixes", func(ctx context.Context) error {
			_, err := a.Fixes(ctx, doc, adapter.Diagnostic{Path: doc.Path, Range: adapter.Range{Start: at, End: at}, Severity: adapter.Error, Message: "none"})
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Refactorer); ok {
		add("Refactorings", func(ctx context.Context) error {
			_, err := a.Refactorings(ctx, doc, adapter.Range{Start: at, End: at}, []string{"refactor"})
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Formatter); ok {
		add("Format", func(ctx context.Context) error {
			_, err := a.Format(ctx, doc, nil)
			return err
		})
	}
	if a, ok := s.adapter.(adapter.Navigator); ok {
		add("Definition", func(ctx context.Context) error {
			_, err := a.Definition(ctx, doc, at)
			return err
		})
		add("References", func(ctx context.Context) error {
			_, err := a.References(ctx, doc, at)
			return err
		})
		add("Rename", func(ctx context.Context) error {
			_, err := a.Rename(ctx, doc, at, "renamed")
			return err
		})
		add("Symbols", func(ctx context.Context) error {
			_, err := a.Symbols(ctx, doc)
			return err
		})
		add("FindSymbols", func(ctx context.Context) error {
			_, err := a.FindSymbols(ctx, "x")
			return err
		})
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
			switch err := q.call(ctx); {
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
			if err := q.call(ctx); err == nil {
				t.Errorf("%s succeeded after Close", q.name)
			}
		})
	}
}

// concurrency is the number of goroutines that call each method in testConcurrent.
const concurrency = 4

// testConcurrent calls all methods at once. The race detector finds unguarded data.
func testConcurrent(t *testing.T, s *session) {
	doc, ctx := s.document(t), s.context(t)
	var calls sync.WaitGroup
	for _, q := range append(s.queries(doc),
		query{"State", func(context.Context) error { s.adapter.State(); return nil }},
		query{"Watch", func(context.Context) error { s.adapter.Watch(func() {})(); return nil }},
		query{"FilesChanged", func(context.Context) error {
			if l, ok := s.adapter.(adapter.Listener); ok {
				l.FilesChanged([]string{doc.Path})
			}
			return nil
		}}) {
		for range concurrency {
			calls.Go(func() {
				if err := q.call(ctx); err != nil && err.Error() == "" {
					t.Errorf("%s returned an error without a text", q.name)
				}
			})
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
			if err := q.call(ctx); err == nil && q.name == "Diagnose" {
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
