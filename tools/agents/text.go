package agents

import "github.com/dougu-go/dougu/internal/truncate"

// fitList returns the first texts that fit room bytes together.
func fitList(texts []string, room int) []string {
	const quotes = 3
	for i, text := range texts {
		if room -= len(text) + quotes; room < 0 {
			return texts[:i]
		}
	}
	return texts
}

// oneLine returns a text in one line of at most most bytes.
func oneLine(text string, most int) string { return truncate.Line(text, most) }
