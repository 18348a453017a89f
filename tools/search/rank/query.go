package rank

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/token"
)

// Shape is what a query seems to want.
type Shape uint8

// The shapes.
const (
	Keywords Shape = iota // whatever fits some words
	Symbol                // the definition of a name
	Path                  // a file
	Question              // an explanation
	shapes
)

// String is "keywords", "symbol", "path" or "question".
func (s Shape) String() string {
	return [...]string{"keywords", "symbol", "path", "question"}[s]
}

// Query is a query that was understood. It does not change, and may be used by
// several goroutines.
type Query struct {
	Text  string
	Shape Shape
	// Phrases are what stands in double quotes: the text is wanted as it is.
	Phrases []string

	tuning     Tuning
	units      []unit
	symbols    []symbol
	crossing   []string // pairs that are in no unit
	asked      asked    // for what is shown later otherwise
	terms      terms
	vocabulary *vocabulary
}

// Parse reads a query, and ranks by DefaultTuning. What is longer than 4 KiB is cut.
func Parse(text string) *Query { return DefaultTuning().Parse(text) }

// Parse reads a query, and ranks by these weights.
func (t Tuning) Parse(text string) *Query {
	parsed := token.ParseQuery(text)
	q := &Query{Text: text, Phrases: parsed.Phrases, tuning: t}
	for i := range parsed.Groups {
		g := &parsed.Groups[i]
		if g.Kind != token.Pair {
			q.units = append(q.units, unitOf(g))
			continue
		}
		run := runUnits(g)
		q.units = append(q.units, run...)
		q.crossing = append(q.crossing, crossing(g, run)...)
	}
	q.weigh()
	join(q.units)
	q.symbols = symbolsOf(text, parsed.Groups, q.units)
	q.Shape = q.shape(parsed.Groups)
	q.asked = askedBy(q.units)
	q.terms = q.makeTerms()
	q.vocabulary = newVocabulary(q.units)
	return q
}

// Words are the words that are looked for, with their other forms, and English words
// for Japanese ones; one that ends with "*" is the beginning of a word. What everybody
// asks with ("how") is not among them unless there is nothing else.
func (q *Query) Words() []string {
	var words []string
	for i := range q.units {
		u := &q.units[i]
		if u.stop {
			continue
		}
		words = append(words, u.words...)
		if u.kind == token.Pair {
			words = append(words, slices.Concat(u.others...)...)
		}
	}
	return words
}

// unit is something in a query that a text has or has not: a word in any of its
// forms, a name, or a run of characters.
type unit struct {
	text   string
	kind   token.Kind
	whole  string     // the word that it is, or ""
	forms  []string   // other forms of whole
	others [][]string // other words for it, or for what is in it
	joined []string   // written as one word with the next unit
	parts  []string   // of a name, or the pairs of a run
	words  []string   // all of these
	stop   bool
	code   bool
	phrase bool
	weight float64
}

func unitOf(g *token.Group) unit {
	u := unit{text: g.Text, kind: g.Kind, whole: g.Whole, parts: g.Parts, code: g.Code, phrase: g.Phrase > 0}
	switch {
	case g.Kind == token.Plain && !u.phrase:
		u.forms = token.Forms(g.Whole)
		u.stop = stopWords[g.Whole] && !g.Code
		if !u.stop && !g.Code {
			if others := othersOf(g.Whole, u.forms); len(others) > 0 {
				u.others = [][]string{others}
			}
		}
	case g.Kind == token.Pair:
		u.stop = stopRuns[g.Text]
		u.others = translated(joinedPairs(g.Parts))
	}
	if u.whole != "" {
		u.words = append(u.words, u.whole)
	}
	u.words = append(append(u.words, u.forms...), u.parts...)
	if g.Kind == token.Pair {
		u.words = g.Parts
	}
	return u
}

// join finds words that are written as one as well: "web socket" as websocket, "logged
// in" as login.
func join(units []unit) {
	for i := range max(len(units)-1, 0) {
		u, next := &units[i], &units[i+1]
		if u.kind != token.Plain || next.kind != token.Plain || u.phrase || next.phrase || u.stop || next.stop && !particles[next.whole] {
			continue
		}
		u.joined = append(u.joined, u.whole+next.whole)
		for _, form := range u.forms {
			u.joined = append(u.joined, form+next.whole)
		}
	}
}

// weigh says how much each unit matters before it is known how rare it is.
func (q *Query) weigh() {
	plain := 0
	for i := range q.units {
		if !q.units[i].stop {
			plain++
		}
	}
	for i := range q.units {
		u := &q.units[i]
		switch {
		case plain == 0:
			u.stop, u.weight = false, 1
		case u.stop:
			u.weight = q.tuning.Stop
		default:
			u.weight = 1
		}
	}
}

// shape finds out what is wanted.
func (q *Query) shape(groups []token.Group) Shape {
	stops, content, code := 0, 0, 0
	for i := range q.units {
		switch u := &q.units[i]; {
		case u.stop:
			stops++
		case u.code:
			code++
			content++
		default:
			content++
		}
	}
	text := strings.TrimSpace(q.Text)
	switch {
	case pathLike(text):
		return Path
	case asks(text, groups) || stops >= 2 && content >= 2:
		return Question
	case content > 0 && stops == 0 && (code == content || len(q.units) == 1 && q.units[0].kind == token.Plain):
		return Symbol
	}
	return Keywords
}

// pathLike says that a query names a file or directory.
func pathLike(text string) bool {
	if text == "" || strings.ContainsAny(text, " \t\n\"") {
		return false
	}
	if strings.Contains(text, "/") && !strings.Contains(text, "://") {
		return true
	}
	dot := strings.LastIndexByte(text, '.')
	return dot >= 0 && fileExtensions[strings.ToLower(text[dot+1:])]
}

var fileExtensions = set(`go js jsx ts tsx mjs cjs py rb rs java kt kts swift c h cc cpp hpp cs php md rst txt json yaml yml
	toml xml html css scss sql sh vue svelte gradle lock mod proto ini cfg conf`)

// asks says that a query is put as a question.
func asks(text string, groups []token.Group) bool {
	if strings.HasSuffix(strings.TrimSpace(text), "?") || strings.HasSuffix(strings.TrimSpace(text), "？") {
		return true
	}
	if len(groups) >= 3 && questionWords[groups[0].Whole] {
		return true
	}
	for _, end := range questionEnds {
		if utf8.RuneCountInString(text) > 4 && strings.Contains(text, end) {
			return true
		}
	}
	return false
}

var questionWords = set(`how what where which why when who does do is are can should could explain`)

var questionEnds = []string{"とは", "方法", "には", "どう", "なぜ", "何", "どこ", "ですか", "ますか", "仕方", "やり方", "怎么", "如何", "为什么", "什么"}
