package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/internal/format"
	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

const maxDocument = 256 << 10

const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// base is the address of the document, so that no reference in it is relative to
// a file or a host.
const base = "mem:///schema.json"

// Validator compiles a document, a JSON Schema of 2020-12 unless its $schema
// names 2019-09, draft-07 or draft-06, and returns what judges values by it. It
// is the value of [schema.Options] member Reference, and may be used alone.
//
// Nothing is ever loaded from elsewhere: a reference that leads outside the
// document is an error, as are a document that is not valid by its dialect, one
// of more than 256 KiB and patterns that RE2 does not know or that are of
// excessive size. Formats are asserted.
//
// The Validator may be used by several goroutines; they take turns. It refuses
// values that no schema can be checked with at a bounded cost: those that
// [schema.Schema.Check] refuses whatever the schema, and those that would take
// more than about a million steps or half a second.
func Validator(document []byte) (schema.Validator, error) {
	if len(document) > maxDocument {
		return nil, fmt.Errorf("is larger than %d bytes", maxDocument)
	}
	if err := harmless(document); err != nil {
		return nil, err
	}
	v := &validator{document: document}
	decoded, err := decode(document)
	if err != nil {
		return nil, err
	}
	root, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("must be a JSON object")
	}
	var found survey
	found.schema(root)
	if err := found.problem(); err != nil {
		return nil, err
	}
	v.cost, v.links = found.dearest, found.links
	if _, ok := root["$schema"]; !ok {
		root["$schema"] = dialect2020
	}
	return v, v.compile(root)
}

// validator is a compiled document.
type validator struct {
	document []byte
	cost     int // of the patterns that one name or text may meet at once
	links    int // how many schemas may apply to one value, one inside the other
	schema   *jsonschema.Schema

	mu      sync.Mutex // over what follows, so one validation at a time
	steps   int
	started time.Time
}

func (v *validator) compile(root map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be compiled: %v", r)
		}
	}()
	text, err := json.Marshal(root)
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s leads outside the schema", url)
	}
	for name := range jsonschema.Formats {
		valid := format.Named(name)
		c.Formats[name] = func(value any) bool {
			s, ok := value.(string)
			return !ok || valid == nil || valid(s)
		}
	}
	c.RegisterExtension("bounds", nil, (*bounds)(v))
	if err := c.AddResource(base, bytes.NewReader(text)); err != nil {
		return err
	}
	if v.schema, err = c.Compile(base); err != nil {
		return compileProblem(err)
	}
	return nil
}

// Validate implements [schema.Validator].
func (v *validator) Validate(data []byte) (found []schema.Violation) {
	if err := harmless(data); err != nil {
		return violations(err)
	}
	if !pattern.Affordable(v.cost, len(data)) {
		return []schema.Violation{{Message: "is too large to be checked against its schema"}}
	}
	value, err := decode(data)
	if err != nil {
		return violations(err)
	}
	if (v.links+1)*depth(value) > maxFrames {
		return []schema.Violation{{Message: "is nested too deeply to be checked against its schema"}}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.steps, v.started = 0, time.Now()
	defer func() {
		if recover() != nil {
			found = []schema.Violation{{Message: "is too complex to be checked against its schema"}}
		}
	}()
	err = v.schema.Validate(value)
	if err == nil {
		return nil
	}
	var refused *jsonschema.ValidationError
	if !errors.As(err, &refused) {
		return []schema.Violation{{Message: "cannot be checked against its schema"}}
	}
	address, _, _ := strings.Cut(v.schema.Location, "#")
	return explainer{document: v.document, address: address, value: value}.explain(refused)
}

// harmless refuses what must not come near a decoder that keeps numbers exact
// and recurses: names given twice, text that is not Unicode, numbers out of
// bounds, deep nesting. That is what the schema that allows everything does.
func harmless(data []byte) error { return new(schema.Schema).Check(data) }

func violations(err error) []schema.Violation {
	var refused *schema.ValidationError
	if errors.As(err, &refused) {
		return refused.Violations
	}
	return []schema.Violation{{Message: err.Error()}}
}

// decode keeps the digits of numbers.
func decode(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// compileProblem says in one line what is wrong with a schema.
func compileProblem(err error) error {
	var refused *jsonschema.ValidationError
	if errors.As(err, &refused) {
		problem := &schema.ValidationError{Violations: explainer{}.explain(refused)}
		return fmt.Errorf("is not a valid schema: %w", problem)
	}
	var outer *jsonschema.SchemaError
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "jsonschema: "), base, ""))
}
