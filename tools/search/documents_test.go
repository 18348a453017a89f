package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const stackSource = `// Package stack is a last-in first-out list.
package stack

import "errors"

// ErrEmpty is the error of Pop for an empty stack.
var ErrEmpty = errors.New("the stack is empty")

// Stack holds values.
type Stack struct{ values []int }

// Push puts a value on top.
func (s *Stack) Push(v int) {
	s.values = append(s.values, v)
}

// Pop takes the value from the top.
func (s *Stack) Pop() (int, error) {
	if len(s.values) == 0 {
		return 0, ErrEmpty
	}
	v := s.values[len(s.values)-1]
	s.values = s.values[:len(s.values)-1]
	return v, nil
}
`

const guide = `# Guide

## Installation

Run the installer and restart the editor.

## 設定

検索の設定は config.yaml に書きます。設定を変えたら再起動してください。

## Errors

A stack that is empty answers with an error.
`

// library returns the files of most tests.
func library() map[string]string {
	return map[string]string{
		"stack/stack.go": stackSource,
		"docs/guide.md":  guide,
		"queue/queue.go": "package queue\n\n// Queue is a first-in first-out list.\ntype Queue struct{ items []string }\n\n// Enqueue adds an item at the end.\nfunc (q *Queue) Enqueue(item string) {\n\tq.items = append(q.items, item)\n}\n",
	}
}

// places returns the results as path:name.
func places(r search.DocumentsResult) []string {
	var all []string
	for _, d := range r.Results {
		all = append(all, d.Path+":"+d.Name)
	}
	return all
}

func TestSearchDocuments(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for _, test := range []struct {
		query string
		first string // expected first result
	}{
		{"Push", "stack/stack.go:Stack.Push"},
		{"Stack.Pop", "stack/stack.go:Stack.Pop"},
		{"take value from top", "stack/stack.go:Stack.Pop"},
		{"enqueue", "queue/queue.go:Queue.Enqueue"},
		{"how to restart the editor after installation", "docs/guide.md:Guide > Installation"},
		{"設定", "docs/guide.md:Guide > 設定"},
		{"再起動", "docs/guide.md:Guide > 設定"},
		{"検", "docs/guide.md:Guide > 設定"},
		{`"the stack is empty"`, "stack/stack.go:ErrEmpty"},
		{`/append\(s\.\w+/`, "stack/stack.go:Stack.Push"},
		{`list "first-in first-out"`, "queue/queue.go:Queue"},
	} {
		t.Run(test.query, func(t *testing.T) {
			r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: test.query})
			if err != nil {
				t.Fatal(err)
			}
			if got := places(r); len(got) == 0 || got[0] != test.first {
				t.Errorf("found %v, want %s first\n%+v", got, test.first, r.Metadata)
			}
		})
	}
}

func TestSearchDocuments_ResultContent(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Stack.Pop", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := r.Results[0]
	if d.StartLine != 17 || d.EndLine != 25 || d.ContentStart != 17 || d.ContentEnd != 25 || d.Kind != "method" || d.Language != "go" || !d.ModifiedAt.Equal(noon) {
		t.Errorf("%+v", d)
	}
	if !strings.HasPrefix(d.Content, "// Pop takes") || !strings.HasSuffix(d.Content, "return v, nil\n}") {
		t.Errorf("content %q", d.Content)
	}
	m := r.Metadata
	if m.TotalResults < 1 || m.Index != "ready" || m.Mode != "keyword" || m.Searched.Files != 3 || m.IndexAge != 0 || m.SearchTime < 0 {
		t.Errorf("metadata %+v", m)
	}
	r, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Stack.Pop", Limit: 1, IncludeContent: new(false)})
	if err != nil || r.Results[0].Content != "" || !strings.Contains(r.Results[0].Signature, "Pop() (int, error)") {
		t.Errorf("without content: %+v, %v", r.Results, err)
	}
}

