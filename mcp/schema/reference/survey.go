package reference

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// uniqueItems is under what name [bounds] takes care of the keyword uniqueItems.
const uniqueItems = "x-unique-items"

// survey visits the schemas inside a document, reachable or not. It adds up the
// patterns and gives uniqueItems another name.
type survey struct {
	total   int
	dearest int // all patterns of one schema
	links   int // schemas that apply to the same value as the one they are in
	err     error
}

func (s *survey) problem() error {
	if s.err == nil && s.total > pattern.MaxTotal {
		return errors.New("the patterns are too large")
	}
	return s.err
}

func (s *survey) schema(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.schema(e)
		}
	case map[string]any:
		before := s.total
		s.patterns(v)
		s.dearest = max(s.dearest, s.total-before)
		if v["uniqueItems"] == true {
			delete(v, "uniqueItems")
			v[uniqueItems] = true
		}
		for name, inner := range v {
			s.keyword(name, inner)
		}
	}
}

func (s *survey) patterns(schema map[string]any) {
	if text, ok := schema["pattern"].(string); ok {
		s.pattern(text)
	}
	named, _ := schema["patternProperties"].(map[string]any)
	for text := range named {
		s.pattern(text)
	}
}

// overhead is what a match costs beside its steps.
const overhead = 8

func (s *survey) pattern(text string) {
	cost, err := pattern.Cost(text)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("pattern %q: %w", text, err)
	}
	s.total += cost + overhead
}

func (s *survey) keyword(name string, v any) {
	switch name {
	case "enum", "const", "default", "examples": // values, which may look like schemas
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		named, _ := v.(map[string]any)
		if name == "dependentSchemas" || name == "dependencies" {
			s.links += len(named)
		}
		for _, inner := range named {
			s.schema(inner)
		}
	case "allOf", "anyOf", "oneOf":
		branches, _ := v.([]any)
		s.links += len(branches)
		s.schema(v)
	case "$ref", "$dynamicRef", "$recursiveRef", "not", "if", "then", "else":
		s.links++
		s.schema(v)
	default:
		s.schema(v)
	}
}
