package cqm

import (
	"fmt"
	"io"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search"
)

// shownLines is how many lines of a result a person is shown.
const shownLines = 6

// printDocuments prints the found documents, the best first.
func printDocuments(w io.Writer, found search.DocumentsResult) error {
	var b strings.Builder
	writeNotice(&b, found.Notice)
	for _, d := range found.Results {
		fmt.Fprintf(&b, "%s:%d-%d  %s %s (%.2f)\n", d.Path, d.StartLine, d.EndLine, d.Kind, d.Name, d.Score)
		writeLines(&b, d.Content)
	}
	m := found.Metadata
	fmt.Fprintf(&b, "%s in %.0f ms, from %s\n", plural.Count(m.TotalResults, "result"), m.SearchTime, plural.Count(m.Searched.Files+m.Searched.Live, "file"))
	writeNotes(&b, m.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

// printSimilar prints similar code, the most similar first.
func printSimilar(w io.Writer, found search.SimilarResult) error {
	var b strings.Builder
	writeNotice(&b, found.Notice)
	for _, c := range found.Results {
		fmt.Fprintf(&b, "%s:%d-%d  %s %s (%.2f)\n", c.File, c.StartLine, c.EndLine, c.Kind, c.Name, c.Similarity)
		writeLines(&b, c.Code)
	}
	fmt.Fprintf(&b, "%s in %.0f ms\n", plural.Count(found.Metadata.TotalResults, "result"), found.Metadata.SearchTime)
	writeNotes(&b, found.Metadata.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLines(b *strings.Builder, text string) {
	lines := strings.SplitAfter(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == shownLines {
			fmt.Fprintf(b, "    … %d more lines\n", len(lines)-i)
			break
		}
		fmt.Fprintf(b, "    %s\n", strings.TrimRight(line, "\r\n"))
	}
}

func writeNotice(b *strings.Builder, notice string) {
	if notice != "" {
		writeNotes(b, strings.Split(notice, "\n"))
	}
}

func writeNotes(b *strings.Builder, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
}