// TestSearchDocuments_Excerpts checks that a long piece shows the lines that match the query.
func TestSearchDocuments_Excerpts(t *testing.T) {
	var b strings.Builder
	b.WriteString("package long\n\nfunc Long() {\n")
	for i := range 150 {
		if i == 100 {
			b.WriteString("\tcalibrateTheFluxCapacitor()\n")
		}
		fmt.Fprintf(&b, "\tstep(%d)\n", i)
	}
	b.WriteString("}\n")
	p := newProject(t, nil, search.Options{}, newShelf(t, map[string]string{"long.go": b.String()}))
	for _, query := range []string{"flux capacitor", `"calibrateTheFluxCapacitor()"`, "/FluxCapacitor\\(\\)$/"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil || len(r.Results) == 0 {
			t.Fatalf("%s: %v, %+v", query, err, r)
		}
		d := r.Results[0]
		if d.StartLine != 3 || d.ContentStart > 104 || d.ContentEnd < 104 || d.ContentEnd-d.ContentStart >= 24 || !strings.Contains(d.Content, "FluxCapacitor") {
			t.Errorf("%s: lines %d-%d of %d-%d: %q", query, d.ContentStart, d.ContentEnd, d.StartLine, d.EndLine, d.Content)
		}
		if want := b.String()[:0] + strings.Join(strings.Split(b.String(), "\n")[d.ContentStart-1:d.ContentEnd], "\n"); d.Content != want {
			t.Errorf("%s: the content is %q, and the lines are %q", query, d.Content, want)
		}
	}
}

// TestSearchDocuments_CompactResults checks the numbers of lines and the text of compact results.
func TestSearchDocuments_CompactResults(t *testing.T) {
	files := make(map[string]string)
	for i := range 6 {
		files[fmt.Sprintf("pump%d.go", i)] = fmt.Sprintf("package pump\n\nfunc valve%d() {\n%s}\n", i, strings.Repeat("\tturnValve()\n", 30))
	}
	p := newProject(t, nil, search.Options{CompactResults: true}, newShelf(t, files))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "valve"})
	if err != nil || len(r.Results) < 6 {
		t.Fatalf("%v, %+v", err, r)
	}
	for i, d := range r.Results {
		want := 2
		switch i {
		case 0:
			want = 24
		case 1, 2:
			want = 6
		}
		if got := strings.Count(d.Content, "\n") + 1; got != want {
			t.Errorf("result %d shows %d lines, want %d: %q", i+1, got, want, d.Content)
		}
	}
	text := strings.Join(texts(toolsettest.Call(t, p, "searchDocuments", `{"query":"valve"}`)), "\n")
	if strings.Contains(text, " (0.") || strings.Contains(text, " ms") || strings.Contains(text, "keyword") || !strings.Contains(text, "[6 of 6 results]") {
		t.Errorf("the text is %s", text)
	}
}

// TestSearchDocuments_LinesOnce checks that a class and its methods do not show the same lines twice, and that later results are short.
func TestSearchDocuments_LinesOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("package pump\n\n// Valve opens and closes.\ntype Valve struct {\n\tvalve int // valve position\n}\n")
	for i := range 6 {
		fmt.Fprintf(&b, "\nfunc valve%d() {\n%s}\n", i, strings.Repeat("\tturnValve()\n", 30))
	}
	p := newProject(t, nil, search.Options{}, newShelf(t, map[string]string{"pump.go": b.String()}))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "valve"})
	if err != nil || len(r.Results) < 6 {
		t.Fatalf("%v, %+v", err, r)
	}
	lines := make(map[int]int)
	for i, d := range r.Results {
		limit := 8
		if i == 0 {
			limit = 24
		}
		if got := strings.Count(d.Content, "\n") + 1; got > limit {
			t.Errorf("result %d shows %d lines, more than %d", i+1, got, limit)
		}
		for n := d.ContentStart; d.Content != "" && n <= d.ContentEnd; n++ {
			if lines[n]++; lines[n] > 1 {
				t.Errorf("line %d is shown again by result %d", n, i+1)
			}
		}
	}
}

