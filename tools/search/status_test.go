package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestIndexStatus(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, library(), search.Options{}, shelf, newTracker())
	r, err := p.IndexStatus(t.Context(), search.StatusArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if r.State != "ready" || r.Files != 3 || r.Pieces < 6 || r.Pending != 0 || r.IndexAge != 0 || !r.Watching || r.Languages["go"] != 2 || r.Languages["markdown"] != 1 {
		t.Errorf("%+v", r)
	}
	if len(r.Plugins) != 2 || !slices.Equal(r.Plugins[0].Kinds, []string{"documents"}) || !slices.Equal(r.Plugins[1].Kinds, []string{"issues"}) || !r.Plugins[0].Healthy {
		t.Errorf("plugins %+v", r.Plugins)
	}
	shelf.set(func(s *plugin.Status) {
		s.State, s.Pending, s.Done, s.Total, s.Watching = plugin.Updating, 2, 1, 3, false
		s.Checked = time.Now().Add(-time.Hour)
		s.Skipped = []plugin.Skipped{{Reason: "binary", Files: 4, Examples: []string{"a.png"}}}
	})
	r, err = p.IndexStatus(t.Context(), search.StatusArgs{})
	if err != nil || r.State != "updating" || r.Pending != 2 || r.IndexAge < 3600 || r.Skipped[0].Files != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	if text := r.TextContent(); !strings.Contains(text, "4 binary (a.png)") || !strings.Contains(text, "1h0m0s ago, 2 files pending") || !strings.Contains(text, "plugin tracker: healthy") {
		t.Errorf("%s", text)
	}
}

func TestIndexStatus_Path(t *testing.T) {
	files := library()
	files["stack/new.go"] = "package stack\n"
	p := newProject(t, files, search.Options{}, newShelf(t, library()))
	for path, want := range map[string]search.PathStatus{
		"stack/stack.go": {Path: "stack/stack.go", Indexed: true, Files: 1, Language: "go", Stale: true},
		"./stack/":       {Path: "stack", Indexed: true, Files: 1},
		".":              {Path: ".", Indexed: true, Files: 3},
		"stack/new.go":   {Path: "stack/new.go"},
		p.dir + "/docs":  {Path: "docs", Indexed: true, Files: 1},
	} {
		r, err := p.IndexStatus(t.Context(), search.StatusArgs{Path: path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := *r.Path
		if got.Pieces == 0 != (want.Files == 0) || got.Note == "" != want.Indexed {
			t.Errorf("%s: %+v", path, got)
		}
		got.Pieces, got.Note, got.Modified = 0, "", time.Time{}
		if got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	_, err := p.IndexStatus(t.Context(), search.StatusArgs{Path: "nothing"})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	_, err = p.IndexStatus(t.Context(), search.StatusArgs{Path: "../outside"})
	if err == nil {
		t.Error("a path outside of the project has a status")
	}
}

func TestRefresh(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	shelf.put("new.go", "package new\n\n// Shiny is new.\nfunc Shiny() {}\n", noon)
	r, err := p.Refresh(t.Context(), search.RefreshArgs{Path: "./new.go", Full: true})
	if err != nil || r.Status != "done" || r.Files != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	if o := shelf.refreshs[0]; o.Path != "new.go" || !o.Full {
		t.Errorf("refreshed with %+v", o)
	}
	if found, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Shiny"}); err != nil || len(found.Results) == 0 {
		t.Errorf("%+v, %v", found, err)
	}

	shelf.hold = make(chan struct{})
	shelf.set(func(s *plugin.Status) { s.State, s.Done, s.Total = plugin.Updating, 1, 4 })
	r, err = p.Refresh(t.Context(), search.RefreshArgs{WaitMs: 1})
	if err != nil || r.Status != "running" || r.Done != 1 || r.Total != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Refresh(ctx, search.RefreshArgs{}); err == nil {
		t.Error("no error for a caller that has gone")
	}
	_, err = p.Refresh(t.Context(), search.RefreshArgs{WaitMs: -1})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
	_, err = newProject(t, nil, search.Options{}).Refresh(t.Context(), search.RefreshArgs{})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE")
}
