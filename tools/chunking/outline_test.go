package chunking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
)

// longClass returns the source of a class with a docstring and a number of methods of 200 bytes.
func longClass(methods int) string {
	var b strings.Builder
	b.WriteString("class Big(Base):\n    \"\"\"Holds everything.\"\"\"\n\n    limit = 5\n")
	for i := range methods {
		fmt.Fprintf(&b, "\n    def method_%d(self, value):\n        \"\"\"%s\"\"\"\n        return value + %[1]d\n", i, strings.Repeat("x", 130))
	}
	return b.String()
}

func TestChunk_Outline(t *testing.T) {
	big := longClass(100)
	p := newProject(t, chunking.Options{Outlines: true}, map[string]string{"big.py": big, "small.py": longClass(3)})
	read := func(id string, full bool) chunking.ChunkResult {
		t.Helper()
		r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: id, Full: full})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := read("big.py#Big", false)
	text := r.TextContent()
	for _, part := range []string{
		fmt.Sprintf("[outline of %d bytes, lines 1-404: get_chunk reads a member by its id, big.py#Big.name, and all with full=true]\nclass Big(Base):\n    \"\"\"Holds everything.\"\"\"", len(strings.TrimRight(big, "\n"))),
		"\n 6-8 def method_0(self, value)", "\n 402-404 def method_99(self, value)",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the outline lacks %q:\n%s", part, text)
		}
	}
	if len(text) > len(big)/4 || strings.Contains(text, "xxx") || r.TextNote() != "" {
		t.Errorf("the outline has %d bytes and the note %q", len(text), r.TextNote())
	}
	if member := read("big.py#Big.method_7", false); !strings.Contains(member.Code, "return value + 7") {
		t.Errorf("a member is %q", member.Code)
	}
	if full := read("big.py#Big", true); !strings.Contains(full.Code, "return value + 99") || len(full.Members) > 0 {
		t.Errorf("the full text has %d bytes and %d members", len(full.Code), len(full.Members))
	}
	if small := read("small.py#Big", false); len(small.Members) > 0 || !strings.Contains(small.Code, "return value + 2") {
		t.Errorf("a short class is %q", small.TextContent())
	}
	p = newProject(t, chunking.Options{}, map[string]string{"big.py": big})
	if r := read("big.py#Big", false); len(r.Members) > 0 || !strings.Contains(r.Code, "return value + 99") {
		t.Errorf("without outlines the text has %d bytes and %d members", len(r.Code), len(r.Members))
	}
}