func TestSearchDocuments_Filters(t *testing.T) {
	shelf := newShelf(t, library())
	shelf.put("new/stack.md", "# Stack\n\nNew words about a stack.\n", noon.AddDate(0, 1, 0))
	shelf.update(t)
	p := newProject(t, nil, search.Options{}, shelf)
	for _, test := range []struct {
		name    string
		filters search.DocumentFilters
		want    []string // paths
	}{
		{"none", search.DocumentFilters{}, []string{"docs/guide.md", "new/stack.md", "stack/stack.go"}},
		{"extension", search.DocumentFilters{FileTypes: []string{"md"}}, []string{"docs/guide.md", "new/stack.md"}},
		{"extension with a dot", search.DocumentFilters{FileTypes: []string{".MD"}}, []string{"docs/guide.md", "new/stack.md"}},
		{"language", search.DocumentFilters{FileTypes: []string{"markdown"}}, []string{"docs/guide.md", "new/stack.md"}},
		{"either", search.DocumentFilters{FileTypes: []string{"md", "go"}}, []string{"docs/guide.md", "new/stack.md", "stack/stack.go"}},
		{"directory", search.DocumentFilters{Path: "stack/"}, []string{"stack/stack.go"}},
		{"directory without slash", search.DocumentFilters{Path: "./docs"}, []string{"docs/guide.md"}},
		{"directory with a dot and a slash", search.DocumentFilters{Path: "docs.d/"}, nil},
		{"file", search.DocumentFilters{Path: "docs/guide.md"}, []string{"docs/guide.md"}},
		{"glob", search.DocumentFilters{Path: "**/*.go"}, []string{"stack/stack.go"}},
		{"everything", search.DocumentFilters{Path: "."}, []string{"docs/guide.md", "new/stack.md", "stack/stack.go"}},
		{"date", search.DocumentFilters{ModifiedAfter: "2026-01-15"}, []string{"new/stack.md"}},
		{"time", search.DocumentFilters{ModifiedAfter: "2026-01-02T11:59:59+00:00"}, []string{"docs/guide.md", "new/stack.md", "stack/stack.go"}},
		{"the future", search.DocumentFilters{ModifiedAfter: "2027-01-01T00:00:00Z"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, query := range []string{"stack", `"stack"`} {
				r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Filters: &test.filters, Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, d := range r.Results {
					got = append(got, d.Path)
				}
				slices.Sort(got)
				if got = slices.Compact(got); !slices.Equal(got, test.want) {
					t.Errorf("%s: found in %v, want %v", query, got, test.want)
				}
			}
		})
	}
}

func TestSearchDocuments_InvalidArguments(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for _, args := range []search.DocumentsArgs{
		{Query: ""}, {Query: "  "}, {Query: strings.Repeat("語", 1001)},
		{Query: "x", Limit: 101}, {Query: "x", Limit: -1}, {Query: "x", Mode: "magic"}, {Query: "x", MaxBytes: 5},
		{Query: "x", Filters: &search.DocumentFilters{ModifiedAfter: "yesterday"}},
		{Query: "x", Filters: &search.DocumentFilters{FileTypes: []string{"a/b"}}},
		{Query: "x", Filters: &search.DocumentFilters{Path: "src/[a"}},
		{Query: `"x y"`, Mode: "semantic"},
		{Query: "x", Mode: "semantic"},
	} {
		_, err := p.SearchDocuments(t.Context(), args)
		toolsettest.WantError(t, err, "INVALID_PARAMS")
	}
	_, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "/a(b/"})
	toolsettest.WantError(t, err, "INVALID_PATTERN", "or put the text in quotes")
	if strings.Contains(fmt.Sprint(err, " ", err.(interface{ NextStep() string }).NextStep()), "set literal") {
		t.Errorf("the advice names a parameter of another tool: %v", err)
	}
	_, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "x", Cursor: "nonsense"})
	toolsettest.WantError(t, err, "INVALID_CURSOR")
	_, err = newProject(t, nil, search.Options{}).SearchDocuments(t.Context(), search.DocumentsArgs{Query: "x"})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "filesystem")
}

