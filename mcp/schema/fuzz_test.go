package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// subject is a schema under test: what made it, and the reference validator's
// view of the same text.
type subject struct {
	name   string
	typ    reflect.Type // nil: written by hand
	schema *schema.Schema
	judge  *jsonschema.Schema
}

type fuzzArgs struct {
	Name  string             `json:"name" jsonschema:"minLength=1,maxLength=20"`
	Count int8               `json:"count" jsonschema:"minimum=-5,maximum=100,multipleOf=5"`
	Big   *uint64            `json:"big"`
	Whole int64              `json:"whole,omitempty"`
	Ratio float32            `json:"ratio,omitempty" jsonschema:"exclusiveMinimum=-1.5"`
	Mode  string             `json:"mode" jsonschema:"enum=fast,enum=careful,default=fast"`
	Slug  string             `json:"slug,omitempty" jsonschema:"pattern=^[a-z]{1\\,3}$"`
	ID    string             `json:"id,omitempty" jsonschema:"format=uuid"`
	Mail  string             `json:"mail,omitempty" jsonschema:"format=email"`
	When  time.Time          `json:"when,omitzero"`
	Addr  netip.Addr         `json:"addr,omitzero"`
	Raw   []byte             `json:"raw,omitempty"`
	Any   any                `json:"any,omitempty"`
	Exact json.RawMessage    `json:"exact,omitempty"`
	Num   json.Number        `json:"num,omitempty"`
	Huge  *big.Int           `json:"huge,omitempty"`
	Tags  []string           `json:"tags,omitempty" jsonschema:"uniqueItems,maxItems=3"`
	Env   map[string]float64 `json:"env,omitempty" jsonschema:"maxProperties=3"`
	Ports map[int16]bool     `json:"ports,omitempty"`
	Pair  [2]int             `json:"pair,omitempty"`
	Quote int                `json:"quote,string,omitempty"`
	Walk  struct {
		Depth int `json:"depth" jsonschema:"default=3"`
	} `json:"walk,omitempty"`
	Tree *tree `json:"tree"`
	Base
}

var written = []string{
	`{"type":"object","properties":{"a":{"type":["integer","null"],"maximum":9007199254740993},"b":{"enum":[1,"x",null,true]},"c":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]},"d":{"type":"number","multipleOf":0.01}},"required":["a"]}`,
	`{"type":"object","additionalProperties":{"type":"array","prefixItems":[{"type":"string","format":"date"},{"type":"boolean"}],"items":{"type":"integer","exclusiveMaximum":10},"minItems":1},"minProperties":1,"propertyNames":{"pattern":"^[a-z]+$"}}`,
	`{"$defs":{"n":{"type":"object","properties":{"v":{"const":1},"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}`,
	`{"oneOf":[{"type":"integer","minimum":3},{"type":"array","items":{"type":"string","format":"ipv6"},"uniqueItems":true},{"const":"z"}]}`,
	`{"type":"object","properties":{"d":{"type":"string","format":"date-time"},"u":{"type":"string","format":"uri"},"h":{"type":"string","format":"hostname"},"t":{"type":"string","format":"duration"}}}`,
}

// combined schemas are judged on a walk of their own.
var combined = []string{
	`{"type":"object","allOf":[{"properties":{"a":{"type":"integer","minimum":1}}},{"required":["a"]}],"properties":{"b":{"default":2}}}`,
	`{"oneOf":[{"properties":{"kind":{"const":"a"},"a":{"type":"integer"}},"required":["kind"],"additionalProperties":false},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
	`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"not":{"required":["c"]}},"dependentRequired":{"b":["d"]},"dependentSchemas":{"d":{"maxProperties":3}}}`,
	`{"properties":{"list":{"contains":{"type":"integer"},"minContains":1,"maxContains":2,"uniqueItems":true}},"patternProperties":{"^x":{"type":"string"},"y$":{"minLength":2}},"additionalProperties":{"enum":[1,{"a":[1]},[2,3]]}}`,
	`{"$defs":{"n":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"v":{"$ref":"#/$defs/n"}},"required":["v"]},{"type":"object","maxProperties":0}]}},"properties":{"a":{"$ref":"#/$defs/n","not":{"const":3}}}}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"},{"not":{"format":"date"}}],"additionalItems":{"type":"integer"},"dependencies":{"a":["b"],"c":{"minProperties":2}}}`,
}

