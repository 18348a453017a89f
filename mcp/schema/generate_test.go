package schema_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/invopop/jsonschema"

	"github.com/dougu-go/dougu/mcp/schema"
)

type (
	empty  struct{}
	leaves struct {
		Text     string          `json:"text"`
		Flag     bool            `json:"flag"`
		Whole    int64           `json:"whole"`
		Ratio    float32         `json:"ratio"`
		Bytes    []byte          `json:"bytes"`
		When     time.Time       `json:"when"`
		Wait     time.Duration   `json:"wait"`
		Number   json.Number     `json:"number"`
		Big      big.Int         `json:"big"`
		Addr     netip.Addr      `json:"addr"`
		Raw      json.RawMessage `json:"raw"`
		Any      any             `json:"any"`
		Pointer  *int            `json:"pointer"`
		Handle   uintptr         `json:"handle"`
		Untagged string
		Skipped  chan int `json:"-"`
	}
	containers struct {
		Open   map[string]any    `json:"open"`
		Counts map[string]int    `json:"counts"`
		ByID   map[int8]string   `json:"byId"`
		ByPort map[uint16]string `json:"byPort"`
		Pair   [2]bool           `json:"pair"`
		Rows   [][]float64       `json:"rows"`
		Ptrs   []*string         `json:"ptrs"`
	}
	quoted struct {
		I int     `json:"i,string"`
		F float64 `json:"f,string"`
		B bool    `json:"b,string"`
		S string  `json:"s,string"`
	}
	tree struct {
		Value    int     `json:"value"`
		Children []*tree `json:"children,omitempty"`
	}
	forest  struct{ Oak, Elm *tree }
	ring    []ring
	generic struct {
		List *list[item] `json:"list"`
	}
	list[T any] struct {
		Head T        `json:"head"`
		Tail *list[T] `json:"tail"`
	}
	item struct {
		ID int `json:"id"`
	}
	level string
	own   struct{ X int }
)

func (level) JSONSchemaExtend(s *jsonschema.Schema) { s.Enum = []any{"low", "high"} }

func (own) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(uint64(9))}
}

func inputJSON(t *testing.T, v any) string {
	t.Helper()
	s, err := schema.Input(reflect.TypeOf(v), schema.Options{})
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	return string(s.JSON())
}

func outputJSON(t *testing.T, v any) string {
	t.Helper()
	s, err := schema.Output(reflect.TypeOf(v), schema.Options{})
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	return string(s.JSON())
}

// properties cuts out the properties of an object schema.
func properties(text string) string {
	_, text, _ = strings.Cut(text, `"properties":`)
	text, _, _ = strings.Cut(text, `,"required":`)
	text, _, _ = strings.Cut(text, `,"additionalProperties":false}`)
	return text
}

