package specification

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/programs"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, languageServerFlag) {
		serveLanguage()
		return
	}
	builder.Main(m)
}

var builder programs.Builder

// row is a row of a table.
type row struct {
	section string // of the specification
	kind    string // tool, input, result, error, audit, limit, setting, event, log, behaviour, measured or tested
	name    string // of the tool, TOOL.PARAMETER, TOOL.MEMBER, the error code, or the name of a check
	spec    string // for inputs and results the type and its properties, for measured and tested "FILE: TEXT", otherwise the expected value
	differs string // reason for which the program differs, or ""
}

// readTable reads a table: lines with up to five columns between tabs. A line that begins with # is a comment.
func readTable(t *testing.T, name string) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := append(strings.Split(line, "\t"), "", "")
		if len(columns) < 5 || len(columns) > 7 {
			t.Fatalf("%s: %q has %d columns, want 3 to 5", name, line, len(columns)-2)
		}
		r := row{columns[0], columns[1], columns[2], columns[3], columns[4]}
		if slices.ContainsFunc(rows, func(o row) bool { return o.kind == r.kind && o.name == r.name }) {
			t.Errorf("%s: the row %s %s is there twice", name, r.kind, r.name)
		}
		rows = append(rows, r)
	}
	return rows
}

// sample is a call whose result has members of the table.
type sample struct {
	tool string
	args map[string]any
}

// check tests one row: it returns an error if the program differs from the specification.
type check func(r row) error

// subject is a running program with the checks of its table.
type subject struct {
	t      *testing.T
	dir    string // of the project
	client *mcp.Client
	tools  map[string]mcp.Tool
	// samples are the calls for rows of the kind result.
	samples []sample
	// extra are listed tools that the specification lacks.
	extra []string
	// joint is set for a program without a strict profile: tools may have further parameters and enumeration values, whole
	// numbers for numbers and narrower bounds of their own.
	joint bool
	// checks are by kind and name, with a space between them.
	checks map[string]check

	results map[string][]any // structured results of samples, by tool
	texts   []string         // all texts that a model has received
}

// program builds an example program once and returns its path.
func program(t testing.TB, name string) string {
	t.Helper()
	pkg := programs.Module + "/examples/" + name
	if name == "fakeagent" {
		pkg = programs.Module + "/tools/agents/replay/fakeagent"
	}
	return builder.Build(t, pkg, false)
}

// connect starts a program and lists its tools.
func (s *subject) connect(command transport.Command, options *mcp.ClientOptions) {
	s.t.Helper()
	s.connectAs(mcp.Implementation{Name: "specification", Version: "1"}, command, options)
}

// connectAs is connect for a client with another name.
func (s *subject) connectAs(self mcp.Implementation, command transport.Command, options *mcp.ClientOptions) {
	s.t.Helper()
	command.Options = &transport.Options{MaxMessage: 64 << 20} // an answer of 10 MB has its text twice
	client, err := mcp.Connect(s.t.Context(), command, self, options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { client.Close() })
	s.client = client
	s.list()
}

// list reads the list of tools again.
func (s *subject) list() {
	s.t.Helper()
	s.tools = make(map[string]mcp.Tool)
	for tool, err := range s.client.Tools(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		s.tools[tool.Name] = tool
		s.texts = append(s.texts, tool.Description, string(tool.InputSchema))
	}
}

// call calls a tool and records its texts.
func (s *subject) call(tool string, args map[string]any) (*mcp.ToolResult, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	result, err := s.client.CallTool(ctx, tool, args, nil)
	if err != nil {
		return nil, err
	}
	s.texts = append(s.texts, text(result))
	return result, nil
}

