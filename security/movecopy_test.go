package security_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestCopyAway moves a file by copying it, while others meddle. Whatever goes wrong, the file is where it was and no copy is left.
func TestCopyAway(t *testing.T) {
	large := strings.Repeat("content ", 50_000)
	for what, tt := range map[string]struct {
		meddle func(dir string) error
		moved  bool
	}{
		"in peace":             {func(string) error { return nil }, true},
		"the file is replaced": {func(dir string) error { return os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "file")) }, false},
		"the file is gone":     {func(dir string) error { return os.Rename(filepath.Join(dir, "file"), filepath.Join(dir, "file2")) }, false},
	} {
		dir := layout(t, map[string]string{"file": large, "other": "other", "in/": ""})
		before := contents(t, dir)
		var meddled map[string]string
		err := security.CopyAway(t.Context(), open(t, quick, dir), "file", "in/file", func() {
			if err := tt.meddle(dir); err != nil {
				t.Error(err)
			}
			meddled = contents(t, dir)
		})
		delete(meddled, "in/file")
		if tt.moved {
			delete(before, "file")
			before["in/file"] = large
			meddled = before
		}
		if after := contents(t, dir); (err == nil) != tt.moved || !maps.Equal(after, meddled) {
			t.Errorf("%s: %v;%s", what, err, differences(meddled, after))
		}
	}
	dir := layout(t, map[string]string{"file": large, "in/file": "there"})
	before := contents(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := security.CopyAway(ctx, open(t, quick, dir), "file", "in/new", func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("copying goes on after its end: %v", err)
	}
	if err := security.CopyAway(t.Context(), open(t, quick, dir), "file", "in/file", func() {}); !os.IsExist(err) {
		t.Errorf("over a file: %v", err)
	}
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Errorf("changed:%s", differences(before, after))
	}
}
