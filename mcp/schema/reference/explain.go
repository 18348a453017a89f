package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/internal/format"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// maxViolations limits the reported violations, as in package schema.
const maxViolations = 20

// explainer converts the errors of the library to violations with the messages of package schema.
type explainer struct {
	document []byte // nil if the invalid value is a schema
	address  string // URI of the document
	value    any    // validated value
}

// explain returns the violations, sorted and without duplicates, because the library reports them
// in random order.
func (x explainer) explain(e *jsonschema.ValidationError) []schema.Violation {
	all := innermostErrors(nil, e)
	slices.SortFunc(all, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.AbsoluteKeywordLocation, b.AbsoluteKeywordLocation), cmp.Compare(a.Message, b.Message))
	})
	const most = 10 * maxViolations // limits the cost of an invalid value
	var found []schema.Violation
	for _, leaf := range all[:min(len(all), most)] {
		found = append(found, x.violations(leaf)...)
	}
	slices.SortFunc(found, func(a, b schema.Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	found = slices.Compact(found)
	return found[:min(len(found), maxViolations)]
}

// keywordOf returns the keyword of an error.
func keywordOf(e *jsonschema.ValidationError) string {
	return e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
}

// innermostErrors appends the innermost errors. A failed anyOf or oneOf is one error, because the intended
// branch is unknown.
func innermostErrors(all []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch keywordOf(e) {
	case "anyOf", "oneOf", "minContains":
		return append(all, e)
	}
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = innermostErrors(all, cause)
	}
	return all
}

// violations returns the violations for one error.
func (x explainer) violations(e *jsonschema.ValidationError) []schema.Violation {
	path, at := x.follow(e.InstanceLocation)
	message := ""
	switch keyword := keywordOf(e); keyword {
	case "anyOf", "oneOf":
		message = x.branches(e)
	case "minContains":
		message = "must contain more items of the required form"
	case "required":
		return missing(e, path)
	default:
		message = x.message(e, keyword, at)
	}
	return []schema.Violation{{Path: path, Message: phrase.OneLine(message)}}
}

// missing returns one violation for each missing property.
func missing(e *jsonschema.ValidationError, path string) (all []schema.Violation) {
	for _, name := range parseList(strings.TrimPrefix(e.Message, "missing properties: ")) {
		all = append(all, schema.Violation{Path: phrase.Member(path, name), Message: "required"})
	}
	return all
}

// follow converts an instance location to a path, and returns the value there.
func (x explainer) follow(location string) (path string, at any) {
	at = x.value
	for token := range tokens(location) {
		switch v := at.(type) {
		case []any:
			if k, err := strconv.Atoi(token); err == nil && k < len(v) {
				path, at = phrase.Item(path, k), v[k]
			}
		case map[string]any:
			path, at = phrase.Member(path, token), v[token]
		default:
			path = phrase.Member(path, token)
		}
	}
	return path, at
}

// tokens returns the tokens of a JSON pointer in a URI fragment.
func tokens(pointer string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		_, pointer, ok := strings.Cut(pointer, "/")
		if !ok {
			return
		}
		for token := range strings.SplitSeq(pointer, "/") {
			if name, err := url.PathUnescape(token); err == nil {
				token = name
			}
			if !yield(strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")) {
				return
			}
		}
	}
}

// branches returns a message with the first violation of each alternative, for a few.
func (x explainer) branches(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		return "must match exactly one of the allowed forms, but matches several"
	}
	const most = 4
	var forms []string
	for _, cause := range e.Causes {
		if len(forms) > most {
			return fmt.Sprintf("must match one of %d allowed forms", len(e.Causes))
		}
		if all := x.explain(cause); len(all) > 0 && !slices.Contains(forms, all[0].String()) {
			forms = append(forms, all[0].String())
		}
	}
	return "must match one of the allowed forms: (" + strings.Join(forms, ") or (") + ")"
}