// TestSearchDocuments_Pages checks that all pages together equal one large page.
func TestSearchDocuments_Pages(t *testing.T) {
	files := make(map[string]string)
	for i := range 45 {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package f\n\n// Common is number %d.\nfunc Common%d() { common() }\n", i, i)
	}
	p := newProject(t, nil, search.Options{}, newShelf(t, files))
	whole, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "common", Limit: 100, MaxBytes: 1_000_000})
	if err != nil || whole.NextCursor != "" {
		t.Fatalf("%v, %q", err, whole.NextCursor)
	}
	for _, args := range []search.DocumentsArgs{{Query: "common", Limit: 10}, {Query: "common", Limit: 50, MaxBytes: 1000}} {
		var all []string
		pages := 0
		for {
			r, err := p.SearchDocuments(t.Context(), args)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, places(r)...)
			if pages++; r.NextCursor == "" || pages > 100 {
				break
			}
			args.Cursor = r.NextCursor
		}
		if want := places(whole); !slices.Equal(all, want) || len(want) < 45 {
			t.Errorf("in %d pages: %v\nin one: %v", pages, all, want)
		}
	}
	_, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "other", Cursor: "x" + whole.NextCursor})
	toolsettest.WantError(t, err, "INVALID_CURSOR")
}

// TestSearchDocuments_ChangedListBetweenPages checks that a cursor is rejected if a result of an earlier page is missing.
func TestSearchDocuments_ChangedListBetweenPages(t *testing.T) {
	files := make(map[string]string)
	for i := range 9 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package f\n\n// Common is number %d.\nfunc Common%d() { common() }\n", i, i)
	}
	shelf := newShelf(t, files)
	p := newProject(t, nil, search.Options{}, shelf)
	args := search.DocumentsArgs{Query: "common", Limit: 3}
	first, err := p.SearchDocuments(t.Context(), args)
	if err != nil || first.NextCursor == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	args.Cursor = first.NextCursor
	second, err := p.SearchDocuments(t.Context(), args)
	if err != nil || len(second.Results) != 3 {
		t.Fatalf("%+v, %v", second, err)
	}
	shelf.remove(second.Results[0].Path)
	shelf.update(t)
	if r, err := p.SearchDocuments(t.Context(), args); err != nil || len(r.Results) != 3 || r.Results[0].Path != second.Results[1].Path {
		t.Errorf("a change behind the cursor: %+v, %v", r, err)
	}
	shelf.remove(first.Results[0].Path)
	shelf.update(t)
	_, err = p.SearchDocuments(t.Context(), args)
	toolsettest.WantError(t, err, "INVALID_CURSOR", "have changed, so that", "Call without a cursor")
}

// TestSearchDocuments_StaleFiles checks that results show the current text of files, not the indexed one.
func TestSearchDocuments_StaleFiles(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	ask := func(query string) search.DocumentsResult {
		t.Helper()
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask("Pop") // so that the cache has it

	shelf.put("stack/stack.go", "// A new first line.\n"+strings.ReplaceAll(stackSource, "return v, nil", "return v, nil // changed"), noon.Add(time.Hour))
	r := ask("Pop")
	if d := r.Results[0]; d.Name != "Stack.Pop" || d.StartLine != 18 || !strings.Contains(d.Content, "// changed") || d.Note == "" {
		t.Errorf("moved: %+v", d)
	}

	shelf.put("stack/stack.go", strings.ReplaceAll(stackSource, "Pop", "Take"), noon.Add(2*time.Hour))
	r = ask("Pop")
	if slices.Contains(places(r), "stack/stack.go:Stack.Pop") {
		t.Errorf("what is gone is shown: %v", places(r))
	}

	// Equal size and time do not prove that a file is unchanged.
	shelf.put("queue/queue.go", strings.ReplaceAll(library()["queue/queue.go"], "Enqueue", "Dequeue"), noon)
	if r = ask("Enqueue"); slices.Contains(places(r), "queue/queue.go:Queue.Enqueue") {
		t.Errorf("what is gone is shown: %v", places(r))
	}
}

func TestSearchDocuments_DeletedFiles(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	shelf.remove("docs/guide.md")
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "installation"})
	if err != nil || len(r.Results) != 0 || !strings.Contains(strings.Join(r.Metadata.Notes, " "), "deleted") {
		t.Errorf("a deleted file is shown: %+v, %v", r, err)
	}
}

