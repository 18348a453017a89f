package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Options adjust a schema without a change of its type or text.
//
// A path names a property: "depth", "options.depth", "edits[].replaceAll" for the items of an
// array, "env.*" for the values of a map. An unknown path is an error, and so is a value that the
// schema of the property refuses. A property of a recursive type is adjusted at every depth.
type Options struct {
	// Defaults maps paths to default values. A property with a default is optional.
	Defaults map[string]any
	// Enums maps paths to the permitted values.
	Enums map[string][]any
	// Names maps paths to the names under which properties are listed and accepted. The property's own name is accepted, too,
	// without being listed. Paths contain own names, and Prepare returns own names. Unlisted has the paths of optional
	// properties that are accepted and not listed. Errors are a name that another property of the object has, an object that
	// allows undeclared properties, and a schema with combinations.
	Names    map[string]string
	Unlisted []string
	// Synonyms returns further names that Prepare accepts for properties, by synonym. It is called for every object that
	// allows declared properties alone, with the names of all of them, listed or not, and not for a schema with combinations. A
	// synonym that is the name of a property is ignored.
	Synonyms func(properties []string) map[string]string
	// Reference compiles schemas with keywords that this package does not compile: anchors,
	// embedded resources, dynamic references and unevaluated keywords, and up to draft-07 the
	// encoding of content. Without it they are an error. Its parameter is the JSON of the schema,
	// without the patterns that Go cannot evaluate. Package reference implements it.
	Reference func(document []byte) (Validator, error)
}

// Validator validates values against a whole schema. It is safe for concurrent use.
type Validator interface {
	// Validate returns the violations of data; none if it is valid. It receives only JSON of
	// limited depth, with numbers that fit a float64, unique names and valid Unicode.
	Validate(data []byte) []Violation
}

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use. The zero Schema
// allows every value.
type Schema struct {
	text  []byte                // the schema as JSON
	rules atomic.Pointer[rules] // nil before the first use
	mu    sync.Mutex            // guards the field below
	draft *document             // nil once rules are compiled
}

// Input returns the schema of the arguments of a tool. t is a struct, a map with keys that encode
// as strings, or a pointer to one. Prepared arguments decode into t with encoding/json without
// error.
func Input(t reflect.Type, o Options) (*Schema, error) { return generated(t, o, false) }

// Output returns the schema of the JSON that [Encoder] writes for a value of type t. It declares
// null for nil pointers and interfaces; slices and maps are never null. A pointer type has the
// schema of its element.
func Output(t reflect.Type, o Options) (*Schema, error) { return generated(t, o, true) }

// InputFor is [Input] without options.
func InputFor[T any]() (*Schema, error) { return Input(reflect.TypeFor[T](), Options{}) }

// OutputFor is [Output] without options.
func OutputFor[T any]() (*Schema, error) { return Output(reflect.TypeFor[T](), Options{}) }

// generated generates the schema of t and adds the type to errors.
func generated(t reflect.Type, o Options, output bool) (*Schema, error) {
	s, err := generatedSchema(t, o, output)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", typeName(t), err)
	}
	return s, nil
}

// generatedSchema generates the schema of t. Most schemas are compiled at first use, which cannot
// fail for them. A schema is compiled at once if it contains a part that an author has written:
//
//   - the result of a method such as JSONSchema (hasHooks),
//   - a default, enum, const, pattern or multipleOf in a tag (mayContradict), which may contradict
//     the rest of the schema,
//   - a default or an enumeration of o.
func generatedSchema(t reflect.Type, o Options, output bool) (*Schema, error) {
	g, err := generate(t, output)
	if err != nil {
		return nil, err
	}
	if _, err := o.apply(g.doc); err != nil {
		return nil, err
	}
	names, err := o.names(g.doc)
	if err != nil {
		return nil, err
	}
	// All defaults and enumerations are the program's own, so an invalid one is an error.
	d := &document{doc: g.doc, reference: o.Reference, isForeign: g.hasHooks, isAuthored: func(*value) bool { return true }, names: names}
	if !output {
		d.typ = t
	}
	s := &Schema{text: names.listed(g.doc).append(make([]byte, 0, 1024)), draft: d}
	if g.hasHooks || g.mayContradict || len(o.Defaults)+len(o.Enums) > 0 {
		err = s.compile()
	}
	return s, err
}

