package agents

import "github.com/dougu-go/dougu/internal/truncate"

// fitting are the first of some texts, so many that they have at most so many bytes.
func fitting(texts []string, room int) []string {
	const quotes = 3
	for i, text := range texts {
		if room -= len(text) + quotes; room < 0 {
			return texts[:i]
		}
	}
	return texts
}

// oneLine is a text in one line.
func oneLine(text string, most int) string { return truncate.Line(text, most) }