// TestSearchDocuments_StaleFilesRefreshed checks that a search refreshes the changed files it finds.
func TestSearchDocuments_StaleFilesRefreshed(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	shelf.put("stack/stack.go", stackSource+"\n// Peek looks.\nfunc (s *Stack) Peek() int { return 0 }\n", noon.Add(time.Hour))
	if _, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Pop"}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "what is new is found", func() bool {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Peek"})
		return err == nil && slices.Contains(places(r), "stack/stack.go:Stack.Peek")
	})
}

// TestSearchDocuments_BuildingIndex checks that files are searched directly while the index is built.
func TestSearchDocuments_BuildingIndex(t *testing.T) {
	shelf := newShelf(t, map[string]string{"stack/stack.go": stackSource})
	shelf.set(func(s *plugin.Status) { s.State, s.Pending, s.Checked = plugin.Building, 3, time.Time{} })
	files := library()
	files["stack/stack.go"] = stackSource
	files["ignored/x.go"] = "package ignored\n\nfunc Enqueue() {}\n"
	files[".gitignore"] = "hidden/\n"
	files["hidden/x.go"] = "package hidden\n\nfunc Enqueue() {}\n"
	p := newProject(t, files, search.Options{Ignore: []string{"ignored"}}, shelf)
	for query, want := range map[string][]string{
		"Enqueue":        {"queue/queue.go:Queue.Enqueue"},
		`"func (q *Que`:  nil, // an open quote is none
		`"adds an item"`: {"queue/queue.go:Queue.Enqueue"},
		"Stack.Push":     {"stack/stack.go:Stack.Push"},
		"設定":             {"docs/guide.md:Guide > 設定"},
	} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		got := places(r)
		if len(want) > 0 && (len(got) == 0 || got[0] != want[0]) {
			t.Errorf("%s: found %v, want %v; %+v", query, got, want, r.Metadata)
		}
		for _, place := range got {
			if strings.HasPrefix(place, "ignored/") || strings.HasPrefix(place, "hidden/") {
				t.Errorf("%s: %s is found", query, place)
			}
		}
		if r.Metadata.Index != "building" || r.Metadata.PendingFiles != 3 || r.Metadata.IndexAge != -1 || r.Notice != "the index is being built: the 2 files that it lacks were searched directly" {
			t.Errorf("%s: %q, metadata %+v", query, r.Notice, r.Metadata)
		}
	}
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Enqueue"})
	if err != nil || r.Results[0].Note != "not indexed yet" || r.Metadata.Searched.Live == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSearchDocuments_GeneratedFilesLast checks that generated files rank below written ones.
func TestSearchDocuments_GeneratedFilesLast(t *testing.T) {
	files := map[string]string{
		"a.go": "// Code generated by a tool. DO NOT EDIT.\n\npackage a\n\n// Frobnicate frobs.\nfunc Frobnicate() { frob() }\n",
		"b.go": "package a\n\n// Frobnicate frobs.\nfunc Frobnicate() { frob() }\n",
	}
	p := newProject(t, files, search.Options{}, newShelf(t, files))
	for range 2 {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "frobnicate"})
		if err != nil || len(r.Results) != 2 || r.Results[0].Path != "b.go" {
			t.Errorf("%v, %v", places(r), err)
		}
	}
}
