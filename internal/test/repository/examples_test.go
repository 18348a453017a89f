package repository_test

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// exampleDirectories have a directory for each example.
var exampleDirectories = []string{"examples/", "nats/examples/", "otel/examples/", "postgres/examples/"}

// maxExample bounds the main file of an example, in lines.
const maxExample = 150

// inExamples reports whether a file belongs to an example.
func inExamples(file string) bool {
	for _, dir := range exampleDirectories {
		if strings.HasPrefix(file, dir) {
			return true
		}
	}
	return false
}

// Programs of other people are written after the examples, so an example has only packages that they can import.
func TestExamples_PublicPackagesAlone(t *testing.T) {
	files, _ := sources(t)
	checked := 0
	for _, s := range files {
		if !inExamples(s.name) {
			continue
		}
		checked++
		for _, spec := range s.file.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); strings.Contains(imported, "/internal/") {
				t.Errorf("%s imports %s", s.name, imported)
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d files were checked", checked)
	}
}

// The main file of an example shows at a glance how the program is put together.
func TestExamples_Length(t *testing.T) {
	files, _ := sources(t)
	for _, s := range files {
		if !inExamples(s.name) || path.Base(s.name) != "main.go" {
			continue
		}
		text, err := os.ReadFile(s.name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines > maxExample {
			t.Errorf("%s has %d lines, and %d are the most", s.name, lines, maxExample)
		}
	}
}
