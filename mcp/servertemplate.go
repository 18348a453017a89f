package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/uritemplate"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

// ServerTemplate is a resource template with its handler. It is a value: it can be registered in
// any number of servers.
type ServerTemplate struct {
	template  ResourceTemplate       // public description
	variables []uritemplate.Variable // variables of the template
	matcher   *uritemplate.Matcher   // extracts the values from a URI; nil if the template is invalid
	literals  int                    // bytes of the template outside variables
	// read decodes the values and calls the handler.
	read       func(ctx context.Context, uri string, values map[string][]string) ([]ResourceContents, error)
	opts       ResourceOptions
	completers map[string]Completer // by variable
	problems   []error              // reported by Err
}

// NewTemplate returns a resource template with a typed handler. In is a struct with text fields,
// each a variable of the template. A list of text is the field of an exploded variable, for example
// {/path*}. In may also be map[string]string. Tags constrain the values; see package schema. A
// variable that may be absent, for example of {?…}, is an optional field. A variable with an enum
// gets a completer. Problems of the definition are reported at registration.
//
// The template is a template of RFC 6570 that can be matched against a URI. A value ends at the
// separator or reserved character after its variable. If other text follows, for example the dot in
// {name}.{ext}, the value ends at the last occurrence of that text. Prefixes, for example {name:3},
// and adjacent variables are errors.
//
// Values are percent-decoded: {name} may yield "../../etc/passwd", sent as ..%2F..%2Fetc%2Fpasswd.
// A handler that opens files must confine them; see package security. uri is the URI of the
// request, unchanged.
func NewTemplate[In any](t ResourceTemplate, h func(ctx context.Context, uri string, in In) ([]ResourceContents, error)) ServerTemplate {
	st := ServerTemplate{template: t}
	st.parse()
	input, fields := templateInput[In](&st)
	if h == nil {
		st.problem(errors.New("it has no handler"))
	}
	for _, f := range fields {
		if len(f.enum) > 0 {
			st.completers = withCompleter(st.completers, f.name, enumCompleter(f.enum))
		}
	}
	takes := func(v uritemplate.Variable) bool {
		return isMap[In]() || slices.ContainsFunc(fields, func(f textField) bool { return f.name == v.Name })
	}
	st.read = func(ctx context.Context, uri string, values map[string][]string) ([]ResourceContents, error) {
		in, err := decodeText[In](input, appendValues(nil, st.variables, values, takes), fmt.Sprintf("the URI %q", uri))
		if err != nil {
			return nil, err
		}
		return h(ctx, uri, in)
	}
	return st
}

// parse parses the template and checks its name.
func (t *ServerTemplate) parse() {
	parsed, err := uritemplate.Parse(t.template.URITemplate)
	if err == nil {
		t.variables, t.literals = parsed.Variables(), parsed.Literals()
		t.matcher, err = parsed.Matcher()
	}
	if err != nil {
		t.problem(err)
	}
	if err := checkLabel(t.template.Name); err != nil {
		t.problem(err)
	}
}

// templateInput returns the schema of In and its fields. Each field must be a variable.
func templateInput[In any](t *ServerTemplate) (*schema.Schema, []textField) {
	if isMap[In]() {
		if reflect.TypeFor[In]() != reflect.TypeFor[map[string]string]() {
			t.problem(fmt.Errorf("%v is neither a struct nor map[string]string", reflect.TypeFor[In]()))
		}
		for _, v := range t.variables {
			if v.List {
				t.problem(fmt.Errorf("the variable %q is a list; take a struct with a list of text as its field", v.Name))
			}
		}
	}
	input, err := schema.InputFor[In]()
	if err != nil {
		t.problem(err)
		return nil, nil
	}
	fields, err := textFields(input)
	if err != nil {
		t.problem(err)
	}
	for _, f := range fields {
		i := slices.IndexFunc(t.variables, func(v uritemplate.Variable) bool { return v.Name == f.name })
		switch {
		case t.matcher == nil:
		case i < 0:
			t.problem(fmt.Errorf("the field %q is no variable of the template", f.name))
		case t.variables[i].List != f.list:
			t.problem(fmt.Errorf("the field %q must be a list of text if the variable is exploded, and text if not", f.name))
		}
	}
	return input, fields
}

