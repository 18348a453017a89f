package schema

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// rules is a compiled document.
type rules struct {
	root            *node
	hasCombinations bool      // root has combinations, which need a second walk
	reference       Validator // nil if root expresses all keywords
}

// document is a document that is not compiled yet.
type document struct {
	doc        *value
	typ        reflect.Type                             // Go type for decoding, or nil
	reference  func(document []byte) (Validator, error) // Options.Reference
	isForeign  bool                                     // some parts were not generated; their patterns may be invalid
	isAuthored func(*value) bool                        // reports whether an invalid default or enumeration is an error
	names      argumentNames
}

// compiled returns the rules, and compiles them on first use.
func (s *Schema) compiled() *rules {
	if r := s.rules.Load(); r != nil {
		return r
	}
	if s.compile() != nil {
		// Deferred documents are generated, so their compilation does not fail.
		s.rules.Store(&rules{root: &node{}})
	}
	return s.rules.Load()
}

// compile compiles the document once.
func (s *Schema) compile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules.Load() != nil {
		return nil
	}
	made := &rules{} // rules of the zero Schema
	if s.draft != nil {
		var err error
		if made, err = s.draft.compile(); err != nil {
			return err
		}
	}
	s.rules.Store(made)
	s.draft = nil
	return nil
}

// compile compiles the document, and binds it to the Go type.
func (d *document) compile() (*rules, error) {
	dialect, err := dialectOf(d.doc)
	if err != nil {
		return nil, err
	}
	var found schemaScan
	if err := found.scan(d.doc); err != nil {
		return nil, err
	}
	if d.isForeign {
		if err := found.removePatterns(); err != nil {
			return nil, err
		}
	}
	c := compiler{root: d.doc, dialect: dialect}
	root, err := c.compile(d.doc)
	if err != nil {
		return nil, err
	}
	c.resolveUnions()
	if err := c.checkChains(); err != nil {
		return nil, err
	}
	if err := c.checkEnums(d.isAuthored, false); err != nil {
		return nil, err
	}
	if d.typ != nil {
		if _, err := new(binder).bind(root, d.typ); err != nil {
			return nil, err
		}
		if err := c.checkEnums(d.isAuthored, true); err != nil {
			return nil, err
		}
	}
	if err := c.applyDefaults(d.isAuthored); err != nil {
		return nil, err
	}
	switch {
	case !c.hasCombinations && len(c.uncompiled) == 0:
		err = d.names.bind(root)
	case len(d.names.changes) > 0:
		err = errors.New("properties of a schema with combinations cannot have other names")
	}
	if err != nil {
		return nil, err
	}
	r := &rules{root: root, hasCombinations: c.hasCombinations}
	if len(c.uncompiled) == 0 {
		return r, nil
	}
	if d.reference == nil {
		return nil, fmt.Errorf("the checker does not know %s: pass reference.Validator, of package mcp/schema/reference, as Options.Reference", strings.Join(c.uncompiled, ", "))
	}
	r.reference, err = d.reference(d.doc.append(nil))
	return r, err
}

// needsEvaluation reports whether a value needs a second walk or the reference validator.
func (r *rules) needsEvaluation() bool { return r.hasCombinations || r.reference != nil }

// finish applies the edits, evaluates combinations and the reference validator, and returns the
// result or all violations.
func (r *rules) finish(w *walker, accepted bool) ([]byte, error) {
	refusal := w.validationError()
	if r.needsEvaluation() && w.syntaxErr == nil && !w.unsafe && !w.isFull() {
		final := splice(w.data, declared(w.edits), 0)
		if r.hasCombinations {
			refusal.add(evaluate(r.root, final))
		}
		if r.reference != nil {
			refusal.add(r.reference.Validate(final))
		}
	}
	switch {
	case !accepted || len(refusal.Violations) > 0:
		return nil, refusal
	case len(w.edits) == 0:
		return w.data, nil
	}
	return splice(w.data, w.edits, 0), nil
}

// validationError returns the findings of the walk as an error.
func (w *walker) validationError() *ValidationError {
	e := &ValidationError{result: !w.arguments}
	for _, f := range w.findings {
		e.Violations = append(e.Violations, f.locate(w.data))
	}
	if w.syntaxErr != nil {
		e.Violations = append(e.Violations, Violation{Message: "not valid JSON: " + w.syntaxErr.Error()})
	}
	return e
}

// add adds violations of values that have none yet.
func (e *ValidationError) add(more []Violation) {
	said := make(map[string]bool, len(e.Violations))
	for _, v := range e.Violations {
		said[v.Path] = true
	}
	for _, v := range more {
		if !said[v.Path] && len(e.Violations) < maxViolations {
			e.Violations = append(e.Violations, Violation{v.Path, phrase.OneLine(v.Message)})
		}
	}
}

// prepare is Schema.Prepare for a single node. judged enables the evaluation of its combinations.
func prepare(n *node, data []byte, judged bool) ([]byte, *ValidationError) {
	w := walker{data: data, arguments: true, recordDeclared: judged, maxFindings: maxViolations}
	accepted := w.check(n)
	refusal := w.validationError()
	if accepted && judged {
		refusal.add(evaluate(n, splice(data, declared(w.edits), 0)))
	}
	switch {
	case len(refusal.Violations) > 0:
		return nil, refusal
	case len(w.edits) > 0:
		return splice(data, w.edits, 0), nil
	}
	return data, nil
}
