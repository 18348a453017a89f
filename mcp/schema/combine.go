package schema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// combination returns the node's combination, and creates it if necessary.
func (c *compiler) combination(n *node) *combination {
	if n.combination == nil {
		n.combination, n.needsSpecial = &combination{}, true
		c.special = append(c.special, n)
	}
	c.hasCombinations = true
	return n.combination
}

// apply compiles a keyword that applies schemas to the value itself.
func (c *compiler) apply(n *node, doc *value, m member) (err error) {
	more := c.combination(n)
	switch m.name {
	case "allOf":
		var all []*node
		all, err = c.branches("", m)
		more.all = append(more.all, all...)
	case "not":
		var not *node
		not, err = c.compile(m.value)
		more.not = append(more.not, not)
	case "if":
		err = c.conditional(more, doc, m.value)
	case "dependentRequired", "dependentSchemas", "dependencies":
		err = c.dependent(more, m)
	case "contains":
		err = c.containing(more, doc, m.value)
	case "patternProperties":
		err = c.patterns(more, doc, m.value)
	}
	return err
}

// branches compiles a list of schemas; step is added to their path.
func (c *compiler) branches(step string, m member) ([]*node, error) {
	if m.value.kind != typeArray {
		return nil, c.path.errorf("%s must be an array", m.name)
	}
	var all []*node
	for _, e := range m.value.elements {
		branch, err := c.compileAt(bySuffix, step, e)
		if err != nil {
			return nil, err
		}
		all = append(all, branch)
	}
	return all, nil
}

// conditional compiles if, then and else.
func (c *compiler) conditional(more *combination, doc, when *value) (err error) {
	var x condition
	if x.when, err = c.compile(when); err != nil {
		return err
	}
	if then := doc.get("then"); then != nil {
		if x.then, err = c.compile(then); err != nil {
			return err
		}
	}
	if otherwise := doc.get("else"); otherwise != nil {
		if x.otherwise, err = c.compile(otherwise); err != nil {
			return err
		}
	}
	more.conditions = append(more.conditions, x)
	return nil
}

// dependent compiles dependentRequired, dependentSchemas and dependencies.
func (c *compiler) dependent(more *combination, m member) error {
	if m.value.kind != typeObject {
		return c.path.errorf("%s must be an object", m.name)
	}
	for _, d := range m.value.members {
		x := condition{when: requiring(d.name)}
		if d.value.kind == typeArray && m.name != "dependentSchemas" {
			names, ok := d.value.texts()
			if !ok {
				return c.path.errorf("%s of %q must be strings", m.name, d.name)
			}
			x.then = requiring(names...)
		} else if m.name == "dependentRequired" {
			return c.path.errorf("%s of %q must be an array", m.name, d.name)
		} else {
			then, err := c.compile(d.value)
			if err != nil {
				return err
			}
			x.then = then
		}
		more.conditions = append(more.conditions, x)
	}
	return nil
}

// requiring returns a schema that requires an object with these properties.
func requiring(names ...string) *node {
	n := &node{types: typeObject}
	n.objects().requiredOnly = names
	return n
}

// containing compiles contains, minContains and maxContains.
func (c *compiler) containing(more *combination, doc, item *value) (err error) {
	x := containment{least: 1, most: -1}
	if x.item, err = c.compileAt(bySuffix, "[]", item); err != nil {
		return err
	}
	if c.dialect >= draft19 {
		for _, m := range doc.members {
			switch m.name {
			case "minContains":
				err = c.count(&x.least, m)
			case "maxContains":
				err = c.count(&x.most, m)
			}
			if err != nil {
				return err
			}
		}
	}
	more.contains = append(more.contains, x)
	return nil
}

// patterns compiles patternProperties. Together with properties they define the additional
// properties.
func (c *compiler) patterns(more *combination, doc, v *value) (err error) {
	if v.kind != typeObject {
		return c.path.errorf("patternProperties must be an object")
	}
	r := &patternRules{declared: map[string]bool{}}
	for _, m := range v.members {
		p := patternRule{}
		if p.pattern, err = regexp.Compile(m.name); err != nil {
			return c.path.errorf("pattern %q: %v", m.name, err)
		}
		p.cost, _ = pattern.Cost(m.name)
		if p.node, err = c.compileAt(bySuffix, ".*", m.value); err != nil {
			return err
		}
		r.list = append(r.list, p)
	}
	if declared := doc.get("properties"); declared != nil {
		for _, m := range declared.members {
			r.declared[m.name] = true
		}
	}
	if additional := doc.get("additionalProperties"); additional != nil {
		r.closed = additional.isFalse()
		if r.additional, err = c.compileAt(bySuffix, ".*", additional); err != nil {
			return err
		}
	}
	more.patterns = r
	return nil
}

// maxChain limits the schemas that apply to one value through each other. Each level of a value may
// need stack space for all of them.
const maxChain = 200

// checkChains returns an error for schemas that apply to a value through themselves, and for chains over
// maxChain.
func (c *compiler) checkChains() error {
	lengths := map[*node]int{}
	for _, n := range c.special {
		if _, err := n.chain(lengths); err != nil {
			return err
		}
	}
	return nil
}

// chain returns the number of schemas in the longest chain from n. During its computation
// lengths[n] is 0.
func (n *node) chain(lengths map[*node]int) (int, error) {
	if n == nil || !n.needsSpecial {
		return 1, nil
	}
	if length, met := lengths[n]; met {
		if length == 0 {
			return 0, errors.New("$ref leads back to itself")
		}
		return length, nil
	}
	lengths[n] = 0
	longest := 0
	for _, next := range n.sameValueSchemas() {
		length, err := next.chain(lengths)
		if err != nil {
			return 0, err
		}
		longest = max(longest, length)
	}
	if longest >= maxChain {
		return 0, fmt.Errorf("more than %d schemas apply to one value by way of one another", maxChain)
	}
	lengths[n] = longest + 1
	return longest + 1, nil
}

// sameValueSchemas returns the schemas that the node applies to the value itself.
func (n *node) sameValueSchemas() []*node {
	next := slices.Clone(n.alternatives)
	if n.combination == nil {
		return next
	}
	next = append(append(next, n.combination.all...), n.combination.not...)
	for _, branches := range slices.Concat(n.combination.any, n.combination.one) {
		next = append(next, branches...)
	}
	for _, x := range n.combination.conditions {
		next = append(next, x.when, x.then, x.otherwise)
	}
	return next
}