// partial schemas go through the reference validator inside the package as well.
var partial = []string{
	`{"type":"object","properties":{"a":{"type":"integer","default":1}},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`,
	`{"anyOf":[{"required":["a"]},{"type":"array","contains":{"const":1}}],"not":{"required":["b"]}}`,
}

func subjects(t testing.TB) []subject {
	t.Helper()
	var all []subject
	for _, typ := range []reflect.Type{reflect.TypeFor[fuzzArgs](), reflect.TypeFor[greeting](), reflect.TypeFor[search](), reflect.TypeFor[tree](), reflect.TypeFor[map[string][]uint8]()} {
		s, err := schema.Input(typ, schema.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, subject{typ.String(), typ, s, evaluate(t, s.JSON())})
	}
	for _, text := range slices.Concat(written, combined, partial) {
		s, err := schema.Compile([]byte(text), schema.Options{Reference: reference.Validator})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, subject{text, nil, s, evaluate(t, s.JSON())})
	}
	return all
}

// evaluate compiles a schema for the reference validator alone.
func evaluate(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded") }
	text = bytes.Replace(text, []byte("{"), []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema",`), 1)
	if err := c.AddResource("mem:///judge", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///judge")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decodeAny decodes a value the way the reference validator wants it.
func decodeAny(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more input")
	}
	return v, nil
}

// stricter matches the refusals that are not the schema's: what encoding/json
// would misread or could not decode, and what the reference is lenient about.
var stricter = regexp.MustCompile(`given twice|did you mean|valid Unicode|out of bounds|not valid JSON|does not fit|cannot be read|must be base64|holds an integer|` +
	`must be a date-time|must be an IPv`)

func FuzzPrepare(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `1`, `"z"`, `3.0`, `-0`, `1e400`, `{"a":null}`, `{"a":9007199254740993,"b":true,"c":null,"d":0.07}`,
		`{"name":"x","count":5}`, `{"name":"x","count":5.0,"big":18446744073709551615,"id":1,"Name":"n","Both":2}`,
		`{"name":"x","count":5,"id":"123e4567-e89b-12d3-a456-426614174000","mode":null,"tags":["a","\u0061"],"env":{"a":1e3,"b":-0}}`,
		`{"name":"x","count":-5,"when":"2026-02-29T10:00:00Z","addr":"::1","raw":"aGk=","any":{"x":[1.5,{"y":null}]},"num":1e2,"huge":3.0}`,
		`{"name":"😀","count":0,"ports":{"-1":true,"70000":false},"pair":[1,2],"quote":"12","tree":{"value":1.0,"children":[{"value":2,"children":null}]}}`,
		`{"abc":["2026-08-21",true,3,4.0]}`, `{"v":1.0,"next":{"v":1,"next":{}}}`, `["::1","fe80::1"]`, `{"x1":"a","a":2}`, `{"x":1}`,
		`{"name":"x","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`, `{"query":"q","edits":[{},null]}`,
		`{"d":"2026-08-21T10:00:60Z","u":"http://a/b","h":"a.b","t":"P1D"}`, `{"a":1,"A":2}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"x":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	all := subjects(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		for _, s := range all {
			prepared, err := s.schema.Prepare(data)
			if string(data) != before {
				t.Fatalf("%s: the arguments were changed", s.name)
			}
			if err != nil {
				refusedToo(t, s, data, err)
				continue
			}
			accepted(t, s, data, prepared)
		}
	})
}

// likelyValues are, for each member of fuzzArgs, values at the edge of what it
// allows. The first few members are required.
var likelyValues = []struct {
	name   string
	values []string
}{
	{"name", []string{`"x"`, `"\ud83d\ude00"`, `"12345678901234567890"`, `"123456789012345678901"`, `""`, `null`}},
	{"count", []string{`5`, `5.0`, `-5`, `50e-1`, `0.5e1`, `-0`, `0.0`, `100`, `105`, `3`, `1e2`, `1.28e2`}},
	{"Name", []string{`"n"`}},
	{"Both", []string{`-9223372036854775808`, `9223372036854775807`, `9223372036854775808`, `-9.223372036854775808e18`}},
	{"big", []string{`null`, `0`, `-0`, `18446744073709551615`, `18446744073709551616`, `1.8446744073709551615e19`, `9007199254740993`, `-1`}},
	{"whole", []string{`9007199254740993`, `9007199254740993.0`, `-9223372036854775808`, `9223372036854775808`, `1e18`, `1e19`}},
	{"ratio", []string{`1`, `-1.5`, `-1.4999999999999999999999`, `3.4e38`, `3.5e38`, `1e-300`, `0e308`, `1e309`}},
	{"mode", []string{`"fast"`, `"f\u0061st"`, `"careful"`, `"none"`, `null`}},
	{"slug", []string{`"abc"`, `"abcd"`, `"\u0061"`, `""`, `null`}},
	{"id", []string{`"123e4567-e89b-12d3-a456-426614174000"`, `"123E4567-e89b-12d3-a456-426614174\u0030"`, `"123e4567e89b12d3a456426614174000"`, `1`}},
	{"mail", []string{`"a@b.c"`, `"a@[127.0.0.1]"`, `"a"`, `"\u0061@b.c"`}},
	{"when", []string{`"2026-08-21T10:00:00Z"`, `"2026-08-21T10:00:60Z"`, `"2026-08-21T23:59:60Z"`, `"2026-08-21t10:00:00z"`, `"2026-08-21T10:00:00.123456789012+09:00"`, `"\u0032026-08-21T10:00:00Z"`}},
	{"addr", []string{`"::1"`, `"10.0.0.1"`, `"fe80::1%eth0"`, `""`, `"x"`}},
	{"raw", []string{`"aGk="`, `"aGk"`, `"aGk=="`, `"===="`, `""`, `"\/\/8="`, `"aG\nk="`, `null`}},
	{"any", []string{`null`, `1e308`, `1.8e308`, `{"a":{"b":[null,1.5]}}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `[[[]]]`}},
	{"exact", []string{`null`, `1e308`, `12345678901234567890123`, `{"a":[{"a":1}]}`}},
	{"num", []string{`1e2`, `-0.0`, `"1"`, `12345678901234567890123.5`}},
	{"huge", []string{`3.0`, `1e30`, `123456789012345678901234567890`, `-0`, `null`}},
	{"tags", []string{`["a","b"]`, `["a","\u0061"]`, `[]`, `["1","2","3","4"]`, `null`, `[null]`}},
	{"env", []string{`{}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"c":3,"d":4}`, `{"a":null}`, `{"a":1e400}`}},
	{"ports", []string{`{"-1":true}`, `{"70000":true}`, `{"01":true}`, `{"\u0031":false}`, `{"-0":true}`}},
	{"pair", []string{`[1,2]`, `[1]`, `[1,2,3]`, `[1.0,2e0]`, `null`}},
	{"quote", []string{`"12"`, `"-0"`, `"1.0"`, `"9223372036854775808"`, `"\u0031"`, `12`, `"null"`}},
	{"walk", []string{`{}`, `{"depth":null}`, `{"depth":3.0}`, `{"Depth":1}`, `null`}},
	{"tree", []string{`null`, `{"value":1}`, `{"value":1.0,"children":[{"value":2,"children":null}]}`, `{"value":1,"children":[null]}`}},
	{"extra", []string{`1`}},
	{"NAME", []string{`"x"`}},
}

