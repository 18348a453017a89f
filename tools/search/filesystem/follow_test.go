package filesystem_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Who may not write is as sure of the index as who may, once that has the files as
// they are: what was modified just before it was read is compared by its content.
func TestFollower(t *testing.T) {
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
		t.Error("what another process has yet to index is said to be indexed")
	}
	if s := follower.Status(); s.Error == "" {
		t.Errorf("the follower is %+v", s)
	}
}

// shared is an index that another one closes.
type shared struct{ *memory }
