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

// Options adjust a schema without touching the type or text that it is made of.
//
// Properties are named by path: "depth", "options.depth", "edits[].replaceAll"
// for the items of an array, "env.*" for the values of a map. A path that leads
// to no property is an error, as is a value that the property's schema refuses.
// A property of a recursive type is adjusted at every depth.
type Options struct {
	// Defaults are the values of properties that are absent from arguments. A
	// property with a default is optional.
	Defaults map[string]any
	// Enums are the only values that properties may have.
	Enums map[string][]any
	// Reference judges values by what the checker does not compile: anchors,
	// embedded resources, dynamic references and unevaluated keywords; in drafts
	// up to 07 the encoding of content. It is asked only for a schema that has
	// some of these, which otherwise is an error. It gets the document, with
	// patterns left out that cannot be evaluated. Package reference has one.
	Reference func(document []byte) (Validator, error)
}

// Validator judges values by a whole schema. It may be used by several
// goroutines at once.
type Validator interface {
	// Validate returns what is wrong with data, nothing if it is valid. It is
	// asked only about JSON that the checker has found harmless: of bounded depth,
	// with numbers that fit a float64, no name twice and valid Unicode.
	Validate(data []byte) []Violation
}

// Schema is a compiled JSON Schema. It does not change and may be used by several
// goroutines at once. The zero Schema allows every value.
type Schema struct {
	text  []byte
	rules atomic.Pointer[rules]
	mu    sync.Mutex // over what follows
	draft *draft     // of the rules, nil once they are made
}

// Input returns the schema of a tool's arguments that are decoded into t: a
// struct, a map with string-like keys, or a pointer to one. What it accepts, once
// prepared, encoding/json decodes into t without error.
func Input(t reflect.Type, o Options) (*Schema, error) { return generated(t, o, false) }

// Output returns the schema of what [Encoder] writes for a value of type t. It
// declares null where a nil pointer or interface can appear; slices and maps are
// never null. A pointer type stands for what it points to.
func Output(t reflect.Type, o Options) (*Schema, error) { return generated(t, o, true) }

// InputFor is [Input] without options.
func InputFor[T any]() (*Schema, error) { return Input(reflect.TypeFor[T](), Options{}) }

// OutputFor is [Output] without options.
func OutputFor[T any]() (*Schema, error) { return Output(reflect.TypeFor[T](), Options{}) }

func generated(t reflect.Type, o Options, output bool) (*Schema, error) {
	s, err := generatedSchema(t, o, output)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", typeName(t), err)
	}
	return s, nil
}

func generatedSchema(t reflect.Type, o Options, output bool) (*Schema, error) {
	g, err := generate(t, output)
	if err != nil {
		return nil, err
	}
	if _, err := o.apply(g.doc); err != nil {
		return nil, err
	}
	d := &draft{doc: g.doc, reference: o.Reference, foreign: g.hooked, authored: func(*value) bool { return true }}
	if !output {
		d.typ = t
	}
	s := &Schema{text: g.doc.append(make([]byte, 0, 1024)), draft: d}
	if g.hooked || g.stated || len(o.Defaults)+len(o.Enums) > 0 {
		err = s.compile()
	}
	return s, err
}

// Compile takes a schema that an author or a foreign server wrote. Its text is
// kept as it is, white space aside, keywords that mean nothing here included.
//
// Dialects are 2020-12, also when $schema is absent, 2019-09, draft-07 and
// draft-06. A reference that leads outside the schema is an error, as is a schema
// of more than 256 KiB or 5000 subschemas. A pattern that RE2 cannot express is
// not enforced, nor is one of excessive size; where leaving it out could refuse
// more, it is an error. A default
// that the schema itself refuses is not applied.
func Compile(raw []byte, o Options) (*Schema, error) {
	s, err := compileText(raw, o)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

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
	s := &Schema{text: doc.append(make([]byte, 0, len(raw)))}
	s.draft = &draft{doc: doc, reference: o.Reference, foreign: true, authored: func(v *value) bool { return touched[v] }}
	return s, s.compile()
}

// JSON is the schema as it is shown to clients and models: without white space,
// properties in the order of declaration. The caller may keep and change it.
func (s *Schema) JSON() json.RawMessage {
	if s.text == nil {
		return json.RawMessage("{}")
	}
	return slices.Clone(s.text)
}

// Prepare checks arguments and returns them ready for decoding. Absent
// properties get their defaults, at any depth; null for an optional property
// that does not allow it counts as absent; a whole number in another notation,
// such as 3.0, becomes plain digits where an integer is wanted. No arguments at
// all, or null, are {}.
//
// When nothing has to change, Prepare returns args itself and has allocated
// nothing. It never changes args. An error is a [*ValidationError].
func (s *Schema) Prepare(args []byte) ([]byte, error) {
	r := s.compiled()
	if i := jsonx.Space(args, 0); i == len(args) || isNull(args, i) && !r.root.allows(typeNull) {
		args = []byte("{}")
	}
	w := walker{data: args, arguments: true, declares: r.judged(), most: maxViolations}
	accepted := w.check(r.root)
	if accepted && len(w.edits) == 0 && !w.declares {
		return args, nil
	}
	return r.finish(&w, accepted)
}

func isNull(data []byte, i int) bool {
	return string(data[i:min(i+4, len(data))]) == "null" && jsonx.Space(data, i+4) == len(data)
}

// Check reports as a [*ValidationError] what keeps data from being valid. It
// changes nothing and serves for results. Like Prepare it refuses names given
// twice, text that is not Unicode, numbers out of bounds and deep nesting.
func (s *Schema) Check(data []byte) error {
	r := s.compiled()
	w := walker{data: data, most: maxViolations}
	accepted := w.check(r.root)
	if accepted && !r.judged() {
		return nil
	}
	_, err := r.finish(&w, accepted)
	return err
}

// typeName is the name of a type in errors; that of a struct without a name
// would fill the screen.
func typeName(t reflect.Type) string {
	switch {
	case t == nil:
		return "nothing"
	case t.Name() == "" && t.Kind() == reflect.Struct:
		return "a struct"
	}
	return t.String()
}
