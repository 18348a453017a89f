package search_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const popSource = `func (s *Stack) Pop() (int, error) {
	if len(s.values) == 0 {
		return 0, ErrEmpty
	}
	v := s.values[len(s.values)-1]
	s.values = s.values[:len(s.values)-1]
	return v, nil
}`

func TestFindSimilarCode(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	renamed := strings.NewReplacer("Stack", "Pile", "Pop", "Take", "values", "entries", "ErrEmpty", "errNothing", "v", "top").Replace(popSource)
	ask := func(args search.SimilarArgs) search.SimilarResult {
		t.Helper()
		r, err := p.FindSimilarCode(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for range 2 { // the second answer is from the cache
		r := ask(search.SimilarArgs{Code: renamed, Language: "go"})
		if len(r.Results) == 0 {
			t.Fatalf("%+v", r)
		}
		c := r.Results[0]
		if c.File != "stack/stack.go" || c.StartLine > 18 || c.EndLine != 25 || c.Similarity < 0.8 || c.Name != "Stack.Pop" || !strings.Contains(c.Code, "ErrEmpty") {
			t.Errorf("%+v", c)
		}
	}

	// The only exact match is the origin of the code.
	r := ask(search.SimilarArgs{Code: popSource})
	if len(r.Results) != 0 || r.Metadata.Origin != "stack/stack.go:18-25" || r.Metadata.TotalResults != 0 {
		t.Errorf("the code itself: %+v", r)
	}
	shelf.put("copy.go", stackSource, noon)
	shelf.update(t)
	if r = ask(search.SimilarArgs{Code: popSource}); len(r.Results) != 2 || r.Metadata.Origin != "" {
		t.Errorf("two copies: %+v", r)
	}
	if r = ask(search.SimilarArgs{Code: popSource, Limit: 1}); len(r.Results) != 1 || r.Metadata.TotalResults != 2 {
		t.Errorf("one of two copies: %+v", r)
	}
	if r = ask(search.SimilarArgs{Code: popSource, Language: "python"}); len(r.Results) != 2 || r.Metadata.Language != "python" {
		t.Errorf("the language of the code leaves out files: %+v", r)
	}

	// A cached result is checked against the files.
	shelf.put("copy.go", "package stack\n", noon)
	if r = ask(search.SimilarArgs{Code: popSource, Limit: 1}); len(r.Results) != 0 || r.Metadata.Origin == "" {
		t.Errorf("a copy that is gone: %+v", r)
	}

	shelf.set(func(s *plugin.Status) { s.State = plugin.Building })
	if r = ask(search.SimilarArgs{Code: renamed}); !strings.HasPrefix(r.Notice, "the index is being built") {
		t.Errorf("while the index is built: %q", r.Notice)
	}
	shelf.set(func(s *plugin.Status) { s.State = plugin.Ready })
	got := toolsettest.Call(t, p, "findSimilarCode", fmt.Sprintf(`{"code":%q,"similarity":0.5,"language":"go"}`, renamed))
	if text := texts(got)[0]; !strings.HasPrefix(text, "File: stack/stack.go:") || !strings.Contains(text, "\nSimilarity: 0.") || !strings.Contains(text, "\n\n") {
		t.Errorf("%q", text)
	}
}

func TestFindSimilarCode_InvalidArguments(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for _, args := range []search.SimilarArgs{
		{Code: "x := 1"}, {Code: strings.Repeat(" ", 100)}, {Code: popSource, Limit: 51}, {Code: popSource, Similarity: new(1.5)},
		{Code: popSource, Similarity: new(math.NaN())}, {Code: popSource, Language: "klingon"}, {Code: strings.Repeat("x = y + 1\n", 100_000)},
		{Code: "// nothing but a comment"},
	} {
		_, err := p.FindSimilarCode(t.Context(), args)
		toolsettest.WantError(t, err, "INVALID_PARAMS")
	}
	_, err := newProject(t, nil, search.Options{}).FindSimilarCode(t.Context(), search.SimilarArgs{Code: popSource})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE")
}

// TestFindSimilarCode_SkippedFiles checks the note about files without an index, which were not compared.
func TestFindSimilarCode_SkippedFiles(t *testing.T) {
	shelf := newShelf(t, map[string]string{"a.go": "package a\n\nfunc A() int { return 1 }\n"})
	shelf.set(func(s *plugin.Status) { s.Skipped = []plugin.Skipped{{Reason: "generated", Files: 3}} })
	p := newProject(t, nil, search.Options{}, shelf)
	r, err := p.FindSimilarCode(t.Context(), search.SimilarArgs{Code: popSource})
	if err != nil || len(r.Results) > 0 || !strings.Contains(strings.Join(r.Metadata.Notes, "\n"), "3 files are not indexed") {
		t.Errorf("%+v, %v", r, err)
	}
}
