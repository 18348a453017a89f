package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

type configured struct {
	Depth   int `json:"depth" jsonschema:"minimum=1"`
	Options struct {
		Depth int           `json:"depth"`
		Wait  time.Duration `json:"wait,omitempty"`
	} `json:"options"`
	Edits []struct {
		ReplaceAll bool   `json:"replaceAll"`
		Mode       string `json:"mode,omitempty"`
	} `json:"edits,omitempty"`
	Env  map[string]configuredValue `json:"env,omitempty"`
	Tags []string                   `json:"tags,omitempty"`
	Tree *tree                      `json:"tree,omitempty"`
}

type configuredValue struct {
	Value string `json:"value"`
}

func TestOptions(t *testing.T) {
	t.Parallel()
	s, err := schema.Input(reflect.TypeFor[configured](), schema.Options{
		Defaults: map[string]any{
			"depth":              2,
			"options.depth":      json.RawMessage("4"),
			"options.wait":       90 * time.Second,
			"edits[].replaceAll": true,
			"env.*.value":        "a<b",
			"tags":               []string{"x"},
			"tree.value":         1,
		},
		Enums: map[string][]any{
			"edits[].mode": {"once", "all"},
			"tags[]":       {"x", "y"},
			"depth":        {1, 2, 3},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Prepare([]byte(`{"options":{},"edits":[{"mode":"all"}],"env":{"A":{}},"tree":{"children":[{}]}}`))
	want := `{"options":{"depth":4,"wait":90000000000},"edits":[{"mode":"all","replaceAll":true}],"env":{"A":{"value":"a<b"}},` +
		`"tree":{"children":[{"value":1}],"value":1},"depth":2,"tags":["x"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	text := string(s.JSON())
	for _, part := range []string{
		`"depth":{"type":"integer","minimum":1,"enum":[1,2,3],"default":2}`,
		`"wait":{"type":"string","pattern":"^-?([0-9.]+(ns|us|ms|s|m|h))+$","default":"1m30s"}`,
		`"required":["options"]`, `{"type":"string","enum":["x","y"]}`, `"default":"a<b"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	for in, want := range map[string]string{
		`{"options":{},"depth":4}`:                 `depth: must be one of 1, 2, 3, got 4`,
		`{"options":{},"tags":["z"]}`:              `tags[0]: must be one of "x", "y", got "z"`,
		`{"options":{},"edits":[{"mode":"none"}]}`: `edits[0].mode: must be one of "once", "all", got "none"`,
	} {
		if _, err := s.Prepare([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
}

func TestOptions_Invalid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		options schema.Options
		want    string
	}{
		{schema.Options{Defaults: map[string]any{"dept": 1}}, `path "dept" leads to no property: there is no "dept" (did you mean "depth"?)`},
		{schema.Options{Defaults: map[string]any{"": 1}}, `a path must not be empty`},
		{schema.Options{Defaults: map[string]any{"depth.x": 1}}, `path "depth.x" leads to no property: there is no "x" (there are none)`},
		{schema.Options{Defaults: map[string]any{"depth[]": 1}}, `path "depth[]" leads to no property`},
		{schema.Options{Defaults: map[string]any{"options.*": 1}}, `path "options.*" leads to no property`},
		{schema.Options{Defaults: map[string]any{"tags[]": "x"}}, `default of tags[]: only a property can have one`},
		{schema.Options{Defaults: map[string]any{"depth": 0}}, `depth: default 0: must be at least 1, got 0`},
		{schema.Options{Defaults: map[string]any{"depth": "x"}}, `depth: default "x": must be an integer, got "x"`},
		{schema.Options{Defaults: map[string]any{"depth": func() {}}}, `default of depth: json: unsupported type: func()`},
		{schema.Options{Enums: map[string][]any{"edits[].nope": {1}}}, `there is no "nope" (known: replaceAll, mode)`},
		{schema.Options{Enums: map[string][]any{"tags": {"x"}}}, `tags: enum value "x": must be an array, got "x"`},
		{schema.Options{Enums: map[string][]any{"tags[]": {1}}}, `tags[]: enum value 1: must be a string, got 1`},
		{schema.Options{Enums: map[string][]any{"tags[]": {}}}, `enum of tags[]: no value is left`},
		{schema.Options{Enums: map[string][]any{"tags[]": {make(chan int)}}}, `enum of tags[]: json: unsupported type: chan int`},
	} {
		_, err := schema.Input(reflect.TypeFor[configured](), tc.options)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

func TestOptions_CompiledSchemas(t *testing.T) {
	t.Parallel()
	text := `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}],"x-keep":1},"b":{"$ref":"#/$defs/b"}},"required":["b"],"$defs":{"b":{"type":"object","properties":{"c":{"type":"integer"}},"required":["c"]}}}`
	s, err := schema.Compile([]byte(text), schema.Options{Defaults: map[string]any{"b.c": 5, "b": map[string]any{}}, Enums: map[string][]any{"a": {"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string","enum":["x"]}],"x-keep":1},"b":{"$ref":"#/$defs/b","default":{}}},"$defs":{"b":{"type":"object","properties":{"c":{"type":"integer","default":5}}}}}`
	if got := string(s.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got, err := s.Prepare([]byte(`{"a":"x"}`))
	if want := `{"a":"x","b":{"c":5}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := schema.Compile([]byte(text), schema.Options{Defaults: map[string]any{"b.c": "five"}}); err == nil {
		t.Error("a default of the wrong type was accepted")
	}
	foreign := `{"type":"object","properties":{"a":{"type":"string","default":null},"b":{"type":"integer","default":2}}}`
	if s, err = schema.Compile([]byte(foreign), schema.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Prepare(nil); err != nil || string(got) != `{"b":2}` {
		t.Errorf("a default that its schema refuses: got %s, %v", got, err)
	}
}
