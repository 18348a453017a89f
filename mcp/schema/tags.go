package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

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

// tagKey and descriptionKey are the keys of struct tags that the package reads.
const (
	tagKey         = "jsonschema"
	descriptionKey = "jsonschema_description"
)

// parseTag parses the jsonschema tag of a field; hidden is set for "-".
func parseTag(tag reflect.StructTag) (list []keyword, hidden bool, err error) {
	if err := checkTagKeys(tag); err != nil {
		return nil, false, err
	}
	text := tag.Get(tagKey)
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
	if d := tag.Get(descriptionKey); d != "" {
		list = append(list, keyword{name: "description", value: d, assigned: true})
	}
	for i, k := range list {
		if i > 0 && !k.repeats() && slices.ContainsFunc(list[:i], func(before keyword) bool { return before.name == k.name }) {
			return nil, false, fmt.Errorf("%s occurs twice in the jsonschema tag", k.name)
		}
	}
	return list, false, nil
}

// checkTagKeys returns an error for a key of a struct tag that resembles tagKey and has no effect.
func checkTagKeys(tag reflect.StructTag) error {
	for rest := strings.TrimLeft(string(tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, after, ok := strings.Cut(rest, ":")
		value, err := strconv.QuotedPrefix(after)
		if !ok || err != nil {
			return nil // not in the conventional form, so that package reflect finds no further key
		}
		if rest = after[len(value):]; key == tagKey || key == descriptionKey {
			continue
		}
		near := nearest.Name(key, []string{tagKey, descriptionKey})
		if strings.HasPrefix(key, tagKey) || near != "" && key[0] == tagKey[0] {
			return fmt.Errorf("unknown struct tag %q%s", key, keywordHint(key, []string{tagKey, descriptionKey}))
		}
	}
	return nil
}

// repeats reports whether a tag may contain the keyword several times.
func (k keyword) repeats() bool {
	return k.name == "enum" || k.name == "example" || k.name == "default"
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

// checkDescriptionTag returns an error for a tag without keywords of which a piece looks like a
// misspelled keyword.
func checkDescriptionTag(pieces []string) error {
	for i, p := range pieces {
		if i == 0 && len(pieces) > 1 && !strings.Contains(p, "=") {
			continue // the first word of a sentence
		}
		if err := misspelled(p); err != nil {
			return err
		}
	}
	return nil
}

// misspelled returns an error for a piece that is no keyword but looks like one: a keyword with a
// space beside it, a name before an equals sign, or a word that resembles a keyword.
func misspelled(piece string) error {
	name, _, assigned := strings.Cut(piece, "=")
	word := strings.TrimSpace(name)
	switch {
	case word == "" || strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !isNameByte(byte(r)) }):
		return nil
	case word != name && (assigned && contains(tagKeywords, word) || !assigned && contains(tagWords, word)):
		return fmt.Errorf(`keyword %q in the jsonschema tag has a space beside it; write \\, for a comma inside a text`, word)
	case assigned:
		hint := keywordHint(word, tagKeywords)
		if hint == "" {
			hint = `; write \\, for a comma inside a text, and description= before a text with an equals sign`
		}
		return fmt.Errorf("unknown keyword %q in the jsonschema tag%s", word, hint)
	case word == name && contains(tagKeywords, word):
		return fmt.Errorf(`keyword %q in the jsonschema tag needs a value; write \\, for a comma inside a text`, word)
	case word == name && nearest.Name(word, tagWords) != "":
		return fmt.Errorf("unknown keyword %q in the jsonschema tag%s", word, keywordHint(word, tagWords))
	}
	return nil
}

// isNameByte reports whether c may be part of the name of a keyword.
func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '_' || c == '-'
}

// keywordHint returns a hint with the most similar name. For an abbreviation without a similar name
// it lists the names that begin with it.
func keywordHint(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	const shortest = 3 // letters of an abbreviation
	var longer []string
	for _, k := range known {
		if len(name) >= shortest && strings.HasPrefix(k, strings.ToLower(name)) {
			longer = append(longer, strconv.Quote(k))
		}
	}
	switch n := len(longer); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (did you mean %s?)", longer[0])
	default:
		return fmt.Sprintf(" (did you mean %s or %s?)", strings.Join(longer[:n-1], ", "), longer[n-1])
	}
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
		if err := misspelled(p); err != nil {
			return nil, err
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
