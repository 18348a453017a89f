package rank

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// Shape is the kind of result that a query appears to ask for.
type Shape uint8

// Values of Shape.
const (
	Keywords Shape = iota // pieces that match the words
	Symbol                // definition of a name
	Path                  // file
	Question              // explanation
	Where                 // code that does something: "where is the request parsed"
	shapes
)

// String returns "keywords", "symbol", "path", "question" or "where".
func (s Shape) String() string {
	return [...]string{"keywords", "symbol", "path", "question", "where"}[s]
}

// Query is a parsed query. It is immutable, and safe for concurrent use.
type Query struct {
	Text  string
	Shape Shape
	// Phrases are the texts in double quotes, which must occur literally.
	Phrases []string

	tuning     Tuning
	units      []unit
	symbols    []symbol // names in the query
	crossing   []string // pairs of characters across the boundary of two units
	asked      asked    // purposes that the query names; their files are not ranked lower
	terms      terms    // terms for the index
	vocabulary *vocabulary
}

// Parse parses a query for DefaultTuning. Text beyond 4 KiB is ignored.
func Parse(text string) *Query { return DefaultTuning().Parse(text) }

// Parse parses a query. Order ranks its results by t. Text beyond 4 KiB is ignored.
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

// Words returns the searched words with their other forms, and English words for
// Japanese ones. A word that ends in "*" is a prefix. Stop words such as "how" are
// omitted unless the query has nothing else.
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

// unit is an element of a query that a text can contain: a word in any of its forms, a
// name, or a run of characters.
type unit struct {
	text   string // as in the query
	kind   token.Kind
	whole  string     // the word; "" if the unit is not a word
	forms  []string   // other forms of whole
	others [][]string // synonyms of the word, or of words in it
	joined []string   // one word for this unit and the next one
	parts  []string   // parts of a name, or pairs of a run
	words  []string   // all words of the unit
	stop   bool       // a stop word, which does not count unless the query has nothing else
	code   bool       // looks like code
	phrase bool       // in double quotes
	weight float64    // relative weight, before rarity
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

// join finds words that are also written as one: "web socket" as websocket, "logged in" as
// login.
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

// weigh computes the weight of each unit without its rarity.
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

// shape guesses the kind of result that the query asks for.
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
	case len(groups) >= 3 && groups[0].Whole == "where":
		return Where
	case asks(text, groups) || stops >= 2 && content >= 2:
		return Question
	case content > 0 && stops == 0 && (code == content || len(q.units) == 1 && q.units[0].kind == token.Plain):
		return Symbol
	}
	return Keywords
}

// pathLike reports whether a query names a file or directory.
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

// asks reports whether a query is a question.
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

// maxTerms is the number of terms for which an index reports matches; see
// index.Candidate.Matched.
const maxTerms = 64

// terms are the terms of an index query, with the unit of each.
type terms struct {
	list []index.Term
	of   []unitTerms // by unit
}

// unitTerms are the term numbers of a unit: one of any, or all of parts, must occur;
// others are synonyms.
type unitTerms struct{ any, parts, others []int }

// Index returns the query for an index: at most limit pieces that pass the filter, by
// descending score.
func (q *Query) Index(filter index.Filter, limit int) index.Query {
	return index.Query{
		Terms: slices.Clone(q.terms.list), Filter: filter, Limit: limit,
		Weights: q.tuning.Weights, B: q.tuning.B, K1: q.tuning.K1,
	}
}

func (q *Query) makeTerms() terms {
	t := terms{of: make([]unitTerms, len(q.units))}
	for i := range q.units {
		q.termsOf(&t, i)
	}
	for i := range q.units {
		u := &q.units[i]
		weight := q.tuning.Synonym
		if u.kind == token.Pair {
			weight = q.tuning.Translation
		}
		for _, words := range u.others {
			t.of[i].others = t.put(t.of[i].others, index.Term{Words: words, Weight: u.weight * weight})
		}
	}
	for _, pair := range q.crossing {
		t.add(index.Term{Words: []string{pair}, Weight: q.tuning.Crossing})
	}
	for i := range q.units {
		u := &q.units[i]
		if len(u.joined) == 0 {
			continue
		}
		if at, ok := t.add(index.Term{Words: u.joined, Weight: q.tuning.Joined}); ok {
			t.of[i].any = append(t.of[i].any, at)
			t.of[i+1].any = append(t.of[i+1].any, at)
		}
	}
	return t
}

