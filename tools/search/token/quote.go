package token

import "strings"

// quote is where a phrase is, without its quotation marks.
type quote struct{ start, end int }

// quotes are the phrases of a query, in order. A mark that nothing closes is none.
func quotes(text string) []quote {
	var all []quote
	for at := 0; at < len(text) && len(all) < maxPhrases; {
		from, mark, closing := opening(text[at:])
		if from < 0 {
			break
		}
		start := at + from + len(mark)
		length := strings.Index(text[start:], closing)
		if length < 0 {
			at = start
			continue
		}
		if strings.TrimSpace(text[start:start+length]) != "" {
			all = append(all, quote{start, start + length})
		}
		at = start + length + len(closing)
	}
	return all
}

// opening is the first quotation mark, and what closes it.
func opening(text string) (at int, mark, closing string) {
	at = -1
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"「", "」"}, {"『", "』"}} {
		if i := strings.Index(text, pair[0]); i >= 0 && (at < 0 || i < at) {
			at, mark, closing = i, pair[0], pair[1]
		}
	}
	return at, mark, closing
}

// phraseAt is the number of the phrase around a place, from 1, or 0.
func phraseAt(quotes []quote, start, end int) int {
	for i, q := range quotes {
		if q.start <= start && end <= q.end {
			return i + 1
		}
	}
	return 0
}

// joined says that what stands before and after a word makes it a name in code.
func joined(before, after string) bool {
	if strings.HasPrefix(after, "(") || strings.HasSuffix(before, "`") && strings.HasPrefix(after, "`") {
		return true
	}
	for _, link := range []string{".", "::", "->"} {
		if rest, ok := strings.CutPrefix(after, link); ok && rest != "" && classes[rest[0]]&inWord != 0 {
			return true
		}
		if rest, ok := strings.CutSuffix(before, link); ok && rest != "" && classes[rest[len(rest)-1]]&inWord != 0 {
			return true
		}
	}
	return false
}
