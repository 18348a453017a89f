package chunking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

func textProject(t *testing.T) *project {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go":      "package a\n\nimport \"errors\"\n\nvar limit = 10 // bytes\n\n// Push checks the limit.\nfunc Push(n int) error {\n\tif n > limit {\n\t\treturn errors.New(\"over the limit\")\n\t}\n\treturn nil\n}\n",
		"a_test.go": "package a\n\nfunc check() { _ = limit }\n",
		"b.go":      "package a\n\ntype Stack struct{ n int }\n\nfunc (s *Stack) Pop() int { return limit - s.n }\n",
	})
	p.analyze(t)
	return p
}

func TestFindText_EnclosingChunks(t *testing.T) {
	p := textProject(t)
	got, err := p.FindText(t.Context(), chunking.FindTextArgs{Text: "limit"})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, h := range got.Chunks {
		found = append(found, fmt.Sprint(h.ID, " ", h.Lines[0].Line, " ", h.Count))
	}
	if want := "a.go#limit 5 1, a.go#Push 7 3, b.go#Stack.Pop 5 1, a_test.go#check 3 1"; strings.Join(found, ", ") != want || got.NextCursor != "" || got.Note != "" {
		t.Errorf("%q, want %s; %+v", found, want, got)
	}
	text := got.TextContent()
	if !strings.HasPrefix(text, "[4 chunks]\na.go\n limit 5\n  5: var limit = 10 // bytes\n Push 7-13\n") {
		t.Error(text)
	}
}

func TestFindText_Selection(t *testing.T) {
	p := textProject(t)
	for _, c := range []struct {
		args chunking.FindTextArgs
		want string
	}{
		{chunking.FindTextArgs{Text: `panic.*limit"`, Regex: true}, ""},
		{chunking.FindTextArgs{Text: `New\(".*"\)`, Regex: true}, "a.go#Push"},
		{chunking.FindTextArgs{Text: `errors.New("`}, "a.go#Push"},
		{chunking.FindTextArgs{Text: "limit", Path: "b.go"}, "b.go#Stack.Pop"},
		{chunking.FindTextArgs{Text: "LIMIT"}, ""},
		{chunking.FindTextArgs{Text: "bytes"}, "a.go#limit"},
		{chunking.FindTextArgs{Text: "package", Path: "b.go"}, "b.go#a"},
	} {
		got, err := p.FindText(t.Context(), c.args)
		if err != nil {
			t.Errorf("%+v: %v", c.args, err)
			continue
		}
		found := ""
		for _, h := range got.Chunks {
			found += h.ID
			if h.ID == "" {
				found += h.FilePath
			}
		}
		if found != c.want || c.want == "" && !strings.Contains(got.TextContent(), "[not found; 3 indexed files were searched") {
			t.Errorf("%+v: %q, want %q\n%s", c.args, found, c.want, got.TextContent())
		}
	}
	for _, args := range []chunking.FindTextArgs{{}, {Text: "(", Regex: true}, {Text: "a", Path: "["}, {Text: "a", MaxResults: -1}, {Text: "a", Cursor: "x"}} {
		if _, err := p.FindText(t.Context(), args); err == nil {
			t.Errorf("%+v: no error", args)
		}
	}
}

func TestFindText_Pages(t *testing.T) {
	p := textProject(t)
	var found []string
	args := chunking.FindTextArgs{Text: "limit", MaxResults: 1}
	for range 10 {
		got, err := p.FindText(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range got.Chunks {
			found = append(found, h.ID)
		}
		if args.Cursor = got.NextCursor; args.Cursor == "" {
			break
		}
	}
	if want := "a.go#limit a.go#Push b.go#Stack.Pop a_test.go#check"; strings.Join(found, " ") != want {
		t.Errorf("%q, want %s", found, want)
	}
}

func TestFindText_UnsavedText(t *testing.T) {
	p := textProject(t)
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("b.go", "package a\n\nfunc fresh() { typed() }\n")
	got, err := p.FindText(t.Context(), chunking.FindTextArgs{Text: "typed"})
	if err != nil || len(got.Chunks) != 1 || got.Chunks[0].ID != "b.go#fresh" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A file that has changed since the analysis is searched with its present text and chunks.
func TestFindText_ChangedFile(t *testing.T) {
	p := textProject(t)
	p.put(t, "b.go", "package a\n\n\nfunc later() { changed() }\n")
	got, err := p.FindText(t.Context(), chunking.FindTextArgs{Text: "changed"})
	if err != nil || len(got.Chunks) != 1 || got.Chunks[0].ID != "b.go#later" || got.Chunks[0].Lines[0].Line != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}
