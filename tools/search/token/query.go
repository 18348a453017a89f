package token

import "strings"

// Query is the parsed text of a query.
type Query struct {
	Groups []Group
	// Phrases are the texts in double quotes, unchanged, at most 8.
	Phrases []string
}

// Group is a word, a name, a number, or a run of characters of a script that is
// written without spaces.
type Group struct {
	Text       string // as written
	Start, End int    // where, in bytes
	// Kind is Plain, Whole for a name of several parts, Number, or Pair for a run.
	Kind Kind
	// Whole is the word that it is in a text; empty for a run of several pairs.
	Whole string
	// Parts are the words of the parts of a name, or of a run, of which a text must
	// have all to have it: its pairs, or "語*" for a character alone.
	Parts []string
	// Phrase is the number of the phrase that it stands in, from 1, or 0.
	Phrase int
	// Code says that it is written as names in code are: with parts, underscores,
	// digits, brackets behind it, in backquotes, or with a point, "::" or "->" next to
	// it.
	Code bool
}

// Limits of a query.
const (
	maxQuery   = 4 << 10
	maxGroups  = 128
	maxPhrases = 8
)

// ParseQuery parses a query. Text beyond 4 KiB and groups beyond 128 are ignored.
func ParseQuery(text string) Query {
	text = text[:min(len(text), maxQuery)]
	r := reader{text: text, quotes: quotes(text)}
	s := Scanner{Singles: true}
	for w := range s.Words([]byte(text)) {
		if !r.word(w) {
			break
		}
	}
	r.endRun()
	for _, q := range r.quotes {
		r.q.Phrases = append(r.q.Phrases, text[q.start:q.end])
	}
	return r.q
}

// reader makes groups of words.
type reader struct {
	text   string
	quotes []quote
	q      Query
	inRun  bool
}

// last is the group that was begun last.
func (r *reader) last() *Group { return &r.q.Groups[len(r.q.Groups)-1] }

// word takes one more word, and says whether there may be another.
func (r *reader) word(w Word) bool {
	switch w.Kind {
	case Pair, Last:
		return r.pair(w)
	case Part:
		// Digits that were left off make no part of a query: they are in the whole.
		if g := r.last(); g.Kind == Whole && int(w.End) <= g.End && !r.shortened(w) {
			g.Parts = append(g.Parts, string(w.Text))
		}
		return true
	}
	return r.begin(w, w.Kind, string(w.Text))
}

// shortened says that a word is the part before it without its digits.
func (r *reader) shortened(w Word) bool {
	end := int(w.End)
	return end < len(r.text) && classes[r.text[end]] == digit && classes[r.text[end-1]]&letter != 0
}

// begin makes a group, unless there are too many.
func (r *reader) begin(w Word, kind Kind, whole string) bool {
	r.endRun()
	if len(r.q.Groups) == maxGroups {
		return false
	}
	start, end := int(w.Start), int(w.End)
	g := Group{Text: r.text[start:end], Start: start, End: end, Kind: kind, Whole: whole}
	g.Phrase = phraseAt(r.quotes, start, end)
	g.Code = kind != Pair && r.code(kind, start, end)
	r.q.Groups = append(r.q.Groups, g)
	return true
}

// pair takes a word of a run: all pairs but the last character, unless it is alone.
func (r *reader) pair(w Word) bool {
	if !r.inRun {
		if !r.begin(w, Pair, "") {
			return false
		}
		r.inRun = true
	}
	g := r.last()
	g.End = max(g.End, int(w.End))
	g.Text = r.text[g.Start:g.End]
	switch {
	case w.Kind == Pair:
		g.Parts = append(g.Parts, string(w.Text))
	case len(g.Parts) == 0:
		g.Whole = string(w.Text)
		g.Parts = []string{g.Whole + "*"}
	case len(g.Parts) == 1:
		g.Whole = g.Parts[0]
	}
	if w.Kind == Last {
		r.inRun = false
	}
	return true
}

func (r *reader) endRun() { r.inRun = false }

// code says that text[start:end] looks like a name in code.
func (r *reader) code(kind Kind, start, end int) bool {
	t := r.text
	if kind == Whole {
		return true
	}
	mixed, digits := false, false
	for i := start; i < end; i++ {
		c := classes[t[i]]
		mixed = mixed || c == under || c == upper && i > start && classes[t[i-1]] == lower
		digits = digits || c == digit && i > start
	}
	before, after := t[:start], t[end:]
	return mixed || digits && kind != Number || joined(before, after)
}

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

// opening returns the first quotation mark and the mark that closes it.
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

// joined reports whether the text before and after a word marks it as a name in code.
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
