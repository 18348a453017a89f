package repository_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every snippet of the documents is part of a Go file, so that it is compiled.
func TestDocuments_SnippetsCompile(t *testing.T) {
	var code []string
	documents := []string{"README.md"}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasPrefix(filepath.ToSlash(name), "docs/") && strings.HasSuffix(name, ".md"):
			documents = append(documents, name)
		case strings.HasSuffix(name, ".go"):
			text, err := os.ReadFile(name)
			code = append(code, unindented(string(text)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "```go\n")[1:] {
			snippet, _, _ := strings.Cut(rest, "```")
			found++
			if !slices.ContainsFunc(code, func(file string) bool { return strings.Contains(file, unindented(snippet)) }) {
				t.Errorf("%s: no Go file has this snippet:\n%s", document, snippet)
			}
		}
	}
	if found < 7 {
		t.Errorf("found %d snippets", found)
	}
}

// unindented is text whose lines begin with their first character.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		out.WriteString(strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t ") + "\n")
	}
	return out.String()
}
