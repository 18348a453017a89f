package search_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/tools/search"
)

func TestResources(t *testing.T) {
	files := library()
	files["docs/日本 語.md"] = "# 見出し\n\n本文\n"
	shelf := newShelf(t, files)
	p := newProject(t, nil, search.Options{}, shelf)
	client := mcptest.Connect(t, mcptest.Server(t, p.Features()), nil)

	status, err := client.ReadResource(t.Context(), "cqm://status", nil)
	if err != nil {
		t.Fatal(err)
	}
	var s search.IndexStatus
	if err := json.Unmarshal([]byte(status.Contents[0].Text), &s); err != nil || s.State != "ready" || s.Files != 4 {
		t.Errorf("%s: %v", status.Contents[0].Text, err)
	}

	var template mcp.ResourceTemplate
	for one, err := range client.Templates(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		template = one
	}
	uri, err := template.Expand(map[string]string{"path": "docs/日本 語.md"})
	if err != nil {
		t.Fatal(err)
	}
	document, err := client.ReadResource(t.Context(), uri, nil)
	if err != nil || document.Contents[0].Text != files["docs/日本 語.md"] {
		t.Errorf("%s: %+v, %v", uri, document, err)
	}
	for _, uri := range []string{"cqm://documents/nothing.md", "cqm://documents/../etc/passwd", "cqm://other"} {
		if _, err := client.ReadResource(t.Context(), uri, nil); !mcp.IsResourceNotFound(err) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for value, want := range map[string][]string{
		"docs/": {"docs/guide.md", "docs/日本 語.md"},
		"st":    {"stack/stack.go"},
		"guide": {"docs/guide.md"},
		"x":     nil,
	} {
		got, err := client.CompleteResource(t.Context(), template.URITemplate, "path", value, nil)
		if err != nil || !slices.Equal(got.Values, want) {
			t.Errorf("%s completes to %v, %v", value, got.Values, err)
		}
	}
}

// TestUpdated_ChangedFiles checks the URIs that subscribers receive after changes.
func TestUpdated_ChangedFiles(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, nil, search.Options{}, shelf)
	var mu sync.Mutex
	var heard []string
	stop := p.Updated(func(uri string) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, uri)
	})
	shelf.tell("docs/日本 語.md")
	if want := []string{"cqm://status", "cqm://documents/docs/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.md"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	// The call names no path: any file may have changed.
	shelf.tell()
	waittest.Until(t, "a notification about every file", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(heard, "cqm://documents/docs/guide.md") && slices.Contains(heard, "cqm://documents/stack/stack.go")
	})
	stop()
	mu.Lock()
	before := len(heard)
	mu.Unlock()
	shelf.tell("a.go")
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != before {
		t.Errorf("heard %q after the end", heard[before:])
	}
}

func TestPrompts(t *testing.T) {
	p := newProject(t, library(), search.Options{}, newShelf(t, library()))
	p.git(t, "init", "--quiet")
	p.git(t, "add", ".")
	p.git(t, "commit", "--quiet", "--message", "first")
	client := mcptest.Connect(t, mcptest.Server(t, p.Features()), nil)
	get := func(name string, args map[string]string) (string, error) {
		r, err := client.GetPrompt(t.Context(), name, args, nil)
		if err != nil {
			return "", err
		}
		return r.Messages[0].Content.(mcp.TextContent).Text, nil
	}
	text, err := get("explain_module", map[string]string{"path": "stack"})
	if err != nil || !strings.Contains(text, "stack/stack.go") || !strings.Contains(text, "method func (s *Stack) Pop()") || strings.Contains(text, "queue") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := get("explain_module", map[string]string{"path": "nothing"}); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("no such module: %v", err)
	}
	if _, err := get("review_change", nil); err == nil || !strings.Contains(err.Error(), "nothing differs") {
		t.Errorf("no change: %v", err)
	}
	p.write(t, "stack/stack.go", strings.ReplaceAll(stackSource, "ErrEmpty", "ErrNone"))
	p.write(t, ".env", "SECRET=1\n")
	p.git(t, "add", "--force", ".env")
	text, err = get("review_change", map[string]string{"base": "HEAD"})
	if err != nil || !strings.Contains(text, "edited stack/stack.go") || !strings.Contains(text, "+var ErrNone") || strings.Contains(text, "SECRET") || strings.Contains(text, ".env") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := get("review_change", map[string]string{"base": "--output=x"}); err == nil || !strings.Contains(err.Error(), "no such commit") {
		t.Errorf("a bad base: %v", err)
	}
}
