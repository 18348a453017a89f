package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// keyword is one part of a jsonschema tag: a word, for example required, or name=value.
type keyword struct {
	name, value string
	assigned    bool // there was an equals sign
}

// commaKeywords are the keywords whose value may contain commas.
var commaKeywords = []string{"description", "title", "pattern"}

// tagKeywords are all keywords of tags.
var tagKeywords = []string{
	"description", "title", "pattern", "enum", "const", "default", "example", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"required", "deprecated",
}

// tagWords are the keywords without a value.
var tagWords = []string{"required", "uniqueItems", "deprecated"}

// parseTag parses the jsonschema tag of a field; hidden is set for "-".
func parseTag(tag reflect.StructTag) (list []keyword, hidden bool, err error) {
	text := tag.Get("jsonschema")
	if text == "-" {
		return nil, true, nil
	}
	pieces := splitTag(text)
	switch {
	case text == "":
	case !startsKeyword(pieces):
		if err := checkDescriptionTag(pieces); err != nil {
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

// splitTag splits a tag at commas without a backslash.
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

// asKeyword parses a part that is a keyword.
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

// startsKeyword reports whether a part is a keyword.
func startsKeyword(pieces []string) bool {
	for _, p := range pieces {
		if _, ok := asKeyword(p); ok {
			return true
		}
	}
	return false
}

// checkDescriptionTag returns an error for a tag without keywords that looks like a misspelled keyword and
// not like a description.
func checkDescriptionTag(pieces []string) error {
	name, _, assigned := strings.Cut(pieces[0], "=")
	if !assigned && len(pieces) > 1 || strings.ContainsAny(name, " \t") {
		return nil
	}
	if assigned {
		return fmt.Errorf("unknown keyword %q in the jsonschema tag%s; a description with an equals sign needs description=", name, keywordHint(name, tagKeywords))
	}
	if near := nearest.Name(name, tagWords); near != "" {
		return fmt.Errorf("unknown keyword %q in the jsonschema tag (did you mean %q?)", name, near)
	}
	return nil
}

// keywordHint returns a hint with the most similar keyword.
func keywordHint(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// keywords parses the parts of a tag.
func keywords(pieces []string) ([]keyword, error) {
	var list []keyword
	for _, p := range pieces {
		k, ok := asKeyword(p)
		if ok {
			list = append(list, k)
			continue
		}
		if n := len(list); n > 0 && contains(commaKeywords, list[n-1].name) {
			list[n-1].value += "," + p
			continue
		}
		name, _, _ := strings.Cut(p, "=")
		switch {
		case len(list) > 0 && list[len(list)-1].assigned:
			return nil, fmt.Errorf("unknown keyword %q in the jsonschema tag%s; give each value its own %s=, and write \\\\, for a comma inside one",
				name, keywordHint(name, tagKeywords), list[len(list)-1].name)
		case contains(tagKeywords, p):
			return nil, fmt.Errorf("keyword %q in the jsonschema tag needs a value", p)
		}
		return nil, fmt.Errorf("unknown keyword %q in the jsonschema tag%s; put description= before a sentence", name, keywordHint(name, tagKeywords))
	}
	return list, nil
}