// termsOf adds the terms of a unit.
func (q *Query) termsOf(t *terms, i int) {
	u, tuning := &q.units[i], &q.tuning
	of := &t.of[i]
	switch {
	case u.kind == token.Pair:
		for _, pair := range u.parts {
			of.parts = t.put(of.parts, index.Term{Words: []string{pair}, Weight: u.weight, Required: u.phrase})
		}
	case u.kind == token.Whole:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight * tuning.Whole, Required: u.phrase})
		for _, part := range u.parts {
			of.parts = t.put(of.parts, index.Term{Words: []string{part}, Weight: u.weight * tuning.Part})
		}
	case len(u.forms) > 0 && tuning.Form > 0:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight * (1 - tuning.Form)})
		of.any = t.put(of.any, index.Term{Words: append([]string{u.whole}, u.forms...), Weight: u.weight * tuning.Form})
	default:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight, Required: u.phrase})
	}
}

// put adds a term and appends its number to the numbers of a unit.
func (t *terms) put(numbers []int, term index.Term) []int {
	if at, ok := t.add(term); ok {
		numbers = append(numbers, at)
	}
	return numbers
}

// add adds a term and returns its number. It returns the existing number for an equal term,
// and false if there are too many terms.
func (t *terms) add(term index.Term) (at int, ok bool) {
	for at := range t.list {
		if slices.Equal(t.list[at].Words, term.Words) {
			t.list[at].Weight = max(t.list[at].Weight, term.Weight)
			t.list[at].Required = t.list[at].Required || term.Required
			return at, true
		}
	}
	if len(t.list) == maxTerms || len(term.Words) == 0 || term.Words[0] == "" {
		return 0, false
	}
	t.list = append(t.list, term)
	return len(t.list) - 1, true
}

// symbol is a name of code that a query contains or may refer to.
type symbol struct {
	text  string // as written
	whole string
	in    []string // qualifier, with the nearest container last
	sure  bool     // the query has the form of a name, or consists of it only
	units int      // number of units in it
}

// maxJoined is the maximum number of separate words that can form one name.
const maxJoined = 4

// symbolsOf returns the symbol names in a query with their qualifiers. The words of a
// short query also form one name.
func symbolsOf(text string, groups []token.Group, units []unit) []symbol {
	var all []symbol
	for i := range groups {
		g := &groups[i]
		if g.Whole == "" || g.Kind == token.Pair {
			continue
		}
		s := symbol{text: g.Text, whole: g.Whole, sure: g.Code || len(groups) == 1, units: 1}
		for before := i; before > 0 && joins(text[groups[before-1].End:groups[before].Start]) && groups[before-1].Whole != ""; before-- {
			s.in = append([]string{groups[before-1].Whole}, s.in...)
		}
		if i+1 < len(groups) && joins(text[g.End:groups[i+1].Start]) {
			s.sure = false // the query refers to its member
		}
		if s.sure || !stopWords[g.Whole] {
			all = append(all, s)
		}
	}
	for _, stops := range []bool{true, false} {
		if joined, ok := joinedSymbol(units, stops); ok {
			all = append(all, joined)
		}
	}
	return all
}

// joins reports whether a name continues after a separator.
func joins(between string) bool {
	switch between {
	case ".", "::", "->", "#", "/", ".prototype.", "().", "?.":
		return true
	}
	return false
}

// joinedSymbol returns the name that the words of a short query form together; with
// stops, stop words are included.
func joinedSymbol(units []unit, stops bool) (symbol, bool) {
	var whole, text strings.Builder
	n := 0
	for i := range units {
		u := &units[i]
		if u.stop && !stops {
			continue
		}
		if u.whole == "" || u.kind == token.Pair {
			return symbol{}, false
		}
		whole.WriteString(u.whole)
		text.WriteString(u.text)
		n++
	}
	return symbol{text: text.String(), whole: whole.String(), units: n}, n > 1 && n <= maxJoined
}

// set returns the set of words in a text.
func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// stopWords are frequent words without meaning for a search.
var stopWords = set(`a an the and or of to in on at by for with from into as is are was were be been being am do does did
	doesn don has have had how what where which who whom whose why when that this these those it its i you we they my our
	your their he she can could should would may might must will shall if then than so such via using used there here
	about between me us please want need`)

// particles make verbs that are written as one word in names: login, logout, setup.
var particles = set(`in out up down on off over back by`)

// stopRuns are Japanese particles and phrases without meaning for a search.
var stopRuns = set(`の は が を に で と も へ や か から まで より とは には では への での との からの までの する した して
	される された されて している していた すると できる できない しない です ます である する方 ある いる な なる になる
	こと もの ため どう どこ なぜ どうやって どのように について における によって により による として する際の するには
	したい をする をした がある この その あの これ それ という ように`)
