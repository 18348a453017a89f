package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// combination is what a schema says of a value by way of other schemas. It is
// judged on a walk of its own, when the value is in its final form: nothing that
// is found on the way fills in or rewrites anything.
type combination struct {
	all        []*node   // every one must allow the value
	any        [][]*node // of each list, at least one
	one        [][]*node // of each list, exactly one
	not        []*node   // none
	conditions []condition
	contains   []containment
	patterns   *patternRules
}

// condition makes one of two schemas apply to the value.
type condition struct{ when, then, otherwise *node }

// containment is how many elements of an array a schema must allow.
type containment struct {
	item        *node
	least, most int // most < 0: any number
}

// patternRules are the schemas of members by the form of their names.
type patternRules struct {
	list       []patternRule
	declared   map[string]bool // names that are not additional
	closed     bool            // no further names
	additional *node           // of further names
}

type patternRule struct {
	pattern *regexp.Regexp
	cost    int
	node    *node
}

// Fuel is what judging may burn: about a byte that is looked at. A recursive
// schema could otherwise be tried on one value exponentially often.
const (
	maxFuel    = 1 << 25
	trialFuel  = 64  // of any trial, however short
	rationFuel = 200 // of a division
	matchSteps = 8   // of matching a pattern, for one unit
)

const tooComplex = "is too complex to be checked against its schema"

// judge walks data, which an earlier walk has found harmless, and returns what
// is wrong with it.
func judge(n *node, data []byte) []Violation {
	fuel := maxFuel
	w := walker{data: data, most: maxViolations, fuel: &fuel}
	w.check(n)
	return w.refusal().Violations
}

// burn takes fuel and reports whether there was enough. A walk that does not
// judge has as much as it likes.
func (w *walker) burn(fuel int) bool {
	if w.fuel == nil {
		return true
	}
	if *w.fuel -= fuel; *w.fuel < 0 {
		w.undecided = true
	}
	return !w.undecided
}

// combine judges the value data[i:end] by a combination.
func (w *walker) combine(c *combination, i, end, depth int) {
	for _, n := range c.all {
		w.also(n, i, end, depth)
	}
	for _, branches := range c.any {
		w.alternatives(branches, false, i, end, depth)
	}
	for _, branches := range c.one {
		w.alternatives(branches, true, i, end, depth)
	}
	for _, n := range c.not {
		if w.fits(n, i, end, depth) {
			w.refuse(i, "has a form that is not allowed")
		}
	}
	for _, x := range c.conditions {
		if w.fits(x.when, i, end, depth) {
			w.also(x.then, i, end, depth)
		} else {
			w.also(x.otherwise, i, end, depth)
		}
	}
	switch {
	case w.data[i] == '[' && c.contains != nil:
		w.containments(c.contains, i, depth)
	case w.data[i] == '{' && c.patterns != nil:
		w.patterns(c.patterns, i, depth)
	}
	if w.undecided {
		w.refuse(i, tooComplex)
	}
}

// also checks the value against one more schema.
func (w *walker) also(n *node, i, end, depth int) {
	if n != nil && w.burn(end-i+trialFuel) && !w.enough() {
		w.value(n, i, depth)
	}
}

// fits reports whether a schema allows the value.
func (w *walker) fits(n *node, i, end, depth int) bool {
	if n == nil {
		return true
	}
	if !w.burn(end - i + trialFuel) {
		return false
	}
	t := walker{data: w.data, most: 1, silent: true, fuel: w.fuel}
	t.value(n, i, depth)
	w.undecided = w.undecided || t.undecided
	return len(t.findings) == 0
}

// alternatives checks the value against a list of schemas, of which one must
// allow it, or only one.
func (w *walker) alternatives(branches []*node, only bool, i, end, depth int) {
	matches := 0
	for _, n := range branches {
		if w.fits(n, i, end, depth) {
			matches++
		}
		if matches > 0 && (!only || matches > 1) {
			break
		}
	}
	switch {
	case matches > 1 && only:
		w.refuse(i, "must match exactly one of the allowed forms, but matches several")
	case matches == 0 && !w.silent:
		w.refuse(i, w.forms(branches, i, depth))
	case matches == 0:
		w.refuse(i, "")
	}
}

// forms says what each form that the value may take lacks, for a few forms.
func (w *walker) forms(branches []*node, i, depth int) string {
	const most = 4
	var forms []string
	for _, n := range branches {
		t := walker{data: w.data, most: 1, fuel: w.fuel}
		t.value(n, i, depth)
		if w.undecided = w.undecided || t.undecided; w.undecided {
			return tooComplex
		}
		text := t.findings[0].locate(w.data).String()
		if contains(forms, text) {
			continue
		}
		if len(forms) == most {
			return fmt.Sprintf("must match one of %d allowed forms", len(branches))
		}
		forms = append(forms, text)
	}
	return "must match one of the allowed forms: (" + strings.Join(forms, ") or (") + ")"
}

func (w *walker) containments(all []containment, start, depth int) {
	for _, c := range all {
		count := 0
		for i := jsonx.Space(w.data, start+1); w.data[i] != ']'; {
			end, _, _ := jsonx.Skip(w.data, i)
			if w.fits(c.item, i, end, depth+1) {
				count++
			}
			i = w.next(end)
		}
		switch {
		case count < c.least:
			w.refuse(start, "must contain more items of the required form")
		case c.most >= 0 && count > c.most:
			w.refusef(start, "must contain at most %s of the required form, got %d", phrase.Count(c.most, "item"), count)
		}
	}
}

// next is the offset of what follows an element or member, the closing bracket
// included. The data has been walked before.
func (w *walker) next(end int) int {
	i := jsonx.Space(w.data, end)
	if w.data[i] == ',' {
		i = jsonx.Space(w.data, i+1)
	}
	return i
}

func (w *walker) patterns(r *patternRules, start, depth int) {
	for i := jsonx.Space(w.data, start+1); w.data[i] != '}'; {
		nameEnd, _, _ := jsonx.String(w.data, i)
		at := jsonx.Space(w.data, jsonx.Space(w.data, nameEnd)+1)
		end, _, _ := jsonx.Skip(w.data, at)
		w.member(r, unquoted(w.data[i:nameEnd]), start, at, end, depth+1)
		i = w.next(end)
	}
}

// member checks one member by its name.
func (w *walker) member(r *patternRules, name string, start, i, end, depth int) {
	known := r.declared[name]
	for k := range r.list {
		p := &r.list[k]
		if !w.burn(p.cost*len(name)/matchSteps + trialFuel) {
			return
		}
		if p.pattern.MatchString(name) {
			known = true
			w.also(p.node, i, end, depth)
		}
	}
	switch {
	case known:
	case r.closed:
		w.refuse(start, "unknown property "+phrase.Token(jsonx.AppendQuoted(nil, name)))
	default:
		w.also(r.additional, i, end, depth)
	}
}
