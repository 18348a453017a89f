package pattern

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Trees returns the syntax tree of a text. A source.Parsers and a treesitter.Parser are Trees.
type Trees interface {
	Tree(ctx context.Context, src []byte, lang source.Language) (*source.Tree, error)
}

// Error is a refusal of a pattern or template.
type Error struct {
	Message string
	Next    string // what to do
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// faultyError says that a pattern is no code in one of the places.
type faultyError struct{ message string }

func (e *faultyError) Error() string { return e.message }

func refuse(next, format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...), Next: next}
}

// Limits of a pattern.
const (
	maxText      = 64 << 10 // bytes
	maxNodes     = 10000
	maxDepth     = 500
	maxVariables = 64
	maxReadings  = 8
	maxFlips     = 16 // variables whose form is tried one by one
)

const wholeAdvice = "Give a whole expression, statement, declaration, member or type of the language. $NAME stands for one node, $$$NAME for any number of siblings."

// Pattern finds code in texts of one language. Compile makes it. It is safe for concurrent use.
type Pattern struct {
	lang     source.Language
	trees    Trees
	names    []string // of captures
	readings []*reading
	byKind   map[uint16][]*reading // readings of one node, by its kind
	repeated bool                  // a name stands twice
	lastByte byte                  // of the text
}

// reading is one way to understand the text of a pattern: a node, or several siblings.
type reading struct {
	kind     string
	list     list
	literals [][]byte // texts of names and literals, the longest first
}

// Compile makes a Pattern of a text in the syntax of a language. It returns an *Error for a text that is no code of the language, and
// the error of trees if there is no grammar.
func Compile(ctx context.Context, trees Trees, lang source.Language, text string) (*Pattern, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text == "":
		return nil, refuse(wholeAdvice, "the pattern is empty")
	case len(text) > maxText:
		return nil, refuse("Leave out parts with $_ and $$$.", "the pattern has %d bytes; at most %d are compiled", len(text), maxText)
	case strings.IndexByte(text, 0) >= 0:
		return nil, refuse(wholeAdvice, "the pattern has a NUL byte")
	}
	p := &Pattern{lang: lang, trees: trees, lastByte: text[len(text)-1], byKind: map[uint16][]*reading{}}
	c := compiler{pattern: p, forms: formsOf(lang)}
	if err := c.split(text); err != nil {
		return nil, err
	}
	var refused, faulty error
	for _, place := range placesOf(lang) {
		err := c.read(ctx, place, len(p.readings) == 0)
		if errors.Is(err, source.ErrTooComplex) && ctx.Err() == nil {
			err = &faultyError{err.Error()}
		}
		switch err.(type) {
		case nil:
		case *faultyError:
			faulty = cmp.Or(faulty, err)
		case *Error:
			refused = cmp.Or(refused, err)
		default:
			return nil, err
		}
	}
	switch {
	case len(p.readings) > 0:
		p.register()
		return p, nil
	case refused != nil:
		return nil, refused
	}
	return nil, refuse(wholeAdvice, "the pattern is no code of %s by itself: %v", lang, faulty)
}

// register fills the tables of the readings by the kind of their first item. Readings of several siblings count only without another.
func (p *Pattern) register() {
	if slices.ContainsFunc(p.readings, func(r *reading) bool { return len(r.list.items) == 1 }) {
		p.readings = slices.DeleteFunc(p.readings, func(r *reading) bool { return len(r.list.items) > 1 })
	}
	for _, r := range p.readings {
		if first := r.list.items[0]; len(r.list.items) == 1 {
			p.byKind[first.kind] = append(p.byKind[first.kind], r)
		}
	}
}

// Language returns the language of the pattern.
func (p *Pattern) Language() source.Language { return p.lang }

// Names returns the names of the captures, without dollar signs.
func (p *Pattern) Names() []string { return slices.Clone(p.names) }

