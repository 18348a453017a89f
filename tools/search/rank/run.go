package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/token"
)

// runUnits returns the units of a run of Japanese or Chinese, without particles and
// other connecting words.
func runUnits(g *token.Group) []unit {
	var units []unit
	for _, part := range runParts(g.Text) {
		if part == g.Text {
			break
		}
		for _, inner := range token.ParseQuery(part).Groups {
			inner.Phrase = g.Phrase
			units = append(units, unitOf(&inner))
		}
	}
	if len(units) == 0 || g.Phrase > 0 {
		return []unit{unitOf(g)}
	}
	return units
}

// runParts splits a run at particles and endings in Hiragana that follow other scripts.
func runParts(text string) []string {
	var parts []string
	start := 0
	for at := 0; at < len(text); {
		end := at
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.Is(unicode.Hiragana, r) {
				break
			}
			end += size
		}
		if end == at {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		if at > 0 && stopRuns[text[at:end]] {
			if start < at {
				parts = append(parts, text[start:at])
			}
			start = end
		}
		at = end
	}
	if start < len(text) {
		parts = append(parts, text[start:])
	}
	return parts
}

// crossing returns the pairs of characters of a run that are in none of its units. A text
// that contains them has the units in the order of the query.
func crossing(g *token.Group, units []unit) []string {
	if len(units) < 2 {
		return nil
	}
	var pairs []string
	for _, pair := range g.Parts {
		if strings.HasSuffix(pair, "*") {
			continue
		}
		in := false
		for i := range units {
			for _, part := range units[i].parts {
				in = in || part == pair
			}
		}
		if !in {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// joinedPairs returns the run that consists of the pairs.
func joinedPairs(pairs []string) string {
	var b strings.Builder
	for i, pair := range pairs {
		if pair = strings.TrimSuffix(pair, "*"); i > 0 {
			_, size := utf8.DecodeRuneInString(pair)
			pair = pair[size:]
		}
		b.WriteString(pair)
	}
	return b.String()
}
