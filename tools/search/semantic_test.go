package search_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
)

// thesaurus is an embedding model for a few words.
type thesaurus struct {
	mu      sync.Mutex
	failing error
}

// meanings are groups of words with the same meaning.
var meanings = [][]string{{"stack", "pile", "heap"}, {"queue", "line", "fifo"}, {"editor", "installer", "set up"}, {"package"}}

func (*thesaurus) Model() string   { return "thesaurus" }
func (*thesaurus) Dimensions() int { return len(meanings) + 1 }

func (m *thesaurus) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = err
}

func (m *thesaurus) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return nil, m.failing
	}
	var all [][]float32
	for _, text := range texts {
		vector := make([]float32, m.Dimensions())
		vector[len(meanings)] = 0.1
		for i, words := range meanings {
			for _, word := range words {
				vector[i] += float32(strings.Count(strings.ToLower(text), word))
			}
		}
		all = append(all, vector)
	}
	return all, nil
}

func TestSearchDocuments_Semantic(t *testing.T) {
	model := new(thesaurus)
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{Embedding: &search.Embedding{Embedder: model, Dir: t.TempDir()}}, shelf)
	ask := func(query, mode, path string) search.DocumentsResult {
		t.Helper()
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Mode: mode, Filters: &search.DocumentFilters{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	waittest.Until(t, "all is understood", func() bool {
		status, err := p.IndexStatus(t.Context(), search.StatusArgs{})
		return err == nil && status.Semantic != nil && status.Semantic.PendingFiles == 0 && status.Semantic.Pieces > 3
	})
	for _, mode := range []string{"", "semantic"} {
		r := ask("pile", mode, "")
		if !strings.Contains(strings.ToLower(r.Results[0].Content), "stack") || r.Results[0].Content == "" || r.Results[0].Score <= 0 || r.Results[0].Score > 1 {
			t.Errorf("mode %q: %+v", mode, r)
		}
	}
	if r := ask("pile", "semantic", "queue/"); slices.ContainsFunc(r.Results, func(d search.Document) bool { return d.Path != "queue/queue.go" }) || len(r.Results) == 0 {
		t.Errorf("in a directory: %v", places(r))
	}
	if r := ask("pile", "keyword", ""); len(r.Results) != 0 || r.Metadata.Mode != "keyword" {
		t.Errorf("by words alone: %v", places(r))
	}
	if r := ask("stack", "auto", ""); r.Results[0].Path != "stack/stack.go" || r.Metadata.Mode != "hybrid" {
		t.Errorf("by both: %v", places(r))
	}
	if r := ask(`"stack"`, "auto", ""); r.Metadata.Mode != "exact" {
		t.Errorf("exactly: %+v", r.Metadata)
	}

	// New files are embedded when the plugin reports the change.
	shelf.put("heap.md", "# Heap\n\nA heap of heaps, and nothing else at all.\n", noon)
	shelf.update(t)
	shelf.tell("heap.md")
	waittest.Until(t, "what is new is found", func() bool { return slices.Contains(places(ask("pile", "semantic", "")), "heap.md:Heap") })

	// In mode auto a failing model does not fail the search.
	model.fail(errors.New("connection refused"))
	if r := ask("queue", "auto", ""); len(r.Results) == 0 || r.Metadata.Mode != "keyword" || !strings.Contains(strings.Join(r.Metadata.Notes, " "), "connection refused") {
		t.Errorf("without meaning: %+v", r)
	}
	_, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "list", Mode: "semantic"})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "connection refused")
}
