package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// maxLiveWords is how many words of a question are looked for in files that are not indexed.
const maxLiveWords = 12

// liveWord is a word of a question, or its exact text, as it is looked for in files.
type liveWord struct {
	text    string // in lower case; empty for a regular expression
	matcher *grep.Matcher
}

// liveWords are what files are looked through for; none if the question has no word.
func (q *question) liveWords() ([]liveWord, error) {
	if q.exact != nil {
		return []liveWord{{matcher: q.exact.matcher}}, nil
	}
	counts := rank.Parse(q.text).Words() // without what everybody asks with
	var wanted []liveWord
	for _, g := range q.words.Groups {
		var forms []string
		for _, word := range append([]string{g.Whole}, g.Parts...) {
			if word != "" && slices.Contains(counts, word) {
				forms = append(forms, regexp.QuoteMeta(strings.TrimSuffix(word, "*")))
			}
		}
		if len(forms) == 0 || len(wanted) == maxLiveWords {
			continue
		}
		m, err := grep.Compile(strings.Join(append(forms, regexp.QuoteMeta(g.Text)), "|"), grep.Options{Case: grep.Insensitive})
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, liveWord{strings.ToLower(g.Text), m})
	}
	return wanted, nil
}

// points are how much a file has of a word: in its text, and in its path.
func (w *liveWord) points(path string, content []byte) int {
	points := 0
	if w.matcher.Candidate(content) && (w.matcher.Match(content) || !utf8.Valid(content)) {
		points += 4
	}
	if w.text != "" && strings.Contains(strings.ToLower(path), w.text) {
		points += 2
	}
	return points
}
