package unsaved_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/unsaved"
)

// program has the unsaved texts of files, by path.
type program map[string]string

func (p program) Unsaved(context.Context) ([]security.UnsavedDocument, error) {
	var all []security.UnsavedDocument
	for path := range p {
		all = append(all, security.UnsavedDocument{Path: path, Program: "pager"})
	}
	return all, nil
}

func (p program) Open(_ context.Context, path string) (security.Document, bool, error) {
	text, ok := p[path]
	return security.Document{Path: path, Program: "pager", Text: text, Unsaved: true}, ok, nil
}

func (p program) Replace(context.Context, security.Document, []byte, []byte) (string, bool, bool, error) {
	return "", false, false, errors.New("read only")
}

func TestTracker_Update(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("disk"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	texts := program{}
	defer root.Attach(texts)()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	var tracker unsaved.Tracker
	failure := errors.New("it is busy")
	for i, step := range []struct {
		do   func()
		fail error
		want []string
	}{
		{func() {}, nil, nil},
		{func() { texts[a], texts[b] = "one", "two" }, nil, []string{"a", "b"}},
		{func() {}, nil, nil},
		{func() { texts[a] = "One" }, failure, []string{"a"}},
		{func() {}, nil, []string{"a"}},
		{func() { delete(texts, b) }, nil, []string{"b"}},
		{func() { delete(texts, a) }, nil, []string{"a"}},
		{func() {}, nil, nil},
	} {
		step.do()
		var got []string
		err := tracker.Update(t.Context(), root, func(paths []string) error {
			got = paths
			return step.fail
		})
		if !slices.Equal(got, step.want) || !errors.Is(err, step.fail) {
			t.Errorf("step %d: %q, %v; want %q, %v", i, got, err, step.want, step.fail)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tracker.Update(ended, root, nil); err == nil {
		t.Error("no error after the end of the context")
	}
}
