package schema

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp/schema/internal/format"
	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// Limits of a schema. They limit the cost of schemas from other servers.
const (
	maxSchemaSize = 256 << 10 // in bytes
	maxSubschemas = 5000
)

// compiler compiles a document to nodes.
type compiler struct {
	root    *value     // the document
	dialect int        // draft06 to draft20
	path    schemaPath // path of the current subschema, for errors
	special []*node    // nodes with alternatives or combinations
	// uncompiled lists the keywords that nodes cannot express. They need a reference validator; the
	// others still apply.
	uncompiled      []string
	hasCombinations bool           // a node has a combination
	unions          []union        // compiled by resolveUnions
	defaults        []defaultValue // innermost first
	hasDefaults     bool           // a property has a default
	enums           []enumValues   // checked by checkEnums
}

// union is a node with alternatives from anyOf or oneOf.
type union struct {
	node     *node
	doc      *value
	branches []*node
	isOneOf  bool // oneOf, otherwise anyOf
}

// defaultValue is a property that may have a default. It is applied when all nodes are complete.
type defaultValue struct {
	object *objectRules
	at     int    // index of the property
	doc    *value // schema of the property
	path   string // path, for errors
}

// enumValues is a node with an enumeration, for checkEnums.
type enumValues struct {
	node *node
	doc  *value
	path string
}

// compile compiles the schema doc. A nil node allows every value.
func (c *compiler) compile(doc *value) (*node, error) {
	switch {
	case doc.compiled:
		return doc.node, nil
	case doc.isTrue():
		return nil, nil
	case doc.isFalse():
		return &node{}, nil
	case doc.kind != typeObject:
		return nil, c.path.errorf("a schema must be an object, got %s", doc)
	}
	ref := doc.get("$ref")
	if ref != nil && !c.refines(doc) {
		return c.reference(doc)
	}
	n := &node{types: anyType}
	doc.node, doc.compiled = n, true
	if ref != nil {
		also, err := c.reference(object(member{"$ref", ref}))
		if err != nil {
			return nil, err
		}
		more := c.combination(n)
		more.all = append(more.all, also)
	}
	for _, m := range doc.members {
		if err := c.keyword(n, doc, m); err != nil {
			return nil, err
		}
	}
	if n.trivial() {
		doc.node = nil
	}
	return doc.node, nil
}

// compileAt compiles a schema whose path is one step longer.
func (c *compiler) compileAt(kind pathStepKind, step string, doc *value) (*node, error) {
	c.path.push(kind, step)
	n, err := c.compile(doc)
	if err != nil {
		return nil, err // path keeps the position of the error
	}
	c.path.pop()
	return n, nil
}

// trivial reports whether the node allows every value.
func (n *node) trivial() bool {
	return n.types == anyType && n.alternatives == nil && n.combination == nil && n.enum == nil && n.text == nil && n.number == nil && n.array == nil && n.object == nil
}

// assertions lists the keywords that constrain values, except $ref.
var assertions = []string{
	"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
	"properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "patternProperties", "unevaluatedProperties",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems",
	"allOf", "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef",
}

// keyword compiles one keyword of doc into n.
func (c *compiler) keyword(n *node, doc *value, m member) error {
	switch m.name {
	case "type":
		return c.types(n, m.value)
	case "enum", "const":
		return c.literals(n, doc, m)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return c.numberKeyword(n, m)
	case "minLength", "maxLength", "pattern", "format":
		return c.textKeyword(n, m)
	case "properties":
		return c.properties(n, doc, m.value)
	case "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties":
		return c.objectKeyword(n, doc, m)
	case "items", "prefixItems", "minItems", "maxItems", "uniqueItems":
		return c.arrayKeyword(n, doc, m)
	case "anyOf", "oneOf":
		return c.union(n, doc, m)
	case "allOf", "not", "contains", "patternProperties", "dependencies":
		return c.apply(n, doc, m)
	case "if":
		if c.dialect >= draft07 {
			return c.apply(n, doc, m)
		}
	case "dependentRequired", "dependentSchemas":
		if c.dialect >= draft19 {
			return c.apply(n, doc, m)
		}
	case "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef", "$vocabulary":
		c.addUncompiled(m.name)
	case "contentEncoding", "contentMediaType":
		if c.dialect <= draft07 { // assertions in these dialects
			c.addUncompiled(m.name)
		}
	case "$id":
		if doc != c.root { // changes the meaning of references
			c.addUncompiled(m.name)
		}
	}
	return nil
}

// addUncompiled records a keyword that nodes cannot express.
func (c *compiler) addUncompiled(keyword string) {
	if !slices.Contains(c.uncompiled, keyword) {
		c.uncompiled = append(c.uncompiled, keyword)
	}
}

