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
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

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
	program := unsavedtest.Attach(t, root)
	var tracker unsaved.Tracker
	failure := errors.New("it is busy")
	for i, step := range []struct {
		do   func()
		fail error
		want []string
	}{
		{func() {}, nil, nil},
		{func() { program.Type("a", "one"); program.Type("b", "two") }, nil, []string{"a", "b"}},
		{func() {}, nil, nil},
		{func() { program.Type("a", "One") }, failure, []string{"a"}},
		{func() {}, nil, []string{"a"}},
		{func() { program.Discard("b") }, nil, []string{"b"}},
		{func() { program.Save(t, "a") }, nil, []string{"a"}},
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
