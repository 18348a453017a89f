package rank

import (
	"cmp"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// Result is a ranked candidate.
type Result struct {
	index.Candidate
	// Score is from 0 to 1 and orders the results of one query. Scores of different
	// queries are not comparable.
	Score float64
	// Why lists the main criteria besides the matching words: "defines parseURL",
	// "name" and "file" raise the score, "test" lowers it. It may be empty.
	Why string
}

// Options configure Order. The zero value is usable.
type Options struct {
	// Limit is the maximum number of results. Default: 0, which returns all.
	Limit int
	// Generated reports whether a program wrote the file at a path, in addition to the
	// check by name. Default: nil.
	Generated func(path string) bool
}

// Order ranks the candidates that an index found for Query.Index, the most relevant first.
// The order is deterministic. It does not change found.
func Order(q *Query, found index.Found, o Options) []Result {
	r := ranking{q: q, t: &q.tuning, found: &found, o: o, paths: map[string]*place{}, labels: labels{vocabulary: q.vocabulary}}
	r.weigh()
	r.gather()
	all := make([]Result, 0, len(found.Candidates))
	for i := range found.Candidates {
		all = append(all, r.score(&found.Candidates[i]))
	}
	r.cohere(all)
	slices.SortStableFunc(all, compare)
	all = r.lowerRepeated(all)
	return all[:limited(len(all), o.Limit)]
}

func limited(n, limit int) int {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}

func compare(a, b Result) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Candidate.Score, a.Candidate.Score),
		strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Piece.Range.Start, b.Piece.Range.Start))
}

// ranking is the state of one Order.
type ranking struct {
	q      *Query
	t      *Tuning
	found  *index.Found // the candidates, with the frequencies of the terms
	o      Options
	labels labels            // parsed names and paths
	paths  map[string]*place // by path of the file
	most   float64           // highest score of the index, to which scores are relative
	weight []float64         // weight of each unit of the query, reduced for frequent ones
	total  float64           // sum of weight
}

// place is the information from the path of a file.
type place struct {
	stem, dirs *label  // file name without extension; directories
	file, dir  float64 // part of the query that stem and dirs match, 0 to 1
	factor     float64 // multiplies scores; below 1 for tests, vendored files and the like
	sort       sort
	matched    uint64  // terms matched by any candidate of the file
	gathered   float64 // part of the query in matched, 0 to 1
}

// weigh computes the weight of each unit of the query. A unit in most candidates weighs
// less; a unit in none does not distinguish candidates.
func (r *ranking) weigh() {
	for i := range r.found.Candidates {
		r.most = max(r.most, r.found.Candidates[i].Score)
	}
	r.weight = make([]float64, len(r.q.units))
	for i := range r.q.units {
		of := &r.q.terms.of[i]
		n := 0
		for _, at := range of.any {
			n = max(n, r.frequency(at))
		}
		for _, at := range of.parts {
			n = max(n, r.frequency(at))
		}
		for _, at := range of.others {
			if n == 0 {
				n = r.frequency(at)
			}
		}
		if n > 0 {
			r.weight[i] = r.q.units[i].weight / math.Pow(1+math.Log10(1+float64(n))/2, r.t.Rarity)
		}
		r.total += r.weight[i]
	}
}

// frequency returns the number of documents with a term, or 1 if the index does not report it.
func (r *ranking) frequency(term int) int {
	if term < len(r.found.Frequencies) {
		return r.found.Frequencies[term]
	}
	return 1
}

// gather computes the part of the query that each file contains.
func (r *ranking) gather() {
	for i := range r.found.Candidates {
		c := &r.found.Candidates[i]
		r.placeOf(c.File.Path).matched |= c.Matched
	}
	for _, at := range r.paths {
		at.gathered = r.coverage(at.matched)
	}
}

// score returns the result for a candidate, without regard to the other candidates.
func (r *ranking) score(c *index.Candidate) Result {
	t := r.t
	at := r.placeOf(c.File.Path)
	words := 0.0
	if r.most > 0 {
		words = c.Score / r.most
	}
	cover := r.coverage(c.Matched)
	own := r.labels.of(c.Piece.Name)
	name := r.named(&c.Piece, own)
	defines, which := r.defines(&c.Piece, own, at)
	file, dir := at.file, at.dir
	sum := words*math.Pow(cover, t.Coverage) + t.Definition*defines + t.Name*name + t.File*file + t.Dir*dir + t.Gathered*at.gathered
	factor := at.factor * t.prior(&c.Piece, r.q.Shape)
	if c.Piece.Kind == "initializer" || c.Piece.Name != "" && c.Piece.Name == c.Piece.Container {
		factor *= t.Constructor
	}
	res := Result{Candidate: *c, Score: sum * factor / (1 + t.Definition + t.Name + t.File + t.Dir + t.Gathered)}
	res.Why = r.why(which, name, file, at)
	return res
}

