package reference

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

// uniqueItems is the name under which uniqueCheck handles the keyword uniqueItems.
const uniqueItems = "x-unique-items"

// schemaScan visits all schemas of a document, also unreachable ones. It adds the costs of patterns and
// renames uniqueItems.
type schemaScan struct {
	total          int // cost of all patterns
	maxSchemaCost  int // maximum cost of the patterns of one schema
	sameValueCount int // number of schemas that apply to the value of their parent
	err            error
}

// problem returns the error of the scan, or nil.
func (s *schemaScan) problem() error {
	if s.err == nil && s.total > pattern.MaxTotal {
		return errors.New("the patterns are too large")
	}
	return s.err
}

// schema visits a schema or a list of schemas.
func (s *schemaScan) schema(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.schema(e)
		}
	case map[string]any:
		before := s.total
		s.patterns(v)
		s.maxSchemaCost = max(s.maxSchemaCost, s.total-before)
		if v["uniqueItems"] == true {
			delete(v, "uniqueItems")
			v[uniqueItems] = true
		}
		for name, inner := range v {
			s.keyword(name, inner)
		}
	}
}

// patterns adds the patterns of one schema.
func (s *schemaScan) patterns(schema map[string]any) {
	if text, ok := schema["pattern"].(string); ok {
		s.pattern(text)
	}
	named, _ := schema["patternProperties"].(map[string]any)
	for text := range named {
		s.pattern(text)
	}
}

// overhead is the cost of a match beside its steps.
const overhead = 8

// pattern adds one pattern.
func (s *schemaScan) pattern(text string) {
	cost, err := pattern.Cost(text)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("pattern %q: %w", text, err)
	}
	s.total += cost + overhead
}

// keyword visits the schemas in one keyword.
func (s *schemaScan) keyword(name string, v any) {
	switch name {
	case "enum", "const", "default", "examples": // these values are no schemas
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		named, _ := v.(map[string]any)
		if name == "dependentSchemas" || name == "dependencies" {
			s.sameValueCount += len(named)
		}
		for _, inner := range named {
			s.schema(inner)
		}
	case "allOf", "anyOf", "oneOf":
		branches, _ := v.([]any)
		s.sameValueCount += len(branches)
		s.schema(v)
	case "$ref", "$dynamicRef", "$recursiveRef", "not", "if", "then", "else":
		s.sameValueCount++
		s.schema(v)
	default:
		s.schema(v)
	}
}
