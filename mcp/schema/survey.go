package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// The dialects that [Compile] takes. A schema that names none is 2020-12.
const (
	draft06 = 6
	draft07 = 7
	draft19 = 2019
	draft20 = 2020
)

var dialects = map[string]int{
	"http://json-schema.org/draft-06/schema":       draft06,
	"http://json-schema.org/draft-07/schema":       draft07,
	"https://json-schema.org/draft/2019-09/schema": draft19,
	"https://json-schema.org/draft/2020-12/schema": draft20,
}

const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// dialectOf reads $schema.
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

// How a keyword of JSON Schema holds further schemas.
type holding uint8

const (
	holdsNone holding = iota
	holdsSchema
	holdsList // or a schema, where only that is allowed
	holdsMap
)

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

// subschemas calls f with every schema directly inside v, until it fails.
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

func visit(s *value, f func(*value) error) error {
	if s.kind != typeObject && s.kind != typeBoolean {
		return nil
	}
	return f(s)
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// survey goes through every schema of a document before any of it is compiled,
// reachable or not.
type survey struct {
	count       int
	identified  bool     // there is some $id, which references may mean
	outward     error    // a reference that leads outside unless it means one
	negative    bool     // a keyword under which leaving out a constraint refuses more
	unsupported []*value // schemas with a pattern that RE2 cannot express
	patterns    []string // those patterns
	cost        int      // of all patterns that can be evaluated
}

// examine visits the whole document.
func (s *survey) examine(doc *value) error {
	if err := s.visit(doc); err != nil {
		return err
	}
	if s.outward != nil && !s.identified {
		return s.outward
	}
	if s.cost > pattern.MaxTotal {
		return errors.New("the patterns are too large")
	}
	return nil
}

func (s *survey) visit(v *value) error {
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

func (s *survey) keyword(v *value, m member) error {
	switch m.name {
	case "$schema":
		_, err := dialectOf(v)
		return err
	case "$id":
		s.identified = true
	case "$ref", "$dynamicRef", "$recursiveRef":
		uri, _ := m.value.text()
		if !strings.HasPrefix(uri, "#") && s.outward == nil {
			s.outward = fmt.Errorf("%s %s leads outside the schema: put the definition under $defs", m.name, m.value)
		}
	case "not", "oneOf", "if", "contains", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems":
		s.negative = true
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

func (s *survey) pattern(v *value, text string) {
	cost, err := pattern.Cost(text)
	if err != nil {
		s.unsupported = append(s.unsupported, v)
		s.patterns = append(s.patterns, text)
		return
	}
	s.cost += cost
}

// relax removes the patterns that cannot be evaluated from a document, and with
// a name pattern also what is said of the names that no pattern matches.
func (s *survey) relax() error {
	if len(s.unsupported) > 0 && s.negative {
		return fmt.Errorf("pattern %q is not in RE2 syntax, and cannot be left out of a schema with not, oneOf, if, contains or unevaluated keywords", s.patterns[0])
	}
	for _, v := range s.unsupported {
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
