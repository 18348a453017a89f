package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
)

func TestSearchDocuments_UnsavedText(t *testing.T) {
	p := openFiles(t, map[string]string{"stack/stack.go": stackSource}, filesystem.Options{})
	editor := unsavedtest.Attach(t, p.root)
	find := func(query string) []string {
		t.Helper()
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return places(r)
	}
	if _, err := p.Refresh(t.Context(), search.RefreshArgs{}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the index is ready", func() bool {
		status, err := p.IndexStatus(t.Context(), search.StatusArgs{})
		return err == nil && status.State == "ready"
	})
	const before, after = "stack/stack.go:Stack.Pop", "stack/stack.go:Stack.Discard"
	editor.Type("stack/stack.go", strings.ReplaceAll(stackSource, "Pop", "Discard"))
	if got := find("Discard"); !slices.Contains(got, after) {
		t.Errorf("the unsaved text is not found: %q", got)
	}
	for _, query := range []string{"Pop", `"Pop"`} {
		if got := find(query); slices.Contains(got, before) {
			t.Errorf("%s finds the text of the disk: %q", query, got)
		}
	}
	if got := find(`"Discard"`); !slices.Contains(got, after) {
		t.Errorf("an exact search does not find the unsaved text: %q", got)
	}
	editor.Discard("stack/stack.go")
	if got := find("Pop"); !slices.Contains(got, before) {
		t.Errorf("after the document was closed: %q", got)
	}
}
