package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// rules are what a document became.
type rules struct {
	root      *node
	combines  bool      // root has combinations, which a walk of its own judges
	reference Validator // nil when root says everything
}

// draft is a document that is not compiled yet.
type draft struct {
	doc       *value
	typ       reflect.Type // that values are decoded into, or nil
	reference func(document []byte) (Validator, error)
	foreign   bool              // parts are not of our making
	authored  func(*value) bool // whether a bad default or enumeration is an error
}

// compiled returns the rules, which are made when they are first asked for.
func (s *Schema) compiled() *rules {
	if r := s.rules.Load(); r != nil {
		return r
	}
	if s.compile() != nil {
		// What is not compiled at once has been found to be free of errors.
		s.rules.Store(&rules{root: &node{}})
	}
	return s.rules.Load()
}

func (s *Schema) compile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules.Load() != nil {
		return nil
	}
	made := &rules{} // of the zero Schema
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

func (d *draft) compile() (*rules, error) {
	dialect, err := dialectOf(d.doc)
	if err != nil {
		return nil, err
	}
	var found survey
	if err := found.examine(d.doc); err != nil {
		return nil, err
	}
	if d.foreign {
		if err := found.relax(); err != nil {
			return nil, err
		}
	}
	c := compiler{root: d.doc, dialect: dialect}
	root, err := c.compile(d.doc)
	if err != nil {
		return nil, err
	}
	c.settle()
	if err := c.chains(); err != nil {
		return nil, err
	}
	if err := c.checkEnums(d.authored); err != nil {
		return nil, err
	}
	if d.typ != nil {
		if _, err := new(binder).bind(root, d.typ); err != nil {
			return nil, err
		}
	}
	if err := c.applyDefaults(d.authored); err != nil {
		return nil, err
	}
	r := &rules{root: root, combines: c.combines}
	if len(c.beyond) == 0 {
		return r, nil
	}
	if d.reference == nil {
		return nil, fmt.Errorf("the checker does not know %s: pass reference.Validator, of package mcp/schema/reference, as Options.Reference", strings.Join(c.beyond, ", "))
	}
	r.reference, err = d.reference(d.doc.append(nil))
	return r, err
}

// judged reports whether a walk is not enough to tell what is valid.
func (r *rules) judged() bool { return r.combines || r.reference != nil }

// finish applies edits, has the value judged if need be, and puts all violations
// together.
func (r *rules) finish(w *walker, accepted bool) ([]byte, error) {
	refusal := w.refusal()
	if r.judged() && w.broken == nil && !w.hostile && !w.enough() {
		final := splice(w.data, declared(w.edits), 0)
		if r.combines {
			refusal.add(judge(r.root, final))
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

// refusal locates what the walk has found.
func (w *walker) refusal() *ValidationError {
	e := &ValidationError{result: !w.arguments}
	for _, f := range w.findings {
		e.Violations = append(e.Violations, f.locate(w.data))
	}
	if w.broken != nil {
		e.Violations = append(e.Violations, Violation{Message: "not valid JSON: " + w.broken.Error()})
	}
	return e
}

// add takes violations of values that nothing has been said about yet.
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

// prepare is Prepare for a single node, whose combinations are judged or not.
func prepare(n *node, data []byte, judged bool) ([]byte, *ValidationError) {
	w := walker{data: data, arguments: true, declares: judged, most: maxViolations}
	accepted := w.check(n)
	refusal := w.refusal()
	if accepted && judged {
		refusal.add(judge(n, splice(data, declared(w.edits), 0)))
	}
	switch {
	case len(refusal.Violations) > 0:
		return nil, refusal
	case len(w.edits) > 0:
		return splice(data, w.edits, 0), nil
	}
	return data, nil
}