// likely turns bytes into arguments of which most members are valid.
func likely(data []byte) string {
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		c := data[0]
		data = data[1:]
		return int(c) % n
	}
	const required, strange = 4, 2
	var parts []string
	add := func(k int) {
		m := likelyValues[k]
		v := next(3 * len(m.values))
		if v >= len(m.values) {
			v = 0
		}
		parts = append(parts, fmt.Sprintf("%q:%s", m.name, m.values[v]))
	}
	for k := range required {
		if next(64) != 63 {
			add(k)
		}
	}
	for range next(4) {
		add(required + next(len(likelyValues)-strange-required))
	}
	if next(16) == 15 {
		add(len(likelyValues) - 1 - next(strange))
	}
	k := next(len(parts) + 1)
	parts = append(parts[k:], parts[:k]...)
	return "{" + strings.Join(parts, []string{",", " , ", "\n,\t"}[next(3)]) + "}"
}

func FuzzPrepareOfLikelyArguments(f *testing.F) {
	for k := range byte(27) {
		f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, k, 1, k, 3, 0, k, k})
	}
	f.Add([]byte{0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 7, 5, 0, 8, 4, 13, 7, 16, 3, 23, 1, 24, 2})
	args := subjects(f)[0]
	f.Fuzz(func(t *testing.T, data []byte) {
		text := []byte(likely(data))
		prepared, err := args.schema.Prepare(text)
		if err != nil {
			refusedToo(t, args, text, err)
			return
		}
		accepted(t, args, text, prepared)
	})
}