// Compile compiles a schema from an author or another server. Its text is preserved except for
// white space, including unknown keywords.
//
// The dialects are 2020-12 (the default), 2019-09, draft-07 and draft-06. Errors are a reference
// outside the schema, more than 256 KiB, and more than 5000 subschemas. A pattern that is too large
// or not RE2 syntax is not enforced; it is an error in a schema where that could refuse more
// values. A default that the schema itself refuses is ignored.
func Compile(raw []byte, o Options) (*Schema, error) {
	s, err := compileText(raw, o)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

// compileText parses and compiles a schema.
func compileText(raw []byte, o Options) (*Schema, error) {
	if len(raw) > maxSchemaSize {
		return nil, fmt.Errorf("is larger than %d bytes", maxSchemaSize)
	}
	doc, err := parseDocument(slices.Clone(raw))
	if err != nil {
		return nil, err
	}
	if doc.kind != typeObject {
		return nil, errors.New("must be a JSON object")
	}
	touched, err := o.apply(doc)
	if err != nil {
		return nil, err
	}
	names, err := o.names(doc)
	if err != nil {
		return nil, err
	}
	s := &Schema{text: names.listed(doc).append(make([]byte, 0, len(raw)))}
	// An invalid default or enumeration is an error only if o has set it. The text itself comes from
	// another author.
	s.draft = &document{doc: doc, reference: o.Reference, isForeign: true, isAuthored: func(v *value) bool { return touched[v] }, names: names}
	return s, s.compile()
}

// JSON returns the schema for clients and models: without white space, properties in the order of
// declaration. The caller owns the result.
func (s *Schema) JSON() json.RawMessage {
	if s.text == nil {
		return json.RawMessage("{}")
	}
	return slices.Clone(s.text)
}

// Prepare validates arguments and returns them ready for decoding. Absent properties get their
// defaults, at any depth. A null for an optional property that does not allow null counts as
// absent. Whole numbers in another notation, for example 3.0, become plain digits for integers.
// Absent arguments and null become {}.
//
// If nothing changes, Prepare returns args itself and does not allocate. It never modifies args.
// The error is a [*ValidationError].
func (s *Schema) Prepare(args []byte) ([]byte, error) {
	r := s.compiled()
	if i := jsonx.Space(args, 0); i == len(args) || isNull(args, i) && !r.root.allows(typeNull) {
		args = []byte("{}")
	}
	// The walk checks args and records the edits: defaults, removed nulls, rewritten numbers. Only
	// combinations (anyOf, not, if and others) and Options.Reference need the second pass of finish.
	w := walker{data: args, arguments: true, recordDeclared: r.needsEvaluation(), maxFindings: maxViolations}
	accepted := w.check(r.root)
	if accepted && len(w.edits) == 0 && !w.recordDeclared {
		return args, nil
	}
	return r.finish(&w, accepted)
}

// isNull reports whether data from i is null.
func isNull(data []byte, i int) bool {
	return string(data[i:min(i+4, len(data))]) == "null" && jsonx.Space(data, i+4) == len(data)
}

// Check validates data, for example a result, without changes. The error is a [*ValidationError].
// Like Prepare it rejects duplicate names, invalid Unicode, numbers over the limits, and deep
// nesting.
func (s *Schema) Check(data []byte) error {
	r := s.compiled()
	w := walker{data: data, maxFindings: maxViolations}
	accepted := w.check(r.root)
	if accepted && !r.needsEvaluation() {
		return nil
	}
	_, err := r.finish(&w, accepted)
	return err
}

// typeName returns the name of a type for errors. A struct without a name is not printed, because
// it may be long.
func typeName(t reflect.Type) string {
	switch {
	case t == nil:
		return "nothing"
	case t.Name() == "" && t.Kind() == reflect.Struct:
		return "a struct"
	}
	return t.String()
}
