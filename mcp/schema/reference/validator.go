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

// maxDocument limits a document, in bytes.
const maxDocument = 256 << 10

// dialect2020 is the default dialect.
const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// base is the URI of the document. Relative references cannot reach files or hosts from it.
const base = "mem:///schema.json"

// Validator compiles a JSON Schema of 2020-12, or of 2019-09, draft-07 or draft-06 if $schema names
// one. It is the value for [schema.Options] member Reference; programs may also call it directly.
//
// It loads no other documents: a reference outside the document is an error. Other errors are an
// invalid schema, more than 256 KiB, and patterns that are too large or not RE2 syntax. Formats are
// asserted.
//
// The returned Validator is safe for concurrent use; validations run one at a time. It rejects
// values whose validation would cost too much: values that [schema.Schema.Check] rejects for any
// schema, and validations of more than about a million steps or half a second.
func Validator(document []byte) (schema.Validator, error) {
	if len(document) > maxDocument {
		return nil, fmt.Errorf("is larger than %d bytes", maxDocument)
	}
	if err := checkSafe(document); err != nil {
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
	var found schemaScan // the costs of the patterns, and the number of links
	found.schema(root)
	if err := found.problem(); err != nil {
		return nil, err
	}
	v.cost, v.links = found.maxSchemaCost, found.sameValueCount
	if _, ok := root["$schema"]; !ok {
		root["$schema"] = dialect2020
	}
	return v, v.compile(root)
}

// validator is a compiled document.
type validator struct {
	document []byte
	cost     int // cost of the patterns for one name or text
	links    int // maximum number of schemas that apply to one value, by $ref, allOf and similar keywords
	schema   *jsonschema.Schema

	mu      sync.Mutex // held during a validation; guards the fields below
	steps   int        // subschemas applied so far in the current validation; see limits
	started time.Time  // start of the current validation
}

// compile compiles the document with the library. A panic becomes an error.
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
	// The library calls this extension for each subschema. It counts v.steps and panics at a limit.
	c.RegisterExtension("bounds", nil, (*limits)(v))
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
	if err := checkSafe(data); err != nil {
		return violations(err)
	}
	if !pattern.Affordable(v.cost, len(data)) {
		return []schema.Violation{{Message: "is too large to be checked against its schema"}}
	}
	value, err := decode(data)
	if err != nil {
		return violations(err)
	}
	// The library recurses at most once for each level of the value and each schema that applies to it.
	// maxFrames limits these stack frames.
	if (v.links+1)*depth(value) > maxFrames {
		return []schema.Violation{{Message: "is nested too deeply to be checked against its schema"}}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.steps, v.started = 0, time.Now()
	defer func() {
		if recover() != nil { // limits panics to end a validation with too many steps
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

// checkSafe rejects JSON that could exhaust a recursive decoder with exact numbers: duplicate names,
// invalid Unicode, numbers over the limits, and deep nesting.
func checkSafe(data []byte) error { return new(schema.Schema).Check(data) }

// violations returns the violations of an error.
func violations(err error) []schema.Violation {
	var refused *schema.ValidationError
	if errors.As(err, &refused) {
		return refused.Violations
	}
	return []schema.Violation{{Message: err.Error()}}
}

// decode decodes JSON and keeps the digits of numbers.
func decode(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// compileProblem converts an error of the library to one line.
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