// accepted: the reference accepts what was prepared, encoding/json decodes it,
// integers are what they were, and preparing again changes nothing.
func accepted(t *testing.T, s subject, data, prepared []byte) {
	t.Helper()
	v, err := decodeAny(prepared)
	if err != nil {
		t.Fatalf("%s: %q became %q: %v", s.name, data, prepared, err)
	}
	if err := s.judge.Validate(v); err != nil {
		t.Fatalf("%s: %q became %q, which the reference refuses: %#v", s.name, data, prepared, err)
	}
	again, err := s.schema.Prepare(prepared)
	if err != nil || !bytes.Equal(again, prepared) {
		t.Fatalf("%s: %q became %q, and then %q, %v", s.name, data, prepared, again, err)
	}
	if original, err := decodeAny(data); err == nil && original != nil {
		kept(t, s, "", original, v)
	}
	if s.typ == nil {
		return
	}
	target := reflect.New(s.typ)
	if err := json.Unmarshal(prepared, target.Interface()); err != nil {
		t.Fatalf("%s: %q became %q, which does not decode: %v", s.name, data, prepared, err)
	}
	if args, ok := target.Interface().(*fuzzArgs); ok {
		exactIntegers(t, v, args)
	}
}

// kept: everything that was given is still there, numbers with their exact value.
func kept(t *testing.T, s subject, path string, before, after any) {
	t.Helper()
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		for name, v := range b {
			if w, ok := a[name]; ok || v != nil {
				if v != nil {
					kept(t, s, path+"."+name, v, w)
				}
			}
		}
	case []any:
		a, _ := after.([]any)
		if len(a) != len(b) {
			t.Fatalf("%s: %s: %d items became %d", s.name, path, len(b), len(a))
		}
		for k := range b {
			kept(t, s, fmt.Sprintf("%s[%d]", path, k), b[k], a[k])
		}
	case json.Number:
		x, ok := new(big.Rat).SetString(b.String())
		a, isNumber := after.(json.Number)
		if y, ok2 := new(big.Rat).SetString(a.String()); !ok || !ok2 || !isNumber || x.Cmp(y) != 0 {
			t.Fatalf("%s: %s: %v became %v", s.name, path, b, after)
		}
	default:
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s: %s: %v became %v", s.name, path, before, after)
		}
	}
}

