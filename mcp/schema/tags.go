package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// keyword is one piece of a jsonschema tag: a word such as required, or name=value.
type keyword struct {
	name, value string
	assigned    bool // there was an equals sign
}

// Where the value of a keyword goes on after a comma that starts no other
// keyword: in prose and patterns.
var proseKeywords = []string{"description", "title", "pattern"}

var tagKeywords = []string{
	"description", "title", "pattern", "enum", "const", "default", "example", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"required", "deprecated",
}

// tagWords need no value.
var tagWords = []string{"required", "uniqueItems", "deprecated"}

// parseTag reads the jsonschema tag of a field; hidden is set for "-".
func parseTag(tag reflect.StructTag) (list []keyword, hidden bool, err error) {
	text := tag.Get("jsonschema")
	if text == "-" {
		return nil, true, nil
	}
	pieces := splitTag(text)
	switch {
	case text == "":
	case !startsKeyword(pieces):
		if err := suspicious(pieces); err != nil {
			return nil, false, err
		}
		list = []keyword{{name: "description", value: strings.Join(pieces, ","), assigned: true}}
	default:
		if list, err = keywords(pieces); err != nil {
			return nil, false, err
		}
	}
	if d := tag.Get("jsonschema_description"); d != "" {
		list = append(list, keyword{name: "description", value: d, assigned: true})
	}
	return list, false, nil
}

// splitTag cuts at commas that no backslash precedes.
func splitTag(text string) []string {
	var pieces []string
	var piece strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == ',':
			i++
			piece.WriteByte(',')
		case text[i] == ',':
			pieces = append(pieces, piece.String())
			piece.Reset()
		default:
			piece.WriteByte(text[i])
		}
	}
	return append(pieces, piece.String())
}

// asKeyword reads a piece that is a keyword.
func asKeyword(piece string) (keyword, bool) {
	name, value, assigned := strings.Cut(piece, "=")
	switch {
	case !assigned:
		return keyword{name: piece}, contains(tagWords, piece)
	case strings.HasPrefix(name, "x-") && !strings.ContainsAny(name, " \t"):
		return keyword{name, value, true}, true
	}
	return keyword{name, value, true}, contains(tagKeywords, name)
}

func startsKeyword(pieces []string) bool {
	for _, p := range pieces {
		if _, ok := asKeyword(p); ok {
			return true
		}
	}
	return false
}

// suspicious refuses a tag without any keyword that looks like a misspelt one
// rather than like a description.
func suspicious(pieces []string) error {
	name, _, assigned := strings.Cut(pieces[0], "=")
	if !assigned && len(pieces) > 1 || strings.ContainsAny(name, " \t") {
		return nil
	}
	if assigned {
		return fmt.Errorf("unknown keyword %q in the jsonschema tag%s; a description with an equals sign needs description=", name, meant(name, tagKeywords))
	}
	if near := nearest.Name(name, tagWords); near != "" {
		return fmt.Errorf("unknown keyword %q in the jsonschema tag (did you mean %q?)", name, near)
	}
	return nil
}

func meant(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

func keywords(pieces []string) ([]keyword, error) {
	var list []keyword
	for _, p := range pieces {
		k, ok := asKeyword(p)
		if ok {
			list = append(list, k)
			continue
		}
		if n := len(list); n > 0 && contains(proseKeywords, list[n-1].name) {
			list[n-1].value += "," + p
			continue
		}
		name, _, _ := strings.Cut(p, "=")
		switch {
		case len(list) > 0 && list[len(list)-1].assigned:
			return nil, fmt.Errorf("unknown keyword %q in the jsonschema tag%s; give each value its own %s=, and write \\\\, for a comma inside one",
				name, meant(name, tagKeywords), list[len(list)-1].name)
		case contains(tagKeywords, p):
			return nil, fmt.Errorf("keyword %q in the jsonschema tag needs a value", p)
		}
		return nil, fmt.Errorf("unknown keyword %q in the jsonschema tag%s; put description= before a sentence", name, meant(name, tagKeywords))
	}
	return list, nil
}