// parseList parses a list of the form 'a', 'b'.
func parseList(s string) []string {
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(s, "'"), "'"), "', '") {
		name = strings.ReplaceAll(name, `\'`, `'`)
		if plain, err := strconv.Unquote(`"` + strings.ReplaceAll(name, `"`, `\"`) + `"`); err == nil {
			name = plain
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// limitWords returns the words for a limit and for its unit.
func limitWords(keyword string) (must, of string) {
	switch keyword {
	case "minimum":
		return "be at least", ""
	case "maximum":
		return "be at most", ""
	case "exclusiveMinimum":
		return "be more than", ""
	case "exclusiveMaximum":
		return "be less than", ""
	case "multipleOf":
		return "be a multiple of", ""
	case "minLength":
		return "have at least", "character"
	case "maxLength":
		return "have at most", "character"
	case "minItems":
		return "have at least", "item"
	case "maxItems":
		return "have at most", "item"
	case "minProperties":
		return "have at least", "property"
	case "maxProperties":
		return "have at most", "property"
	case "pattern":
		return "match the pattern", ""
	}
	return "", ""
}

// message returns the message for an error about the value at.
func (x explainer) message(e *jsonschema.ValidationError, keyword string, at any) string {
	got := ""
	if x.document != nil {
		got = ", got " + formatValue(at)
	}
	stated := x.keywordValue(e)
	if must, of := limitWords(keyword); must != "" && stated != nil {
		return "must " + must + " " + amount(stated, of) + got
	}
	switch keyword {
	case "type":
		want, _, _ := strings.Cut(strings.TrimPrefix(e.Message, "expected "), ", but got ")
		types := strings.Split(want, " or ")
		return phrase.MustBe(func(name string) bool { return slices.Contains(types, name) }) + got
	case "enum", "const":
		if stated != nil {
			return "must be " + choice(stated) + got
		}
		return strings.TrimPrefix(e.Message, "value ")
	case "additionalProperties":
		names := parseList(strings.TrimSuffix(strings.TrimPrefix(e.Message, "additionalProperties "), " not allowed"))
		for k := range names {
			names[k] = phrase.Token(jsonx.AppendQuoted(nil, names[k]))
		}
		return "unknown property " + strings.Join(names, ", ")
	case "format":
		if _, name, ok := strings.Cut(e.Message, " is not valid "); ok {
			return "must be " + format.Meaning(strings.Trim(name, "'")) + got
		}
	case "not":
		return "has a form that is not allowed"
	case "unevaluatedProperties", "unevaluatedItems":
		return "is not allowed"
	}
	return e.Message
}

// keywordValue returns the value of the violated keyword, or nil.
func (x explainer) keywordValue(e *jsonschema.ValidationError) []byte {
	address, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	if address != x.address {
		return nil // in an embedded resource
	}
	at := x.document
	for token := range tokens(pointer) {
		if at = child(at, token); at == nil {
			return nil
		}
	}
	return at
}

// child returns the member or element for a token of a JSON pointer, or nil.
func child(data []byte, token string) []byte {
	start := jsonx.Space(data, 0)
	if start < len(data) && data[start] == '[' {
		k, err := strconv.Atoi(token)
		elements := jsonx.Array(data)
		for ; err == nil && elements.Next(); k-- {
			if k == 0 {
				return elements.Value()
			}
		}
		return nil
	}
	members := jsonx.Object(data)
	for members.Next() {
		if members.Name() == token {
			return members.Value()
		}
	}
	return nil
}

// amount returns a limit with its unit.
func amount(raw []byte, of string) string {
	if n, err := strconv.Atoi(string(raw)); err == nil && of != "" {
		return phrase.Count(n, of)
	}
	if text, err := jsonx.Unquote(raw); err == nil {
		return text
	}
	return phrase.Token(raw)
}

// choice returns the values of enum, or the value of const.
func choice(raw []byte) string {
	if raw[0] != '[' {
		return phrase.TokenWithin(raw, 100)
	}
	var all [][]byte
	for elements := jsonx.Array(raw); elements.Next(); {
		all = append(all, elements.Value())
	}
	return phrase.OneOf(all)
}

// formatValue returns a decoded value for a message.
func formatValue(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return phrase.Token([]byte("{"))
	case []any:
		return phrase.Token([]byte("["))
	case string:
		const enough = 100 // to be cut
		return phrase.Token(jsonx.AppendQuoted(nil, v[:min(len(v), enough)]))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "something else"
	}
	return phrase.Token(raw)
}