// exactIntegers: the integer that was given is the integer that was decoded.
func exactIntegers(t *testing.T, v any, args *fuzzArgs) {
	t.Helper()
	given, _ := v.(map[string]any)
	if n, ok := given["whole"].(json.Number); ok && n.String() != fmt.Sprint(args.Whole) && n.String() != "-0" {
		t.Fatalf("whole: %s was decoded as %d", n, args.Whole)
	}
	if n, ok := given["big"].(json.Number); ok && n.String() != fmt.Sprint(*args.Big) {
		t.Fatalf("big: %s was decoded as %d", n, *args.Big)
	}
}

// refusedToo: what is refused, the reference refuses as well, or the refusal is
// one of the stricter ones.
func refusedToo(t *testing.T, s subject, data []byte, err error) {
	t.Helper()
	var refused *schema.ValidationError
	if !errors.As(err, &refused) || len(refused.Violations) == 0 {
		t.Fatalf("%s: %q: %T with nothing in it: %v", s.name, data, err, err)
	}
	if len(refused.Violations) > 20 || len(err.Error()) > 20*600 {
		t.Fatalf("%s: %q: a long error: %v", s.name, data, err)
	}
	for _, v := range refused.Violations {
		if strings.ContainsAny(v.String(), "\n\r") || strings.Contains(v.String(), "mem://") || v.Message == "" {
			t.Fatalf("%s: %q: an ugly line: %q", s.name, data, v)
		}
	}
	if _, second := s.schema.Prepare(data); second.Error() != err.Error() {
		t.Fatalf("%s: %q: refused as\n%v\nand then as\n%v", s.name, data, err, second)
	}
	if stricter.MatchString(err.Error()) {
		return
	}
	args := data
	if len(bytes.TrimSpace(args)) == 0 {
		args = []byte("{}")
	}
	v, decoding := decodeAny(args)
	if decoding != nil {
		return
	}
	if s.judge.Validate(v) == nil {
		t.Fatalf("%s: %q: refused, but the reference accepts it: %v", s.name, data, err)
	}
}