// why describes the criteria that raised or lowered the score.
func (r *ranking) why(defines string, name, file float64, at *place) string {
	var says []string
	switch {
	case defines != "":
		says = append(says, "defines "+defines)
	case name > 0.5:
		says = append(says, "name")
	}
	if file > 0.5 {
		says = append(says, "file")
	}
	if at.factor < 1 {
		says = append(says, at.sort.String())
	}
	return strings.Join(says, ", ")
}

// placeOf returns the information from a path.
func (r *ranking) placeOf(name string) *place {
	if known, ok := r.paths[name]; ok {
		return known
	}
	dir, base := path.Split(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	at := &place{stem: r.labels.of(stem), dirs: r.labels.of(dir), sort: sortOf(name)}
	if r.o.Generated != nil && r.o.Generated(name) {
		at.sort |= isGenerated
	}
	at.file, at.dir = r.share(at.stem)*math.Sqrt(at.stem.fit()), r.share(at.dirs)
	at.factor = r.t.factor(at.sort, r.q.asked)
	r.paths[name] = at
	return at
}

// coverage returns the matched part of the query.
func (r *ranking) coverage(matched uint64) float64 {
	if r.total == 0 {
		return 1
	}
	has := 0.0
	for i := range r.q.units {
		has += r.unitCoverage(i, matched) * r.weight[i]
	}
	return has / r.total
}

// unitCoverage returns the matched part of a unit.
func (r *ranking) unitCoverage(i int, matched uint64) float64 {
	of := &r.q.terms.of[i]
	if share(of.any, matched) > 0 {
		return 1
	}
	parts := share(of.parts, matched)
	credit := r.t.Synonym
	if r.q.units[i].kind == token.Pair {
		credit = r.t.Translation
	}
	return max(parts*parts, credit*share(of.others, matched)) // squared, because half of a name's parts is a weak match
}

// share returns the part of the terms that are matched.
func share(terms []int, matched uint64) float64 {
	if len(terms) == 0 {
		return 0
	}
	n := 0
	for _, at := range terms {
		n += int(matched >> at & 1)
	}
	return float64(n) / float64(len(terms))
}

// cohere raises the scores of pieces with further matches in the same file.
func (r *ranking) cohere(all []Result) {
	if r.t.Coherence == 0 {
		return
	}
	sums := map[string]float64{}
	most := 0.0
	for i := range all {
		sums[all[i].File.Path] += all[i].Score
		most = max(most, sums[all[i].File.Path])
	}
	if most == 0 {
		return
	}
	for i := range all {
		rest := sums[all[i].File.Path] / most
		all[i].Score = all[i].Score * (1 + r.t.Coherence*rest) / (1 + r.t.Coherence)
	}
}

// lowerRepeated lowers the scores of all pieces of a file but its best, by Tuning.Again, and of further
// pieces with the same name, by Tuning.Overload.
func (r *ranking) lowerRepeated(all []Result) []Result {
	seen, named := map[string]int{}, map[[2]string]int{}
	for i := range all {
		path, name := all[i].File.Path, [2]string{all[i].File.Path, all[i].Piece.Name}
		all[i].Score *= math.Pow(r.t.Again, float64(seen[path]))
		seen[path]++
		if name[1] != "" {
			all[i].Score *= math.Pow(r.t.Overload, float64(named[name]))
			named[name]++
		}
	}
	slices.SortStableFunc(all, compare)
	return all
}

// named returns, from 0 to 1, the similarity of a piece's name or heading and the
// query.
func (r *ranking) named(p *index.Piece, own *label) float64 {
	if own.used == 0 || r.total == 0 {
		return 0
	}
	above := r.labels.of(p.Container)
	has := 0.0
	for i, in := range own.has {
		if in < 1 && above.has != nil {
			in = max(in, 0.7*above.has[i])
		}
		has += in * r.weight[i]
	}
	return has / r.total * math.Pow(own.fit(), r.t.Fit)
}

// share returns the part of the query in a label.
func (r *ranking) share(l *label) float64 {
	if r.total == 0 {
		return 0
	}
	has := 0.0
	for i, in := range l.has {
		has += in * r.weight[i]
	}
	return has / r.total
}

// defines returns the certainty that a piece defines a symbol of the query, and the name of
// the symbol.
func (r *ranking) defines(p *index.Piece, own *label, at *place) (sure float64, name string) {
	for i := range r.q.symbols {
		s := &r.q.symbols[i]
		if got := r.definition(s, p, own, at); got > sure {
			sure, name = got, p.Name
		}
	}
	if sure < 0.5 {
		name = ""
	}
	return sure, name
}

// definition returns the certainty that a piece defines a symbol.
func (r *ranking) definition(s *symbol, p *index.Piece, own *label, at *place) float64 {
	sure := 0.0
	switch {
	case strings.TrimLeft(p.Name, "_#.$") == s.text:
		sure = 1
	case len(own.wholes) == 1 && own.wholes[0] == s.whole:
		sure = 0.9
	case slices.Contains(own.wholes, s.whole):
		sure = 0.9 / math.Sqrt(float64(len(own.wholes)))
	case len(s.whole) > 3 && s.sure && len(own.wholes) == 1 && strings.HasPrefix(own.wholes[0], s.whole):
		sure = 0.4 * float64(len(s.whole)) / float64(len(own.wholes[0]))
	default:
		return 0
	}
	if len(s.in) > 0 {
		sure *= 0.4 + 0.6*r.belongs(s, p, at)
	}
	if !s.sure {
		sure *= math.Pow(float64(s.units)/float64(len(r.q.units)), r.t.Apart)
	}
	return sure
}

// belongs returns the part of a symbol's qualifier that the container, file or
// directories of a piece match.
func (r *ranking) belongs(s *symbol, p *index.Piece, at *place) float64 {
	above := r.labels.of(p.Container)
	found := 0.0
	for _, one := range s.in {
		switch {
		case slices.Contains(above.wholes, one):
			found++
		case slices.Contains(at.stem.wholes, one):
			found += 0.8
		case slices.Contains(at.dirs.wholes, one):
			found += 0.7
		}
	}
	return found / float64(len(s.in))
}

// label is a name, heading or path as words.
type label struct {
	wholes []string // complete names
	words  []string // words without parts, and the parts of the others
	// has is the matched part of each query unit, from 0 to 1. Bit n of used is set if
	// the query contains word n, for the first 64 words.
	has  []float64
	used uint64
}

// fit returns the part of the label's words that occur in the query.
func (l *label) fit() float64 {
	if len(l.words) == 0 {
		return 0
	}
	return float64(bits.OnesCount64(l.used)) / float64(min(len(l.words), 64))
}

// labels parses names for a query and caches them, because candidates share containers
// and directories.
type labels struct {
	vocabulary *vocabulary
	scanner    token.Scanner
	known      map[string]*label // by text
	parts      []uint64          // found parts of each unit, one bit for each; memory that find reuses
}

// of returns the label of a name or path.
func (l *labels) of(text string) *label {
	if known, ok := l.known[text]; ok {
		return known
	}
	made := new(label)
	l.read(made, text)
	made.has = l.vocabulary.find(made, &l.parts)
	if l.known == nil {
		l.known = make(map[string]*label, 256)
	}
	l.known[text] = made
	return made
}

// read splits a text into the words of a label.
func (l *labels) read(made *label, text string) {
	inWhole, part := int32(-1), int32(-1) // end of the name whose parts follow, and start of its last part
	for w := range l.scanner.Words([]byte(text)) {
		switch w.Kind {
		case token.Part:
			if w.End <= inWhole && w.Start != part { // skips a repetition of the last part without its digits
				made.words = append(made.words, string(w.Text))
			}
			part = w.Start
			continue
		case token.Whole:
			inWhole = w.End
			made.wholes = append(made.wholes, string(w.Text))
			continue
		case token.Number:
			if len(made.words) == 0 && int(w.End) < len(text) {
				continue // number of a chapter
			}
		case token.Last:
			if n := len(made.words); n > 0 && strings.HasSuffix(made.words[n-1], string(w.Text)) {
				continue // part of the previous pair
			}
		}
		word := string(w.Text)
		made.wholes = append(made.wholes, word)
		made.words = append(made.words, word)
	}
}