// appendValues appends a JSON object with the values of the variables that takes accepts.
func appendValues(dst []byte, variables []uritemplate.Variable, values map[string][]string, takes func(uritemplate.Variable) bool) json.RawMessage {
	dst = append(dst, '{')
	for _, v := range variables {
		list := values[v.Name]
		if len(list) == 0 || !takes(v) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendQuoted(dst, v.Name), ':')
		if v.List {
			dst = mustMarshal(dst, list)
		} else {
			dst = jsonx.AppendQuoted(dst, list[0])
		}
	}
	return append(dst, '}')
}

// AddTemplate registers a resource template, which Server.Remove unregisters by its URI template.
// See NewTemplate and Server.Replace.
func AddTemplate[In any](s *Server, t ResourceTemplate, h func(ctx context.Context, uri string, in In) ([]ResourceContents, error)) error {
	return s.Replace(ownTemplate+t.URITemplate, Features{Templates: []ServerTemplate{NewTemplate(t, h)}})
}

// problem records a problem of the definition.
func (t *ServerTemplate) problem(err error) { t.problems = append(slices.Clip(t.problems), err) }

// Template returns the public description.
func (t ServerTemplate) Template() ResourceTemplate { return t.template }

// Err returns the problems of the definition, or nil.
func (t ServerTemplate) Err() error {
	problems := t.problems
	if t.read == nil && len(problems) == 0 {
		problems = []error{errors.New("it was not made by NewTemplate")}
	}
	return joinProblems("resource template", t.template.URITemplate, problems)
}

// Options returns the current options.
func (t ServerTemplate) Options() ResourceOptions { return t.opts }

// With returns a copy with the options of o that are not zero.
func (t ServerTemplate) With(o ResourceOptions) ServerTemplate {
	t.opts.merge(o)
	return t
}

// Complete returns a copy with a completer for a variable (2026-07-28,
// server/utilities/completion).
func (t ServerTemplate) Complete(variable string, c Completer) ServerTemplate {
	if !t.has(variable) {
		t.problem(fmt.Errorf("there is no variable %q to complete", variable))
		return t
	}
	if c == nil {
		t.problem(fmt.Errorf("the completer of the variable %q is nil", variable))
		return t
	}
	t.completers = withCompleter(t.completers, variable, c)
	return t
}

// has reports whether the template has this variable.
func (t *ServerTemplate) has(variable string) bool {
	return slices.ContainsFunc(t.variables, func(v uritemplate.Variable) bool { return v.Name == variable })
}

// Read reads the resource with this URI in process. If the template does not match uri, the error
// is ResourceNotFound.
func (t ServerTemplate) Read(ctx context.Context, uri string) (*ReadResult, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNilContext
	}
	src, ok := t.source(uri)
	if !ok {
		return nil, ResourceNotFound(uri)
	}
	return src.readLimited(ctx, uri)
}

// source returns the source of uri if the template matches it.
func (t *ServerTemplate) source(uri string) (resourceReader, bool) {
	values, ok := t.matcher.Match(uri)
	if !ok {
		return resourceReader{}, false
	}
	return resourceReader{opts: &t.opts, mimeType: t.template.MIMEType, read: func(ctx context.Context) ([]ResourceContents, error) {
		return t.read(ctx, uri, values)
	}}, true
}

func (t *ServerTemplate) key() string            { return t.template.URITemplate }
func (t *ServerTemplate) item() ResourceTemplate { return t.template }
func (t *ServerTemplate) hidden() bool           { return t.opts.Unlisted }
func (t *ServerTemplate) append(dst []byte) []byte {
	return t.template.appendJSON(dst, protocol.Latest)
}

// Expand returns the URI for these values of the variables (RFC 6570). Absent variables expand to
// nothing.
func (t ResourceTemplate) Expand(variables map[string]string) (string, error) {
	parsed, err := uritemplate.Parse(t.URITemplate)
	if err != nil {
		return "", fmt.Errorf("the resource template %q: %w", t.URITemplate, err)
	}
	values := make(map[string][]string, len(variables))
	for name, value := range variables {
		values[name] = []string{value}
	}
	return parsed.Expand(values), nil
}