func FuzzCheckAgreesWithTheReference(f *testing.F) {
	for _, text := range written {
		f.Add([]byte(text), []byte(`{"a":1,"v":1,"d":"2026-08-21T10:00:00Z"}`))
	}
	for _, text := range partial {
		f.Add([]byte(text), []byte(`{"x1":"a"}`))
	}
	for _, text := range combined {
		f.Add([]byte(text), []byte(`{"a":1,"b":"x","kind":"b","list":[1,1.0,{"a":1}]}`))
	}
	f.Add([]byte(`{"anyOf":[{"enum":["a",1]},{"const":null}],"title":"t"}`), []byte(`"a"`))
	f.Add([]byte(`{"type":"string","minLength":2,"maxLength":3,"pattern":"^a"}`), []byte(`"a\u0062"`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`), []byte(`["a"]`))
	f.Add([]byte(`{"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"integer","multipleOf":3}}}`), []byte(`{"a":6.0}`))
	f.Fuzz(func(t *testing.T, text, data []byte) {
		if len(text) > 2000 || len(data) > 2000 || bytes.Contains(text, []byte("(?")) {
			return
		}
		s, err := schema.Compile(text, schema.Options{Reference: reference.Validator})
		if err != nil {
			return
		}
		ours := s.Check(data)
		c := jsonschema.NewCompiler()
		c.AssertFormat = true
		c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded") }
		if !bytes.Contains(text, []byte(`"$schema"`)) {
			text = bytes.Replace(s.JSON(), []byte("{"), []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema",`), 1)
			text = bytes.Replace(text, []byte(",}"), []byte("}"), 1)
		}
		if c.AddResource("mem:///judge", bytes.NewReader(text)) != nil {
			return
		}
		theirs, err := c.Compile("mem:///judge")
		if err != nil {
			return // a pattern that is left out
		}
		v, err := decodeAny(data)
		if err != nil {
			if ours == nil {
				t.Fatalf("%s: accepted %q, which is not JSON: %v", text, data, err)
			}
			return
		}
		if ours != nil && (stricter.MatchString(ours.Error()) || strings.Contains(ours.Error(), "too complex")) {
			return
		}
		if verdict := theirs.Validate(v); (verdict == nil) != (ours == nil) {
			t.Fatalf("%s\n%s\nours: %v\ntheirs: %v", text, data, ours, verdict)
		}
	})
}

// made is built from the fuzzer's bytes, with nil slices and maps in every place.
type made struct {
	Text  string              `json:"text"`
	List  []string            `json:"list"`
	Omit  []string            `json:"omit,omitempty"`
	Bytes []byte              `json:"bytes"`
	Map   map[string][]string `json:"map"`
	Ptr   *made               `json:"ptr"`
	Kids  []made              `json:"kids"`
	Any   any                 `json:"any"`
	Pair  [2]map[string]int   `json:"pair"`
	Wait  time.Duration       `json:"wait"`
}

// build takes a value from the bytes, and what it is once nil is filled in.
func build(data *[]byte, depth int) (v, want made) {
	next := func() byte {
		if len(*data) == 0 {
			return 0
		}
		c := (*data)[0]
		*data = (*data)[1:]
		return c
	}
	text := func() string {
		n := min(int(next()%16), len(*data))
		s := string((*data)[:n])
		*data = (*data)[n:]
		return s
	}
	bits := next()
	v.Text, v.Wait = text(), time.Duration(next())
	want = v
	want.List, want.Bytes, want.Map, want.Kids = []string{}, []byte{}, map[string][]string{}, []made{}
	want.Pair = [2]map[string]int{{}, {}}
	if bits&1 != 0 {
		v.List = []string{text(), "null"}
		want.List, v.Omit, want.Omit = v.List, v.List, v.List
	}
	if bits&2 != 0 {
		v.Bytes = []byte(text())
		want.Bytes = v.Bytes
	}
	if bits&4 != 0 {
		name := text()
		v.Map, want.Map = map[string][]string{name: nil}, map[string][]string{name: {}}
	}
	if bits&8 != 0 && depth < 20 {
		p, w := build(data, depth+1)
		v.Ptr, want.Ptr = &p, &w
	}
	if bits&16 != 0 && depth < 20 {
		p, w := build(data, depth+1)
		v.Kids, want.Kids = []made{p, {}}, []made{w, {List: []string{}, Bytes: []byte{}, Map: map[string][]string{}, Kids: []made{}, Pair: want.Pair}}
	}
	if bits&32 != 0 {
		v.Any = map[string]any{text(): nil, "list": []int(nil)}
		want.Any = v.Any
	}
	if bits&64 != 0 {
		v.Pair[1] = map[string]int{text(): 1}
		want.Pair[1] = v.Pair[1]
	}
	return v, want
}

func FuzzEncoder(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x7f\x03a\"b\x05\x04null\x02<>"))
	f.Add([]byte("\x18\x00\x00\x18\x00\x00\x44\x04null\x01\x02\\u"))
	f.Add([]byte("\x04\x00\x00\x06\"null\"\xff"))
	e, err := schema.NewEncoder(reflect.TypeFor[made]())
	if err != nil {
		f.Fatal(err)
	}
	out, err := schema.OutputFor[made]()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, want := build(&data, 0)
		before := mustMarshal(t, v)
		got, err := e.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if expected := mustMarshal(t, want); string(got) != expected {
			t.Fatalf("got  %s\nwant %s", got, expected)
		}
		if after := mustMarshal(t, v); after != before {
			t.Fatalf("the value changed from %s to %s", before, after)
		}
		if err := out.Check(got); err != nil && !strings.Contains(err.Error(), "given twice") {
			t.Fatalf("%s: %v", got, err)
		}
	})
}