// text returns the text blocks of a result.
func text(result *mcp.ToolResult) string {
	var all []string
	for _, block := range result.Blocks() {
		if t, ok := block.(mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// members returns the structured result of a call as decoded JSON.
func (s *subject) members(tool string, args map[string]any) (map[string]any, error) {
	s.t.Helper()
	result, err := s.call(tool, args)
	if err != nil {
		return nil, err
	}
	if result.IsError {
		return nil, fmt.Errorf("%s: %s", tool, text(result))
	}
	var members map[string]any
	if err := json.Unmarshal(result.Structured, &members); err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return members, nil
}

// mustMembers is members for calls that prepare a check.
func (s *subject) mustMembers(tool string, args map[string]any) map[string]any {
	s.t.Helper()
	members, err := s.members(tool, args)
	if err != nil {
		s.t.Fatal(err)
	}
	return members
}

// fails returns a check that a call fails with the code that the row names.
func (s *subject) fails(tool string, args map[string]any) check {
	return func(r row) error {
		result, err := s.call(tool, args)
		if err != nil {
			return err
		}
		parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
		if code := result.ErrorCode(); code != r.name && parts["reason"] != r.name || !strings.HasPrefix(text(result), code+": ") {
			return fmt.Errorf("%s with %v: code %q, reason %v, text %q", tool, args, code, parts["reason"], text(result))
		}
		return nil
	}
}

// run tests the rows of a table that pick accepts; nil accepts all.
func (s *subject) run(table string, pick func(r row) bool) {
	s.t.Helper()
	all := readTable(s.t, table)
	rows := all
	if pick != nil {
		rows = slices.DeleteFunc(slices.Clone(all), func(r row) bool { return !pick(r) })
	}
	s.results = make(map[string][]any)
	for _, c := range s.samples {
		members, err := s.members(c.tool, c.args)
		if err != nil {
			s.t.Errorf("sample: %v", err)
			continue
		}
		s.results[c.tool] = append(s.results[c.tool], any(members))
	}
	named := make(map[string]bool)
	for _, r := range all {
		named[r.name] = named[r.name] || r.kind == "tool"
	}
	counts := make(map[string]int)
	used := make(map[string]bool)
	for _, r := range rows {
		counts[r.kind]++
		test, key := s.checks[r.kind+" "+r.name], r.kind+" "+r.name
		if test == nil {
			switch r.kind {
			case "tool":
				test = s.checkTool
			case "input":
				test = s.checkInput
			case "result":
				test = s.checkResult
			case "measured", "tested":
				test = checkReference
			default:
				s.t.Errorf("%s %s %s has no check", table, r.section, key)
				continue
			}
		}
		used[key] = true
		switch err := test(r); {
		case err != nil && r.differs == "":
			s.t.Errorf("%s %s %s: %v", table, r.section, key, err)
		case err == nil && r.differs != "":
			s.t.Errorf("%s %s %s is as specified; delete the reason %q for a difference", table, r.section, key, r.differs)
		}
	}
	for key := range s.checks {
		if !used[key] {
			s.t.Errorf("the check %q has no row in %s", key, table)
		}
	}
	s.t.Logf("%s: %d rows %v", table, len(rows), counts)
	var surplus []string
	for name := range s.tools {
		if !named[name] {
			surplus = append(surplus, name)
		}
	}
	slices.Sort(surplus)
	if !slices.Equal(surplus, s.extra) {
		s.t.Errorf("further tools %q, want %q", surplus, s.extra)
	}
	if !s.joint {
		s.checkSurplusInputs(all)
	}
}

// checkReference checks a row whose promise another file of the repository covers: a benchmark, which measures a response time,
// or a unit test with an injected clock. The value of the row is "FILE: TEXT", and the file has the text.
func checkReference(r row) error {
	name, part, ok := strings.Cut(r.spec, ": ")
	switch {
	case !ok:
		return fmt.Errorf("%q is not FILE: TEXT", r.spec)
	case r.kind == "measured" && !strings.HasPrefix(name, "bench/") && !strings.HasPrefix(part, "func Benchmark"):
		return fmt.Errorf("%q names no benchmark", r.spec)
	case r.kind == "tested" && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".test.mjs"):
		return fmt.Errorf("%s has no tests", name)
	}
	content, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	if err != nil {
		return fmt.Errorf("reading the file of the reference: %w", err)
	}
	return expect(strings.Contains(string(content), part), name+" without "+part)
}

// checkTool checks that a tool is listed.
func (s *subject) checkTool(r row) error {
	if _, ok := s.tools[r.name]; !ok {
		return fmt.Errorf("is not listed; listed are %q", slices.Sorted(maps.Keys(s.tools)))
	}
	return nil
}

// schema is the part of a JSON schema that rows describe.
type schema struct {
	Type       string             `json:"type"`
	Enum       []any              `json:"enum"`
	Default    any                `json:"default"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  *int               `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	Format     string             `json:"format"`
	Items      *schema            `json:"items"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional any                `json:"additionalProperties"`
}

// input returns the schema of a parameter, and whether it is required.
func (s *subject) input(name string) (*schema, bool, error) {
	path := strings.Split(name, ".")
	tool, ok := s.tools[path[0]]
	if !ok {
		return nil, false, fmt.Errorf("%s is not listed", path[0])
	}
	var at *schema
	if err := json.Unmarshal(tool.InputSchema, &at); err != nil {
		return nil, false, err
	}
	required := false
	for _, member := range path[1:] {
		required = slices.Contains(at.Required, member)
		if at = at.Properties[member]; at == nil {
			return nil, false, fmt.Errorf("there is no parameter %s", member)
		}
	}
	return at, required, nil
}

// describe returns a schema in the form of a row, for example "string; required; enum a|b; default a".
func (p *schema) describe(required bool) string {
	parts := []string{p.Type}
	if p.Items != nil {
		parts[0] += " of " + p.Items.Type
	}
	if required {
		parts = append(parts, "required")
	}
	if p.Enum != nil {
		var values []string
		for _, v := range p.Enum {
			values = append(values, fmt.Sprint(v))
		}
		parts = append(parts, "enum "+strings.Join(values, "|"))
	}
	if p.Default != nil {
		value, _ := json.Marshal(p.Default)
		parts = append(parts, "default "+string(value))
	}
	number := func(name string, v *float64) {
		if v != nil {
			parts = append(parts, name+" "+strconv.FormatFloat(*v, 'f', -1, 64))
		}
	}
	number("min", p.Minimum)
	number("max", p.Maximum)
	if p.MinLength != nil {
		parts = append(parts, fmt.Sprint("minLength ", *p.MinLength))
	}
	if p.MaxLength != nil {
		parts = append(parts, fmt.Sprint("maxLength ", *p.MaxLength))
	}
	if p.Format != "" {
		parts = append(parts, "format "+p.Format)
	}
	return strings.Join(parts, "; ")
}

// checkInput checks a parameter in the input schema.
func (s *subject) checkInput(r row) error {
	at, required, err := s.input(r.name)
	if err != nil {
		return err
	}
	got := at.describe(required)
	if s.joint {
		got = at.narrow(r.spec).describe(required)
	}
	if got != r.spec {
		return fmt.Errorf("is %q, want %q", at.describe(required), r.spec)
	}
	return nil
}

// narrow returns the schema with the parts that a row names, and of its enumeration the values that the row names.
func (p *schema) narrow(spec string) *schema {
	narrowed := *p
	if p.Type == "integer" {
		narrowed.Type = "number"
	}
	for part, drop := range map[string]func(){
		"; default": func() { narrowed.Default = nil }, "; min ": func() { narrowed.Minimum = nil }, "; max ": func() { narrowed.Maximum = nil },
		"; minLength": func() { narrowed.MinLength = nil }, "; maxLength": func() { narrowed.MaxLength = nil },
	} {
		if !strings.Contains(spec, part) {
			drop()
		}
	}
	_, values, _ := strings.Cut(spec, "enum ")
	values, _, _ = strings.Cut(values, ";")
	narrowed.Enum = nil
	for value := range strings.SplitSeq(values, "|") {
		if slices.Contains(p.Enum, any(value)) {
			narrowed.Enum = append(narrowed.Enum, value)
		}
	}
	return &narrowed
}

// checkSurplusInputs checks that the tools of the specification have no further parameters.
func (s *subject) checkSurplusInputs(rows []row) {
	s.t.Helper()
	known := make(map[string]bool)
	for _, r := range rows {
		if r.kind == "input" {
			known[r.name] = true
		}
	}
	var visit func(path string, at *schema)
	visit = func(path string, at *schema) {
		for name, property := range at.Properties {
			if !known[path+"."+name] {
				s.t.Errorf("the parameter %s.%s is not in the specification", path, name)
			}
			visit(path+"."+name, property)
		}
	}
	for name, tool := range s.tools {
		var at *schema
		if err := json.Unmarshal(tool.InputSchema, &at); err != nil {
			s.t.Error(err)
		} else if !slices.Contains(s.extra, name) {
			visit(name, at)
		}
	}
}

// checkResult checks a member in the results of samples: TOOL.MEMBER, with [] for the elements of an array and {} for
// the values of an object. A member whose type ends in ? must be in at least one result.
func (s *subject) checkResult(r row) error {
	tool, path, _ := strings.Cut(r.name, ".")
	kind, optional := strings.CutSuffix(r.spec, "?")
	results := s.results[tool]
	if len(results) == 0 {
		return fmt.Errorf("no sample calls %s", tool)
	}
	found := 0
	for _, result := range results {
		values, missing := lookUp([]any{result}, path)
		if missing > 0 && !optional {
			return fmt.Errorf("is missing in %.300v", result)
		}
		for _, v := range values {
			found++
			if !hasType(v, kind) {
				return fmt.Errorf("is %.100v, want %s", v, r.spec)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("is in no result of a sample")
	}
	return nil
}

// lookUp returns the values at a path, and the number of objects that lack the member.
func lookUp(at []any, path string) (values []any, missing int) {
	for member := range strings.SplitSeq(path, ".") {
		name := strings.TrimRight(member, "[]{}")
		var next []any
		missing = 0
		for _, v := range at {
			object, _ := v.(map[string]any)
			value, ok := object[name]
			switch {
			case !ok:
				missing++
			case strings.HasSuffix(member, "[]"):
				elements, _ := value.([]any)
				next = append(next, elements...)
			case strings.HasSuffix(member, "{}"):
				entries, _ := value.(map[string]any)
				next = slices.AppendSeq(next, maps.Values(entries))
			default:
				next = append(next, value)
			}
		}
		at = next
	}
	return at, missing
}

// hasType reports whether a value has a type: a JSON type, "a|b" for one of the strings, time, or alternatives with null.
func hasType(v any, kind string) bool {
	switch kind {
	case "string":
		return reflect.TypeOf(v) == reflect.TypeFor[string]()
	case "number":
		return reflect.TypeOf(v) == reflect.TypeFor[float64]()
	case "boolean":
		return reflect.TypeOf(v) == reflect.TypeFor[bool]()
	case "object":
		return reflect.TypeOf(v) == reflect.TypeFor[map[string]any]()
	case "array":
		return reflect.TypeOf(v) == reflect.TypeFor[[]any]()
	case "null":
		return v == nil
	case "time":
		value, ok := v.(string)
		_, err := time.Parse(time.RFC3339Nano, value)
		return ok && err == nil
	}
	if values, ok := strings.CutPrefix(kind, "enum "); ok {
		value, ok := v.(string)
		return ok && slices.Contains(strings.Split(values, "|"), value)
	}
	if one, other, ok := strings.Cut(kind, " or "); ok {
		return hasType(v, one) || hasType(v, other)
	}
	return false
}

// write writes files into the project.
func (s *subject) write(files map[string]string) {
	s.t.Helper()
	for name, content := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// read returns the content of a file of the project.
func (s *subject) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}

// environ returns the environment of the test with other directories of the user, without the variables of editors.
func environ(t *testing.T, more ...string) []string {
	home := t.TempDir()
	return append([]string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache")}, more...)
}
