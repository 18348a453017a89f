package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// combination holds the keywords that apply other schemas to the same value. It is evaluated in a
// separate walk over the final form of the value, which rewrites nothing.
type combination struct {
	all        []*node       // allOf: each must allow the value
	any        [][]*node     // anyOf: of each list, at least one
	one        [][]*node     // oneOf: of each list, exactly one
	not        []*node       // not: none
	conditions []condition   // if, then, else and dependencies
	contains   []containment // contains
	patterns   *patternRules // patternProperties
}

// condition applies then if when allows the value, otherwise otherwise. A nil schema allows
// everything.
type condition struct{ when, then, otherwise *node }

// containment is the number of array elements that a schema must allow.
type containment struct {
	item        *node // schema of the elements
	least, most int   // limits; most < 0 means no limit
}

// patternRules holds the schemas of members by the pattern of their names.
type patternRules struct {
	list       []patternRule   // patternProperties
	declared   map[string]bool // names of properties, which are not additional
	closed     bool            // additional names are refused
	additional *node           // schema of additional names; nil allows all
}

// patternRule is one pattern with its schema.
type patternRule struct {
	pattern *regexp.Regexp
	cost    int // see pattern.Cost
	node    *node
}

// Budget of a walk that evaluates combinations. A unit is about one byte that is examined. The budget limits
// recursive schemas, which could otherwise need exponential time.
const (
	maxBudget    = 1 << 25
	trialCost    = 64  // cost of any trial
	divisionCost = 200 // cost of a division
	matchSteps   = 8   // steps of a pattern for one unit
)

// tooComplex is the message for an exhausted budget.
const tooComplex = "is too complex to be checked against its schema"

// evaluate evaluates the combinations of n on data and returns the violations. An earlier walk must
// have checked data.
func evaluate(n *node, data []byte) []Violation {
	fuel := maxBudget
	w := walker{data: data, maxFindings: maxViolations, budget: &fuel}
	w.check(n)
	return w.validationError().Violations
}

// spend takes units from the budget and reports whether it sufficed. Other walks have no budget.
func (w *walker) spend(fuel int) bool {
	if w.budget == nil {
		return true
	}
	if *w.budget -= fuel; *w.budget < 0 {
		w.exhausted = true
	}
	return !w.exhausted
}

// checkCombination evaluates a combination on the value data[i:end].
func (w *walker) checkCombination(c *combination, i, end, depth int) {
	for _, n := range c.all {
		w.checkSubschema(n, i, end, depth)
	}
	for _, branches := range c.any {
		w.checkAlternatives(branches, false, i, end, depth)
	}
	for _, branches := range c.one {
		w.checkAlternatives(branches, true, i, end, depth)
	}
	for _, n := range c.not {
		if w.allowedBy(n, i, end, depth) {
			w.addViolation(i, "has a form that is not allowed")
		}
	}
	for _, x := range c.conditions {
		if w.allowedBy(x.when, i, end, depth) {
			w.checkSubschema(x.then, i, end, depth)
		} else {
			w.checkSubschema(x.otherwise, i, end, depth)
		}
	}
	switch {
	case w.data[i] == '[' && c.contains != nil:
		w.checkContains(c.contains, i, depth)
	case w.data[i] == '{' && c.patterns != nil:
		w.checkPatterns(c.patterns, i, depth)
	}
	if w.exhausted {
		w.addViolation(i, tooComplex)
	}
}

// checkSubschema checks the value against one more schema.
func (w *walker) checkSubschema(n *node, i, end, depth int) {
	if n != nil && w.spend(end-i+trialCost) && !w.isFull() {
		w.value(n, i, depth)
	}
}

// allowedBy reports whether a schema allows the value.
func (w *walker) allowedBy(n *node, i, end, depth int) bool {
	if n == nil {
		return true
	}
	if !w.spend(end - i + trialCost) {
		return false
	}
	t := walker{data: w.data, maxFindings: 1, silent: true, budget: w.budget}
	t.value(n, i, depth)
	w.exhausted = w.exhausted || t.exhausted
	return len(t.findings) == 0
}

// checkAlternatives checks the value against a list of schemas. At least one must allow it, or exactly
// one if only is set.
func (w *walker) checkAlternatives(branches []*node, only bool, i, end, depth int) {
	matches := 0
	for _, n := range branches {
		if w.allowedBy(n, i, end, depth) {
			matches++
		}
		if matches > 0 && (!only || matches > 1) {
			break
		}
	}
	switch {
	case matches > 1 && only:
		w.addViolation(i, "must match exactly one of the allowed forms, but matches several")
	case matches == 0 && !w.silent:
		w.addViolation(i, w.formsMessage(branches, i, depth))
	case matches == 0:
		w.addViolation(i, "")
	}
}

// formsMessage returns a message with the first violation of each alternative, for at most four.
func (w *walker) formsMessage(branches []*node, i, depth int) string {
	const most = 4
	var forms []string
	for _, n := range branches {
		t := walker{data: w.data, maxFindings: 1, budget: w.budget}
		t.value(n, i, depth)
		if w.exhausted = w.exhausted || t.exhausted; w.exhausted {
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

// checkContains checks the elements of an array against contains.
func (w *walker) checkContains(all []containment, start, depth int) {
	for _, c := range all {
		count := 0
		for i := jsonx.Space(w.data, start+1); w.data[i] != ']'; {
			end, _, _ := jsonx.Skip(w.data, i)
			if w.allowedBy(c.item, i, end, depth+1) {
				count++
			}
			i = w.nextElement(end)
		}
		switch {
		case count < c.least:
			w.addViolation(start, "must contain more items of the required form")
		case c.most >= 0 && count > c.most:
			w.addViolationf(start, "must contain at most %s of the required form, got %d", phrase.Count(c.most, "item"), count)
		}
	}
}

// nextElement returns the offset of the next element, member or closing bracket. The data must be valid.
func (w *walker) nextElement(end int) int {
	i := jsonx.Space(w.data, end)
	if w.data[i] == ',' {
		i = jsonx.Space(w.data, i+1)
	}
	return i
}

// checkPatterns checks the members of an object against patternProperties.
func (w *walker) checkPatterns(r *patternRules, start, depth int) {
	for i := jsonx.Space(w.data, start+1); w.data[i] != '}'; {
		nameEnd, _, _ := jsonx.String(w.data, i)
		at := jsonx.Space(w.data, jsonx.Space(w.data, nameEnd)+1)
		end, _, _ := jsonx.Skip(w.data, at)
		w.checkMember(r, unquoted(w.data[i:nameEnd]), start, at, end, depth+1)
		i = w.nextElement(end)
	}
}

// checkMember checks one member by its name.
func (w *walker) checkMember(r *patternRules, name string, start, i, end, depth int) {
	known := r.declared[name]
	for k := range r.list {
		p := &r.list[k]
		if !w.spend(p.cost*len(name)/matchSteps + trialCost) {
			return
		}
		if p.pattern.MatchString(name) {
			known = true
			w.checkSubschema(p.node, i, end, depth)
		}
	}
	switch {
	case known:
	case r.closed:
		w.addViolation(start, "unknown property "+phrase.Token(jsonx.AppendQuoted(nil, name)))
	default:
		w.checkSubschema(r.additional, i, end, depth)
	}
}
