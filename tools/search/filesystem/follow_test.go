package filesystem_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// TestRefresh_ReadOnlyFollower checks that a process without the writer reports an up-to-date index once the index contains the
// current files. Recently modified files are compared by content.
func TestRefresh_ReadOnlyFollower(t *testing.T) {
	t.Parallel() // it waits
	p := newProject(t, map[string]string{"old.md": "# Old\n"})
	p.now("new.md", "# New\n")
	writer := p.files(filesystem.Options{})
	p.refresh(writer, plugin.RefreshOptions{})

	p.index.mu.Lock()
	p.index.foreign = true
	p.index.mu.Unlock()
	follower := p.files(filesystem.Options{Index: shared{p.index}})
	report := p.refresh(follower, plugin.RefreshOptions{})
	if got, want := counts(report), [5]int{2, 0, 0, 0, 2}; got != want {
		t.Errorf("nothing has changed: %v, want %v", got, want)
	}
	if s := follower.Status(); s.State != plugin.Ready || s.Checked.IsZero() || s.Error != "" {
		t.Errorf("the follower is %+v", s)
	}
	p.now("new.md", "# Newer\n")
	if _, err := follower.Refresh(t.Context(), plugin.RefreshOptions{}); err == nil {
		t.Error("files that another process has not indexed yet are reported as indexed")
	}
	if s := follower.Status(); s.Error == "" {
		t.Errorf("the follower is %+v", s)
	}
}

// shared is an index that is not closed by the Filesystem.
type shared struct{ *memory }