// Kinds returns the kinds of nodes that the pattern can mean, by the names of the grammar. For several siblings it is the kind of the
// first one.
func (p *Pattern) Kinds() []string {
	var kinds []string
	for _, r := range p.readings {
		if !slices.Contains(kinds, r.kind) {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// Restrict returns the pattern with the readings of one kind of node; false if there is none.
func (p *Pattern) Restrict(kind string) (*Pattern, bool) {
	q := *p
	q.readings, q.byKind = nil, map[uint16][]*reading{}
	for _, r := range p.readings {
		if r.kind == kind {
			q.readings = append(q.readings, r)
		}
	}
	q.register()
	return &q, len(q.readings) > 0
}

// Candidate reports whether a text can match: it has all names and literals of the pattern. It costs much less than Find.
func (p *Pattern) Candidate(src []byte) bool {
	return slices.ContainsFunc(p.readings, func(r *reading) bool {
		for _, literal := range r.literals {
			if !bytes.Contains(src, literal) {
				return false
			}
		}
		return true
	})
}

// compiler makes the readings of a pattern.
type compiler struct {
	pattern   *Pattern
	pieces    []piece
	variables []*variable // by their place among the variable pieces
	forms     []string
	nodes     int
}

// split finds the variables of the text.
func (c *compiler) split(text string) error {
	c.pieces = split(text)
	words := wordsFor(text)
	seen := map[string]piece{}
	for _, piece := range c.pieces {
		if !piece.variable {
			continue
		}
		v := &variable{piece: piece, id: -1, word: fmt.Sprintf(words, len(c.variables))}
		if piece.name != "" {
			before, twice := seen[piece.name]
			if twice && before.many != piece.many {
				return refuse("Give them different names.", "%s stands for one node at one place and for several at another", piece.name)
			}
			c.pattern.repeated = c.pattern.repeated || twice
			seen[piece.name] = piece
			if v.id = slices.Index(c.pattern.names, piece.name); v.id < 0 {
				v.id = len(c.pattern.names)
				c.pattern.names = append(c.pattern.names, piece.name)
			}
		}
		c.variables = append(c.variables, v)
	}
	if len(c.variables) > maxVariables {
		return refuse("Use $$$ for several siblings.", "the pattern has %d variables; at most %d are compiled", len(c.variables), maxVariables)
	}
	return nil
}

// text returns the text of the pattern with words for variables.
func (c *compiler) text() string {
	var b strings.Builder
	n := 0
	for _, piece := range c.pieces {
		if !piece.variable {
			b.WriteString(piece.text)
			continue
		}
		b.WriteString(c.variables[n].written(c.forms))
		n++
	}
	return b.String()
}

// read adds the reading of the pattern in a place, if it is code there. flip says that other forms of the variables are tried: each for
// all variables, and then for one variable after the other, from the form with the fewest faults on.
func (c *compiler) read(ctx context.Context, place place, flip bool) error {
	defer c.setForm(0)
	best := -1 // the number of faulty nodes
	try := func() (bool, error) {
		parsed, err := c.parse(ctx, place)
		if err != nil {
			return false, err
		}
		if parsed.faults == 0 {
			return true, c.add(parsed)
		}
		if best < 0 || parsed.faults < best {
			best = parsed.faults
		}
		return false, nil
	}
	if done, err := try(); done || err != nil {
		return err
	}
	if flip && len(c.variables) > 0 {
		kept := 0
		for form := 1; form < len(c.forms); form++ {
			was := best
			c.setForm(form)
			if done, err := try(); done || err != nil {
				return err
			}
			if best < was {
				kept = form
			}
		}
		c.setForm(kept)
		for _, v := range c.variables[:min(len(c.variables), maxFlips)] {
			for form := range c.forms {
				was, before := best, v.form
				if form == before {
					continue
				}
				v.form = form
				if done, err := try(); done || err != nil {
					return err
				}
				if best == was {
					v.form = before
				}
			}
		}
	}
	return &faultyError{"it has a syntax error"}
}

func (c *compiler) setForm(form int) {
	for _, v := range c.variables {
		v.form = form
	}
}

// parsedPlace is the tree of a pattern in a place.
type parsedPlace struct {
	*source.Tree
	src        []byte
	start, end int32 // of the pattern
	faults     int
}

func (c *compiler) parse(ctx context.Context, place place) (*parsedPlace, error) {
	text := c.text()
	src := []byte(place.before + text + place.after)
	tree, err := c.pattern.trees.Tree(ctx, src, c.pattern.lang)
	if err != nil {
		return nil, err
	}
	parsed := &parsedPlace{Tree: tree, src: src, start: int32(len(place.before)), end: int32(len(place.before) + len(text))}
	if len(tree.Nodes) == 0 {
		parsed.faults = 1
		return parsed, nil
	}
	for i := range tree.Nodes {
		if n := &tree.Nodes[i]; n.Is(source.Missing) || n.Kind == errorKind {
			parsed.faults++
		}
	}
	if parsed.faults == 0 && tree.Nodes[0].Is(source.Faulty) {
		parsed.faults = 1
	}
	return parsed, nil
}
