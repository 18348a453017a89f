package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// Dialects of [Compile]. A schema without $schema is 2020-12.
const (
	draft06 = 6
	draft07 = 7
	draft19 = 2019
	draft20 = 2020
)

// dialects maps the URIs of dialects, without a fragment.
var dialects = map[string]int{
	"http://json-schema.org/draft-06/schema":       draft06,
	"http://json-schema.org/draft-07/schema":       draft07,
	"https://json-schema.org/draft/2019-09/schema": draft19,
	"https://json-schema.org/draft/2020-12/schema": draft20,
}

// dialect2020 is the URI of the default dialect.
const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// dialectOf returns the dialect that $schema names.
func dialectOf(doc *value) (int, error) {
	declared := doc.get("$schema")
	if declared == nil {
		return draft20, nil
	}
	uri, _ := declared.text()
	if d, ok := dialects[strings.TrimSuffix(uri, "#")]; ok {
		return d, nil
	}
	return 0, fmt.Errorf("unsupported dialect %s: use %q, or 2019-09, draft-07 or draft-06", declared, dialect2020)
}

// holding is the way in which a keyword contains further schemas.
type holding uint8

const (
	holdsNone holding = iota
	holdsSchema
	holdsList // a list, or one schema where only that is allowed
	holdsMap
)

// holdingOf returns the holding of a keyword.
func holdingOf(keyword string) holding {
	switch keyword {
	case "additionalProperties", "propertyNames", "additionalItems", "contains", "not", "if", "then", "else",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema":
		return holdsSchema
	case "items", "allOf", "anyOf", "oneOf", "prefixItems":
		return holdsList
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return holdsMap
	}
	return holdsNone
}

// subschemas calls f with every schema directly inside v, until f returns an error.
func subschemas(v *value, f func(*value) error) error {
	for i := range v.members {
		m := &v.members[i]
		kind := holdingOf(m.name)
		if kind == holdsNone {
			continue
		}
		if kind != holdsMap {
			if err := visit(m.value, f); err != nil {
				return err
			}
		}
		for _, inner := range m.value.members {
			if kind != holdsMap {
				break
			}
			if err := visit(inner.value, f); err != nil {
				return err
			}
		}
		for _, e := range m.value.elements {
			if kind != holdsList {
				break
			}
			if err := visit(e, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// visit calls f if s is a schema.
func visit(s *value, f func(*value) error) error {
	if s.kind != typeObject && s.kind != typeBoolean {
		return nil
	}
	return f(s)
}

// contains reports whether list contains s.
func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// schemaScan visits every schema of a document before compilation, also unreachable ones.
type schemaScan struct {
	count          int      // number of schemas
	hasID          bool     // there is an $id, to which references may point
	externalRef    error    // error for a reference outside, unless there is an $id
	hasNegation    bool     // a keyword exists under which dropping a constraint refuses more
	withBadPattern []*value // schemas with a pattern that cannot be evaluated
	patterns       []string // the patterns of unsupported
	cost           int      // cost of all other patterns
}

// scan visits the whole document.
func (s *schemaScan) scan(doc *value) error {
	if err := s.visit(doc); err != nil {
		return err
	}
	if s.externalRef != nil && !s.hasID {
		return s.externalRef
	}
	if s.cost > pattern.MaxTotal {
		return errors.New("the patterns are too large")
	}
	return nil
}

// visit visits one schema.
func (s *schemaScan) visit(v *value) error {
	if s.count++; s.count > maxSubschemas {
		return fmt.Errorf("has more than %d subschemas", maxSubschemas)
	}
	for _, m := range v.members {
		if err := s.keyword(v, m); err != nil {
			return err
		}
	}
	return subschemas(v, s.visit)
}

// keyword examines one keyword.
func (s *schemaScan) keyword(v *value, m member) error {
	switch m.name {
	case "$schema":
		_, err := dialectOf(v)
		return err
	case "$id":
		s.hasID = true
	case "$ref", "$dynamicRef", "$recursiveRef":
		uri, _ := m.value.text()
		if !strings.HasPrefix(uri, "#") && s.externalRef == nil {
			s.externalRef = fmt.Errorf("%s %s leads outside the schema: put the definition under $defs", m.name, m.value)
		}
	case "not", "oneOf", "if", "contains", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems":
		s.hasNegation = true
	case "pattern":
		if text, ok := m.value.text(); ok {
			s.pattern(v, text)
		}
	case "patternProperties":
		for _, p := range m.value.members {
			s.pattern(v, p.name)
		}
	}
	return nil
}

// pattern examines one pattern.
func (s *schemaScan) pattern(v *value, text string) {
	cost, err := pattern.Cost(text)
	if err != nil {
		s.withBadPattern = append(s.withBadPattern, v)
		s.patterns = append(s.patterns, text)
		return
	}
	s.cost += cost
}

// removePatterns removes patterns that cannot be evaluated. With a pattern of names it also removes
// additionalProperties, which depends on it.
func (s *schemaScan) removePatterns() error {
	if len(s.withBadPattern) > 0 && s.hasNegation {
		return fmt.Errorf("pattern %q is not in RE2 syntax, and cannot be left out of a schema with not, oneOf, if, contains or unevaluated keywords", s.patterns[0])
	}
	for _, v := range s.withBadPattern {
		if p := v.get("pattern"); p != nil {
			if text, _ := p.text(); contains(s.patterns, text) {
				v.remove("pattern")
			}
		}
		if p := v.get("patternProperties"); p != nil {
			for _, text := range s.patterns {
				if p.get(text) != nil {
					p.remove(text)
					v.remove("additionalProperties")
				}
			}
		}
	}
	return nil
}