func TestInput_GoTypes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		typ  any
		want string
	}{
		{"an empty struct keeps its properties", empty{}, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"a pointer stands for its struct", &empty{}, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"a map", map[string]int{}, `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"a map of anything", map[string]any{}, `{"type":"object"}`},
		{"leaves", leaves{}, `{"type":"object","properties":{"text":{"type":"string"},"flag":{"type":"boolean"},"whole":{"type":"integer"},` +
			`"ratio":{"type":"number"},"bytes":{"type":"string","contentEncoding":"base64"},"when":{"type":"string","format":"date-time"},` +
			`"wait":{"type":"string","pattern":"^-?([0-9.]+(ns|us|ms|s|m|h))+$"},"number":{"type":"number"},"big":{"type":"integer"},` +
			`"addr":{"type":"string"},"raw":{},"any":{},"pointer":{"type":"integer"},"handle":{"type":"integer"},"Untagged":{"type":"string"}},` +
			`"required":["text","flag","whole","ratio","bytes","when","wait","number","big","addr","raw","any","handle","Untagged"],"additionalProperties":false}`},
		{"containers", containers{}, `{"type":"object","properties":{"open":{"type":"object"},` +
			`"counts":{"type":"object","additionalProperties":{"type":"integer"}},` +
			`"byId":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"}},` +
			`"byPort":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"}},` +
			`"pair":{"type":"array","items":{"type":"boolean"},"maxItems":2,"minItems":2},` +
			`"rows":{"type":"array","items":{"type":"array","items":{"type":"number"}}},"ptrs":{"type":"array","items":{"type":"string"}}},` +
			`"required":["open","counts","byId","byPort","pair","rows","ptrs"],"additionalProperties":false}`},
		{"the option string", quoted{}, `{"type":"object","properties":{"i":{"type":"string","pattern":"^(0|-?[1-9][0-9]*)$"},` +
			`"f":{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$"},"b":{"type":"string","enum":["true","false"]},"s":{"type":"string"}},` +
			`"required":["i","f","b","s"],"additionalProperties":false}`},
		{"recursion at the root", tree{}, `{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["value"],"additionalProperties":false,` +
			`"$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["value"],"additionalProperties":false}}}`},
		{"recursion below", forest{}, `{"type":"object","properties":{"Oak":{"$ref":"#/$defs/tree"},"Elm":{"$ref":"#/$defs/tree"}},"additionalProperties":false,` +
			`"$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["value"],"additionalProperties":false}}}`},
		{"recursion without a struct", struct {
			R ring `json:"r,omitempty"`
		}{}, `{"type":"object","properties":{"r":{"$ref":"#/$defs/ring"}},"additionalProperties":false,"$defs":{"ring":{"type":"array","items":{"$ref":"#/$defs/ring"}}}}`},
		{"recursive generics", generic{}, `{"type":"object","properties":{"list":{"$ref":"#/$defs/list_item"}},"additionalProperties":false,"$defs":{"list_item":{"type":"object","properties":` +
			`{"head":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false},"tail":{"$ref":"#/$defs/list_item"}},"required":["head"],"additionalProperties":false}}}`},
		{"hooks", struct {
			L level `json:"l"`
			O own   `json:"o"`
		}{}, `{"type":"object","properties":{"l":{"type":"string","enum":["low","high"]},"o":{"type":"string","maxLength":9}},"required":["l","o"],"additionalProperties":false}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := inputJSON(t, tc.typ); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// ourNode and theirNode return values of two recursive types called Node.
func ourNode() any {
	type Node struct {
		Down *Node `json:"down"`
	}
	return &Node{}
}

func theirNode() any {
	type Node struct {
		Up *Node `json:"up"`
	}
	return &Node{}
}

func TestInput_SameNamedRecursiveTypes(t *testing.T) {
	t.Parallel()
	both := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeOf(ourNode()), Tag: `json:"a"`},
		{Name: "B", Type: reflect.TypeOf(theirNode()), Tag: `json:"b"`},
	})
	got := inputJSON(t, reflect.Zero(both).Interface())
	want := `{"type":"object","properties":{"a":{"$ref":"#/$defs/Node"},"b":{"$ref":"#/$defs/Node_2"}},"additionalProperties":false,"$defs":{` +
		`"Node":{"type":"object","properties":{"down":{"$ref":"#/$defs/Node"}},"additionalProperties":false},` +
		`"Node_2":{"type":"object","properties":{"up":{"$ref":"#/$defs/Node_2"}},"additionalProperties":false}}}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInput_NestedTypeNamedLikeRoot(t *testing.T) {
	t.Parallel()
	type tree struct {
		Tree forest `json:"tree"`
	}
	if got, want := properties(inputJSON(t, tree{})), `{"tree":{"type":"object","properties":{"Oak"`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s…", got, want)
	}
}

func TestOutput_DeclaresNull(t *testing.T) {
	t.Parallel()
	got := outputJSON(t, struct {
		Pointer  *string        `json:"pointer" jsonschema:"description=Perhaps,maxLength=3"`
		Omitted  *string        `json:"omitted,omitempty"`
		Tree     *tree          `json:"tree"`
		Any      any            `json:"any"`
		Slice    []int          `json:"slice"`
		Map      map[string]int `json:"map"`
		Elements []*int         `json:"elements" jsonschema:"maximum=5"`
		Wait     time.Duration  `json:"wait"`
		Preset   int            `json:"preset" jsonschema:"default=1"`
	}{})
	want := `{"type":"object","properties":{"pointer":{"description":"Perhaps","anyOf":[{"type":"string","maxLength":3},{"type":"null"}]},` +
		`"omitted":{"type":"string"},"tree":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]},"any":{},` +
		`"slice":{"type":"array","items":{"type":"integer"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},` +
		`"elements":{"type":"array","items":{"anyOf":[{"type":"integer","maximum":5},{"type":"null"}]}},` +
		`"wait":{"type":"integer","description":"nanoseconds"},"preset":{"type":"integer","default":1}},` +
		`"required":["pointer","tree","any","slice","map","elements","wait","preset"],"additionalProperties":false,` +
		`"$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},"required":["value"],"additionalProperties":false}}}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for typ, want := range map[any]string{
		[2]int{}: `{"type":"array","items":{"type":"integer"},"maxItems":2,"minItems":2}`,
		"":       `{"type":"string"}`,
	} {
		if got := outputJSON(t, typ); got != want {
			t.Errorf("%T: got %s, want %s", typ, got, want)
		}
	}
}

type (
	Base struct {
		ID   int `json:"id"`
		Name string
		Both int
	}
	Other struct {
		Both int
		Kind string `json:"Name"`
	}
	unexported struct {
		Inner string `json:"inner"`
	}
	Loop struct {
		*Loop
		X int `json:"x"`
	}
)

func TestInput_FieldsFollowEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		struct {
			Base
			Other
			ID string `json:"id"`
		}{},
		struct {
			*Base
			unexported
			Extra int `json:"extra,omitempty"`
		}{Base: &Base{}},
		struct {
			Base `json:"base"`
		}{},
		reflect.Zero(reflect.StructOf([]reflect.StructField{ // tags that a linter would not let pass
			{Name: "Odd", Type: reflect.TypeFor[int](), Tag: `json:"a\"b"`},
			{Name: "Dash", Type: reflect.TypeFor[int](), Tag: `json:"-,"`},
		})).Interface(),
		Loop{},
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Properties map[string]any }
		if err := json.Unmarshal([]byte(outputJSON(t, v)), &got); err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if _, ok := got.Properties[name]; !ok {
				t.Errorf("%T: %q is written but not declared", v, name)
			}
		}
		for name := range got.Properties {
			if _, ok := want[name]; !ok && name != "extra" {
				t.Errorf("%T: %q is declared but not written", v, name)
			}
		}
	}
}

func TestInput_SmallSchemas(t *testing.T) {
	t.Parallel()
	type read struct {
		Path   string `json:"path" jsonschema:"minLength=1,description=The file to read, relative to the root"`
		Offset int    `json:"offset,omitempty" jsonschema:"minimum=1,description=First line to return"`
		Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=10000,default=2000,description=How many lines"`
		Format string `json:"format,omitempty" jsonschema:"enum=plain,enum=numbered,default=plain"`
	}
	got := inputJSON(t, read{})
	if len(got) > 600 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for _, noise := range []string{"$schema", "$id", "$ref", "$defs", " :", ": "} {
		if strings.Contains(got, noise) {
			t.Errorf("%q in %s", noise, got)
		}
	}
}

func TestInput_UnescapedText(t *testing.T) {
	t.Parallel()
	got := inputJSON(t, struct {
		A string `json:"a<b" jsonschema:"<p> & \"q\" \\ 日本"`
	}{})
	want := `{"type":"object","properties":{"a<b":{"type":"string","description":"<p> & \"q\" \\ 日本"}},"required":["a<b"],"additionalProperties":false}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type (
	endless     *endless
	selfAlias   struct{}
	nilSchema   struct{}
	panicking   struct{}
	hugeFan     struct{ A, B, C, D, E, F, G, H fan1 }
	fan1        struct{ A, B, C, D, E, F, G, H fan2 }
	fan2        struct{ A, B, C, D, E, F, G, H fan3 }
	fan3        struct{ A, B, C, D, E, F, G, H fan4 }
	fan4        struct{ A, B, C, D, E, F, G, H int }
	wrongSchema struct{}
	contrary    int
	month       int
)

func (*month) UnmarshalText([]byte) error { return nil }

func (selfAlias) JSONSchemaAlias() any                 { return selfAlias{} }
func (nilSchema) JSONSchema() *jsonschema.Schema       { return nil }
func (panicking) JSONSchema() *jsonschema.Schema       { panic("no schema today") }
func (wrongSchema) JSONSchema() *jsonschema.Schema     { return &jsonschema.Schema{Type: "strang"} }
func (contrary) JSONSchemaExtend(s *jsonschema.Schema) { s.Type = "string" }

func TestInput_TypesWithoutJSONForm(t *testing.T) {
	t.Parallel()
	type inner struct{ Bad func() }
	for _, tc := range []struct {
		typ  any
		want string
	}{
		{struct{ C chan int }{}, "C: chan int has no JSON form"},
		{struct{ List []inner }{}, "List[].Bad: func() has no JSON form"},
		{struct{ M map[string]complex128 }{}, "M.*: complex128 has no JSON form"},
		{struct{ P unsafe.Pointer }{}, "P: unsafe.Pointer has no JSON form"},
		{struct{ M map[float64]int }{}, "M: float64 cannot be the key of a JSON object"},
		{struct{ E fmt.Stringer }{}, "E: nothing can be decoded into the interface fmt.Stringer"},
		{struct{ *unexported }{}, "unexported.Inner: encoding/json cannot set"},
		{struct{ E endless }{}, "E: pointers without an end"},
		{struct{ A selfAlias }{}, "A: schema_test.selfAlias: JSONSchemaAlias must return"},
		{struct{ N nilSchema }{}, "N: schema_test.nilSchema: JSONSchema returned nil"},
		{struct{ P panicking }{}, "a schema method failed: no schema today"},
		{struct{ W wrongSchema }{}, `W: unknown type "strang"`},
		{struct{ C contrary }{}, "C: the schema allows nothing that schema_test.contrary can be decoded from"},
		{struct {
			A level `json:"a,string" jsonschema:"minimum=1"`
		}{}, "A: minimum does not apply to a value of type string"},
		{hugeFan{}, "has more than 5000 parts"},
		{"", "arguments must be an object: use a struct or a map, not string"},
		{time.Time{}, "arguments must be an object"},
		{struct{ time.Time }{}, "which has its own UnmarshalJSON (perhaps promoted from an embedded field)"},
		{nil, "no type is given"},
	} {
		_, err := schema.Input(reflect.TypeOf(tc.typ), schema.Options{})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%T: %v", tc.typ, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%T: got error %v, want %q", tc.typ, err, tc.want)
		}
	}
	own := reflect.StructOf([]reflect.StructField{{Name: "M", Type: reflect.TypeFor[month](), Tag: `json:"m,string"`}})
	if _, err := schema.Input(own, schema.Options{}); err == nil || !strings.Contains(err.Error(), `M: the option ",string" does not go with the methods of`) {
		t.Errorf("a quoted type with methods: %v", err)
	}
	if _, err := schema.OutputFor[struct {
		Hidden int `jsonschema:"-"`
	}](); err == nil || !strings.Contains(err.Error(), `use json:"-"`) {
		t.Errorf("a hidden result: %v", err)
	}
}
