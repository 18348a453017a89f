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

// maxViolations are explained, as many as package schema reports.
const maxViolations = 20

// explainer flattens a tree of errors into what a model can act on, in the words
// of package schema.
type explainer struct {
	document []byte // nil when what is wrong is itself a schema
	address  string // of the document
	value    any
}

// explain lists what is wrong, sorted and without repetitions: the library goes
// through maps in any order and may come to a value on several ways.
func (x explainer) explain(e *jsonschema.ValidationError) []schema.Violation {
	all := leaves(nil, e)
	slices.SortFunc(all, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.AbsoluteKeywordLocation, b.AbsoluteKeywordLocation), cmp.Compare(a.Message, b.Message))
	})
	const most = 10 * maxViolations // a hopeless value must not cost much
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

func keywordOf(e *jsonschema.ValidationError) string {
	return e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
}

// leaves appends the errors at the ends of the tree. Branches of anyOf and oneOf
// count as one, since none of them need be the one meant.
func leaves(all []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch keywordOf(e) {
	case "anyOf", "oneOf", "minContains":
		return append(all, e)
	}
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = leaves(all, cause)
	}
	return all
}

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
		message = x.reworded(e, keyword, at)
	}
	return []schema.Violation{{Path: path, Message: phrase.OneLine(message)}}
}

// missing is one violation for each property that is not there.
func missing(e *jsonschema.ValidationError, path string) (all []schema.Violation) {
	for _, name := range listed(strings.TrimPrefix(e.Message, "missing properties: ")) {
		all = append(all, schema.Violation{Path: phrase.Member(path, name), Message: "required"})
	}
	return all
}

// follow turns an instance location into a path, and finds the value there.
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

// tokens are those of a JSON pointer, percent-encoded as in a fragment.
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

// branches says what each form that the value may take lacked, for a few forms.
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

// listed undoes a list of the form 'a', 'b'.
func listed(s string) []string {
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

// limitWords are how a limit and what it counts are put.
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

// reworded is the message of a leaf about the value at.
func (x explainer) reworded(e *jsonschema.ValidationError, keyword string, at any) string {
	got := ""
	if x.document != nil {
		got = ", got " + shown(at)
	}
	stated := x.stated(e)
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
		names := listed(strings.TrimSuffix(strings.TrimPrefix(e.Message, "additionalProperties "), " not allowed"))
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

// stated is the value of the keyword that was violated, or nil if it cannot be
// found.
func (x explainer) stated(e *jsonschema.ValidationError) []byte {
	address, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	if address != x.address {
		return nil // in a resource of its own
	}
	at := x.document
	for token := range tokens(pointer) {
		if at = child(at, token); at == nil {
			return nil
		}
	}
	return at
}

// child is the token of the member or element that a pointer's token names.
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

// amount is a limit in a message, with what it counts.
func amount(raw []byte, of string) string {
	if n, err := strconv.Atoi(string(raw)); err == nil && of != "" {
		return phrase.Count(n, of)
	}
	if text, err := jsonx.Unquote(raw); err == nil {
		return text
	}
	return phrase.Token(raw)
}

// choice lists the values of enum, or is that of const.
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

// shown renders a decoded value for a message.
func shown(v any) string {
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