// types compiles type.
func (c *compiler) types(n *node, v *value) error {
	if v.kind != typeArray {
		name, _ := v.text()
		t, ok := typeNamed(name)
		if !ok {
			return c.path.errorf("unknown type %s", v)
		}
		n.types &= t
		return nil
	}
	var types typeSet
	for _, e := range v.elements {
		name, _ := e.text()
		t, ok := typeNamed(name)
		if !ok {
			return c.path.errorf("unknown type %s", e)
		}
		types |= t
	}
	n.types &= types
	return nil
}

// literals compiles enum and const. It also restricts the types of the node, which distinguishes
// the branches of a union.
func (c *compiler) literals(n *node, doc *value, m member) error {
	values := []*value{m.value}
	if m.name == "enum" {
		if m.value.kind != typeArray {
			return c.path.errorf("enum must be an array")
		}
		values = m.value.elements
	}
	if n.enum != nil { // enum and const must both allow the value
		also, more := &node{types: anyType}, c.combination(n)
		more.all = append(more.all, also)
		n = also
	}
	var types typeSet
	enum := &enumeration{}
	for _, v := range values {
		raw := v.raw
		if raw == nil {
			raw = v.append(nil)
		}
		l, ok := newLiteral(raw)
		if !ok {
			return c.path.errorf("bad value %s in %s", v, m.name)
		}
		if types |= l.kind; l.kind == typeNumber {
			types |= typeInteger
		}
		enum.add(l)
	}
	n.enum = enum
	n.types &= types
	c.enums = append(c.enums, enumValues{n, doc, c.path.String()})
	return nil
}

// numberKeyword compiles a limit of numbers.
func (c *compiler) numberKeyword(n *node, m member) error {
	if m.value.kind != typeNumber {
		return c.path.errorf("%s must be a number", m.name)
	}
	if n.number == nil {
		n.number = &numberRules{}
	}
	if m.name == "multipleOf" {
		if !n.number.setMultiple(m.value.raw) {
			return c.path.errorf("multipleOf must be more than 0")
		}
		return nil
	}
	n.number.limits = append(n.number.limits, newLimit(m.value.raw, strings.HasSuffix(m.name, "inimum"), strings.HasPrefix(m.name, "exclusive")))
	return nil
}

// textKeyword compiles a keyword of strings.
func (c *compiler) textKeyword(n *node, m member) error {
	if n.text == nil {
		n.text = &textRules{maxLength: -1}
	}
	switch m.name {
	case "minLength":
		return c.count(&n.text.minLength, m)
	case "maxLength":
		return c.count(&n.text.maxLength, m)
	}
	text, ok := m.value.text()
	if !ok {
		return c.path.errorf("%s must be a string", m.name)
	}
	if m.name == "format" {
		n.text.format, n.text.valid = text, format.Named(text)
		return nil
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return c.path.errorf("pattern %q: %v", text, err)
	}
	n.text.pattern = expression
	n.text.cost, _ = pattern.Cost(text)
	return nil
}

// count compiles a keyword whose value is a count.
func (c *compiler) count(to *int, m member) error {
	n, ok := m.value.count()
	if !ok {
		return c.path.errorf("%s must be a whole number, 0 or more", m.name)
	}
	*to = n
	return nil
}

// reference compiles a schema that consists of a $ref and annotations.
func (c *compiler) reference(doc *value) (*node, error) {
	target := doc
	for range maxSubschemas {
		ref := target.get("$ref")
		if ref == nil || c.refines(target) {
			return c.compile(target)
		}
		next, local := c.resolve(ref)
		if !local {
			c.addUncompiled("$ref to " + ref.String())
			return nil, nil
		}
		if next == nil {
			return nil, c.path.errorf("$ref %s leads nowhere", ref)
		}
		target = next
	}
	return nil, c.path.errorf("$ref leads back to itself")
}

// refines reports whether a schema has assertions beside $ref. Dialects up to draft-07 ignore them.
func (c *compiler) refines(doc *value) bool {
	return c.dialect > draft07 && slices.ContainsFunc(doc.members, func(m member) bool { return contains(assertions, m.name) })
}

// resolve returns the target of a reference. local is false if the reference is not a JSON pointer
// into the document.
func (c *compiler) resolve(ref *value) (target *value, local bool) {
	text, _ := ref.text()
	pointer, ok := strings.CutPrefix(text, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil, true
	}
	target = c.root
	if pointer == "" {
		return target, true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if target.kind == typeArray {
			k, err := strconv.Atoi(token)
			if err != nil || k < 0 || k >= len(target.elements) {
				return nil, true
			}
			target = target.elements[k]
		} else if target = target.get(token); target == nil {
			return nil, true
		}
	}
	return target, true
}
