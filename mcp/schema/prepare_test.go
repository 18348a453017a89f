package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

type (
	options struct {
		Deep bool    `json:"deep"`
		F    float64 `json:"f"`
	}
	greeting struct {
		Name  string    `json:"name" jsonschema:"minLength=1"`
		Count int       `json:"count"`
		Tags  [3]string `json:"tags"`
		Opt   options   `json:"opt"`
	}
	search struct {
		Query string `json:"query"`
		Limit int    `json:"limit" jsonschema:"minimum=1,maximum=100,default=20"`
		Mode  string `json:"mode" jsonschema:"enum=fast,enum=careful,default=fast"`
		Walk  struct {
			Depth  int   `json:"depth" jsonschema:"default=3"`
			Hidden *bool `json:"hidden"`
		} `json:"walk,omitzero"`
		Edits []struct {
			Text string `json:"text,omitempty"`
			All  bool   `json:"all" jsonschema:"default=true"`
		} `json:"edits,omitempty"`
		Extra any `json:"extra,omitempty"`
	}
	exact struct {
		I64  int64            `json:"i64,omitempty" jsonschema:"maximum=9007199254740993"`
		U64  uint64           `json:"u64,omitempty"`
		U8   uint8            `json:"u8,omitempty"`
		F32  float32          `json:"f32,omitempty"`
		F64  float64          `json:"f64,omitempty"`
		Any  any              `json:"any,omitempty"`
		Wait time.Duration    `json:"wait,omitempty"`
		When time.Time        `json:"when,omitzero"`
		Addr netip.Addr       `json:"addr,omitzero"`
		Big  *big.Int         `json:"big,omitempty"`
		Raw  []byte           `json:"raw,omitempty"`
		ByID map[int8]string  `json:"byId,omitempty"`
		Ips  map[netip.Addr]T `json:"ips,omitempty"`
		Qi   uint             `json:"qi,string,omitempty"`
		Qf   float64          `json:"qf,string,omitempty"`
		Qb   bool             `json:"qb,string,omitempty"`
		Qs   string           `json:"qs,string,omitempty"`
		Qn   json.Number      `json:"qn,string,omitempty"`
		Qp   *int32           `json:"qp,string,omitempty"`
	}
	T struct{}
)

func mustInput[In any](t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.InputFor[In]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPrepare_Defaults(t *testing.T) {
	t.Parallel()
	s := mustInput[search](t)
	for _, tc := range []struct{ name, in, want string }{
		{"nothing is missing", `{"query":"x","limit":1,"mode":"careful","walk":{"depth":1},"edits":[]}`, ``},
		{"absent at the root, and in a struct by value", `{"query":"x"}`, `{"query":"x","limit":20,"mode":"fast","walk":{"depth":3}}`},
		{"white space stays", ` { "query" : "x" } `, ` { "query" : "x" ,"limit":20,"mode":"fast","walk":{"depth":3}} `},
		{"in a nested object", `{"query":"x","limit":1,"mode":"fast","walk":{}}`, `{"query":"x","limit":1,"mode":"fast","walk":{"depth":3}}`},
		{"in the items of an array", `{"query":"x","limit":1,"mode":"fast","walk":{"depth":0},"edits":[{},{"text":"a"},{"all":false}]}`,
			`{"query":"x","limit":1,"mode":"fast","walk":{"depth":0},"edits":[{"all":true},{"text":"a","all":true},{"all":false}]}`},
		{"null counts as absent", `{"query":"x","limit":null,"mode":"fast","walk":{"depth":3,"hidden":null},"edits":null}`,
			`{"query":"x","limit":20,"mode":"fast","walk":{"depth":3}}`},
		{"null comes first", `{"edits":null,"query":"x","limit":1,"mode":"fast","walk":{"hidden":null, "depth":1}}`,
			`{"query":"x","limit":1,"mode":"fast","walk":{ "depth":1}}`},
		{"null where null is a value", `{"query":"x","limit":1,"mode":"fast","walk":{"depth":1},"extra":null}`, ``},
		{"names are escaped", `{"query":"x","limit":1,"mod\u0065":"fast","walk":{"depth":1}}`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := s.Prepare([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			want := tc.want
			if want == "" {
				want = tc.in
			}
			if string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var v search
			if err := json.Unmarshal(got, &v); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPrepare_NullMembers(t *testing.T) {
	t.Parallel()
	s := mustInput[struct {
		A *int `json:"a"`
		B *int `json:"b"`
		C int  `json:"c" jsonschema:"default=1"`
	}](t)
	for in, want := range map[string]string{
		`{"a":null}`:                    `{"c":1}`,
		`{"a":null,"b":null}`:           `{"c":1}`,
		`{"a":null, "b":null, "c":2}`:   `{ "c":2}`,
		`{"c":2,"a":null,"b":null}`:     `{"c":2}`,
		`{"a":1,"b":null}`:              `{"a":1,"c":1}`,
		`{"a":null,"b":1,"c":null}`:     `{"b":1,"c":1}`,
		`{ "a" : null , "b" : null }`:   `{ "c":1}`,
		``:                              `{"c":1}`,
		" \n":                           `{"c":1}`,
		`null`:                          `{"c":1}`,
		" null\t":                       `{"c":1}`,
		`{}`:                            `{"c":1}`,
		`{"c":1,"a":null}`:              `{"c":1}`,
		`{"a":null,"c":3.0,"b":-0.0e0}`: `{"c":3,"b":0}`,
	} {
		got, err := s.Prepare([]byte(in))
		if err != nil || !json.Valid(got) || strings.ReplaceAll(string(got), " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("Prepare(%q) = %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestPrepare_ReturnsInput(t *testing.T) {
	t.Parallel()
	s := mustInput[greeting](t)
	args := []byte(`{"name":"x","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`)
	got, err := s.Prepare(args)
	if err != nil || &got[0] != &args[0] || len(got) != len(args) {
		t.Fatalf("got %s, %v: not the same slice", got, err)
	}
	changed := []byte(`{"name":"x","count":3.0,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`)
	before := string(changed)
	if _, err := s.Prepare(changed); err != nil || string(changed) != before {
		t.Errorf("the arguments were changed to %s, %v", changed, err)
	}
}

func TestPrepare_NoAllocation(t *testing.T) {
	type open struct {
		Labels map[string]string `json:"labels"`
		When   time.Time         `json:"when"`
		Kind   string            `json:"kind" jsonschema:"enum=a,enum=b"`
		Size   int64             `json:"size" jsonschema:"minimum=0,multipleOf=2"`
		Level  int               `json:"level" jsonschema:"enum=1,enum=2"`
		ID     string            `json:"id" jsonschema:"format=uuid"`
		Raw    []byte            `json:"raw"`
		Any    any               `json:"any"`
	}
	for _, tc := range []struct {
		schema *schema.Schema
		args   string
	}{
		{mustInput[greeting](t), `{"name":"x","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`},
		{mustInput[open](t), `{"labels":{"a":"1","b":"2","c":"3"},"when":"2026-08-21T10:00:00Z","kind":"b","size":9007199254740992,"level":2,` +
			`"id":"123e4567-e89b-12d3-a456-426614174000","raw":"aGVsbG8=","any":{"x":[1,2.5,null,{"y":"z"}]}}`},
	} {
		args := []byte(tc.args)
		allocs := testing.AllocsPerRun(100, func() {
			if _, err := tc.schema.Prepare(args); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations, want 0", tc.args, allocs)
		}
	}
}

func TestPrepare_ExactIntegers(t *testing.T) {
	t.Parallel()
	s := mustInput[exact](t)
	for _, tc := range []struct{ in, want string }{
		{`{"i64":9007199254740993}`, ``},
		{`{"i64":-9223372036854775808}`, ``},
		{`{"u64":18446744073709551615}`, ``},
		{`{"u64":1.8446744073709551615e19}`, `{"u64":18446744073709551615}`},
		{`{"i64":3.0}`, `{"i64":3}`},
		{`{"i64":-30e-1}`, `{"i64":-3}`},
		{`{"u64":-0}`, `{"u64":0}`},
		{`{"u8":2.55e2}`, `{"u8":255}`},
		{`{"big":123456789012345678901234567890}`, ``},
		{`{"big":1e3}`, `{"big":1000}`},
		{`{"f64":3.0}`, ``},
		{`{"f64":1.7976931348623157e308}`, ``},
		{`{"f32":3.4e38}`, ``},
		{`{"wait":"1m30s"}`, `{"wait":90000000000}`},
		{`{"wait":90000000000}`, ``},
		{`{"wait":9e10}`, `{"wait":90000000000}`},
		{`{"byId":{"-128":"x","127":"y"}}`, ``},
		{`{"ips":{"::1":{}}}`, ``},
		{`{"qi":"12","qf":"-1.5e3","qb":"true","qs":"\"a\"","qn":"1.5","qp":"-2147483648"}`, ``},
		{`{"raw":"aGVsbG8="}`, ``},
		{`{"raw":"\/\/8="}`, ``},
		{`{"when":"2026-08-21T10:00:00.5+02:00"}`, ``},
	} {
		got, err := s.Prepare([]byte(tc.in))
		if err != nil {
			t.Errorf("%s: %v", tc.in, err)
			continue
		}
		want := tc.want
		if want == "" {
			want = tc.in
		}
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", tc.in, got, want)
		}
		var v exact
		if err := json.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestPrepare_GoTypeRange(t *testing.T) {
	t.Parallel()
	s := mustInput[exact](t)
	for in, want := range map[string]string{
		`{"i64":9007199254740994}`:      `i64: must be at most 9007199254740993, got 9007199254740994`,
		`{"i64":-9223372036854775809}`:  `i64: does not fit int64, got -9223372036854775809`,
		`{"i64":-1e19}`:                 `i64: does not fit int64, got -1e19`,
		`{"i64":1.5}`:                   `i64: must be an integer, got 1.5`,
		`{"u64":18446744073709551616}`:  `u64: does not fit uint64, got 18446744073709551616`,
		`{"u64":1e300}`:                 `u64: does not fit uint64, got 1e300`,
		`{"u64":-1}`:                    `u64: does not fit uint64, got -1`,
		`{"u8":300}`:                    `u8: does not fit uint8, got 300`,
		`{"f32":1e39}`:                  `f32: does not fit float32, got 1e39`,
		`{"f64":1.8e308}`:               `f64: does not fit float64, got 1.8e308`,
		`{"any":{"x":[1.8e308]}}`:       `any.x[0]: does not fit float64, got 1.8e308`,
		`{"big":1e30}`:                  `big: cannot be read: math/big: cannot unmarshal "1e30" into a *big.Int, got 1e30`,
		`{"wait":"soon"}`:               `wait: must be a duration such as "1m30s", got "soon"`,
		`{"wait":true}`:                 `wait: must be a duration such as "1m30s", got true`,
		`{"wait":9223372036854775808}`:  `wait: does not fit time.Duration, got 9223372036854775808`,
		`{"when":"yesterday"}`:          `when: must be a date-time such as "2006-01-02T15:04:05Z", got "yesterday"`,
		`{"addr":"1.2.3"}`:              `addr: cannot be read: ParseAddr("1.2.3"): IPv4 address too short, got "1.2.3"`,
		`{"raw":"a"}`:                   `raw: must be base64, got "a"`,
		`{"raw":"aGVsbG8*"}`:            `raw: must be base64, got "aGVsbG8*"`,
		`{"raw":"\u002a==="}`:           `raw: must be base64, got "\u002a==="`,
		`{"byId":{"128":"x"}}`:          `byId: name "128" does not fit int8`,
		`{"byId":{"one":"x"}}`:          `byId: name "one" must match the pattern ^(0|-?[1-9][0-9]*)$, got "one"`,
		`{"ips":{"here":{}}}`:           `ips: name "here" cannot be read: ParseAddr("here"): unable to parse IP`,
		`{"qi":"-0"}`:                   `qi: must be a string that holds an integer that fits uint, got "-0"`,
		`{"qi":"18446744073709551616"}`: `qi: must be a string that holds an integer that fits uint, got "18446744073709551616"`,
		`{"qf":"1e999"}`:                `qf: must be a string that holds a number, got "1e999"`,
		`{"qb":"yes"}`:                  `qb: must be one of "true", "false", got "yes"`,
		`{"qn":"one"}`:                  `qn: must be a string that holds a number, got "one"`,
		`{"qp":"2147483648"}`:           `qp: must be a string that holds an integer that fits int32, got "2147483648"`,
		`{"qs":"bare"}`:                 `qs: must be a string that holds a JSON string, got "bare"`,
	} {
		_, err := s.Prepare([]byte(in))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", in, err, want)
		}
	}
}

func TestPrepare_Refusals(t *testing.T) {
	t.Parallel()
	type edit struct {
		Text string `json:"text" jsonschema:"maxLength=3"`
	}
	type args struct {
		Path  string            `json:"path" jsonschema:"pattern=^/"`
		Count int               `json:"count,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=10,multipleOf=3"`
		Ratio float64           `json:"ratio,omitempty" jsonschema:"multipleOf=0.1"`
		Edits []edit            `json:"edits,omitempty" jsonschema:"minItems=1,maxItems=2"`
		Names []string          `json:"names,omitempty" jsonschema:"uniqueItems"`
		Env   map[string]string `json:"env,omitempty" jsonschema:"minProperties=1,maxProperties=2"`
		Mail  string            `json:"mail,omitempty" jsonschema:"format=email"`
		Level int               `json:"level,omitempty" jsonschema:"enum=1,enum=2"`
	}
	s := mustInput[args](t)
	nested := strings.Repeat(`[`, 200)
	for _, tc := range []struct{ in, want string }{
		{`{"pth":"/"}`, "unknown argument \"pth\" (did you mean \"path\"?)\npath: required"},
		{`{"path":"/","edits":[{"txt":"a"}]}`, "edits[0]: unknown property \"txt\" (did you mean \"text\"?)\nedits[0].text: required"},
		{`{"path":"/","zzzzzzz":1}`, `unknown argument "zzzzzzz" (known: path, count, ratio, edits, names, env, mail, level)`},
		{`{"path":"/","PATH":"/x"}`, `unknown argument "PATH" (did you mean "path"?)`},
		{`{"path":"/","path":"/x"}`, `argument "path" is given twice`},
		{`{"path":"/","p\u0061th":"/x"}`, `argument "p\u0061th" is given twice`},
		{`{"path":"/","env":{"a":"1","\u0061":"2"}}`, `env: property "\u0061" is given twice`},
		{`{"path":"x","count":"ten","edits":[{"text":"long"},{"text":1}]}`,
			"path: must match the pattern ^/, got \"x\"\ncount: must be an integer, got \"ten\"\n" +
				"edits[0].text: must have at most 3 characters, got 4\nedits[1].text: must be a string, got 1"},
		{`{"path":"/","count":0}`, "count: must be more than 0, got 0"},
		{`{"path":"/","count":10}`, "count: must be less than 10, got 10\ncount: must be a multiple of 3, got 10"},
		{`{"path":"/","ratio":0.15}`, "ratio: must be a multiple of 1/10, got 0.15"},
		{`{"path":"/","edits":[]}`, "edits: must have at least 1 item, got 0"},
		{`{"path":"/","edits":[{"text":""},{"text":""},{"text":""}]}`, "edits: must have at most 2 items, got 3"},
		{`{"path":"/","edits":{}}`, "edits: must be an array, got an object"},
		{`{"path":"/","names":["a","b","\u0061"]}`, "names: items 0 and 2 are equal, they must differ"},
		{`{"path":"/","names":["1","2","3","4","5","6","7","8","9","10","9"]}`, "names: items 8 and 10 are equal, they must differ"},
		{`{"path":"/","env":{}}`, "env: must have at least 1 property, got 0"},
		{`{"path":"/","env":{"a":"","b":"","c":""}}`, "env: must have at most 2 properties, got 3"},
		{`{"path":"/","env":{"a b":1}}`, `env["a b"]: must be a string, got 1`},
		{`{"path":"/","env":{"x":null}}`, `env.x: must be a string, got null`},
		{`{"path":"/","mail":"nobody"}`, `mail: must be an e-mail address, got "nobody"`},
		{`{"path":"/","level":3}`, `level: must be one of 1, 2, got 3`},
		{`{"path":null}`, `path: must be a string, got null`},
		{`{"path":"/\ud800"}`, `path: is not valid Unicode text`},
		{"{\"path\":\"/\xff\"}", `path: is not valid Unicode text`},
		{"{\"path\":\"/\",\"\xff\":1}", "has a name that is not valid Unicode\n" + `unknown argument "` + "\uFFFD" + `" (known: path, count, ratio, edits, names, env, mail, level)`},
		{`{"path":"/","count":1e1000001}`, `count: the number 1e1000001 is out of bounds`},
		{`{"path":"/","count":` + strings.Repeat("1", 401) + `}`, `count: the number ` + strings.Repeat("1", 36) + `… is out of bounds`},
		{`{"path":"/","count":` + nested, `not valid JSON: nested too deeply at byte 147`},
		{`{"path":"/"`, `not valid JSON: expected ',' or '}' in an object at byte 11`},
		{`{"path":"/"} {}`, `not valid JSON: more input after the value at byte 13`},
		{`{"path":tru}`, `not valid JSON: expected a value at byte 8`},
		{`{"path"}`, `not valid JSON: expected ':' after a member name at byte 7`},
		{`{"path":}`, `not valid JSON: expected a value at byte 8`},
		{`{"names":["a"}`, `not valid JSON: expected ',' or ']' in an array at byte 13`},
		{`{1:2}`, `not valid JSON: expected a string at byte 1`},
		{`[]`, `must be an object, got an array`},
		{`"x"`, `must be an object, got "x"`},
		{`nullx`, `must be an object, got null` + "\nnot valid JSON: more input after the value at byte 4"},
	} {
		_, err := s.Prepare([]byte(tc.in))
		var refused *schema.ValidationError
		if !errors.As(err, &refused) {
			t.Errorf("%.60s: got error %v, want a *ValidationError", tc.in, err)
			continue
		}
		if got := refused.Error(); got != tc.want {
			t.Errorf("%.60s:\ngot  %s\nwant %s", tc.in, got, tc.want)
		}
	}
}

func TestPrepare_ViolationLimit(t *testing.T) {
	t.Parallel()
	s := mustInput[struct {
		N []int `json:"n"`
	}](t)
	_, err := s.Prepare([]byte(`{"n":[` + strings.Repeat(`"x",`, 1000) + `1]}`))
	var refused *schema.ValidationError
	if !errors.As(err, &refused) || len(refused.Violations) != 20 {
		t.Fatalf("got %v", err)
	}
	if v := refused.Violations[19]; v.Path != "n[19]" || v.String() != `n[19]: must be an integer, got "x"` {
		t.Errorf("got %+v", v)
	}
	var unknown strings.Builder
	for k := range 200_000 {
		fmt.Fprintf(&unknown, `"name%d":%d,`, k, k)
	}
	if _, err := s.Prepare([]byte(`{` + unknown.String() + `"n":[]}`)); !errors.As(err, &refused) || len(refused.Violations) != 20 {
		t.Errorf("got %v", err)
	}
	if refused.ErrorCode() != "INVALID_PARAMS" || refused.NextStep() == "" {
		t.Errorf("code %s, next step %q", refused.ErrorCode(), refused.NextStep())
	}
}

func TestPrepare_LengthInCodePoints(t *testing.T) {
	t.Parallel()
	s := mustInput[struct {
		S string `json:"s" jsonschema:"minLength=2,maxLength=3"`
	}](t)
	for in, ok := range map[string]bool{
		`"a"`: false, `"ab"`: true, `"abc"`: true, `"abcd"`: false,
		`"日"`: false, `"日本語"`: true, `"😀"`: false, `"😀😀😀"`: true, `"😀😀😀😀"`: false,
		`"\n"`: false, `"\n\t"`: true, `"\u0041"`: false, `"\u0041\u0042"`: true, `"\ud83d\ude00"`: false,
		`"\ud83d\ude00\uD83D\uDE00\""`: true, `"\ud83d\ude00\uD83D\uDE00\"a"`: false, `"\u65e5\\n"`: true,
	} {
		if _, err := s.Prepare([]byte(`{"s":` + in + `}`)); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestPrepare_ManyMembers(t *testing.T) {
	t.Parallel()
	const n = 300
	fields := make([]reflect.StructField, n)
	var args strings.Builder
	args.WriteByte('{')
	for k := range n {
		fields[k] = reflect.StructField{Name: fmt.Sprintf("F%d", k), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d"`, k))}
		fmt.Fprintf(&args, `"f%d":%d,`, k, k)
	}
	s, err := schema.Input(reflect.StructOf(fields), schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := args.String()
	if _, err := s.Prepare([]byte(strings.TrimSuffix(all, ",") + "}")); err != nil {
		t.Error(err)
	}
	if _, err := s.Prepare([]byte(all + `"f299":1}`)); err == nil || err.Error() != `argument "f299" is given twice` {
		t.Errorf("got %v", err)
	}
	if _, err := s.Prepare([]byte(strings.Replace(strings.TrimSuffix(all, ",")+"}", `"f299":299`, `"f0":1`, 1))); err == nil || err.Error() != "argument \"f0\" is given twice\nf299: required" {
		t.Errorf("got %v", err)
	}
	open := mustInput[map[string]int](t)
	if _, err := open.Prepare([]byte(strings.TrimSuffix(all, ",") + "}")); err != nil {
		t.Error(err)
	}
	if _, err := open.Prepare([]byte(all + `"f150":1}`)); err == nil || err.Error() != `argument "f150" is given twice` {
		t.Errorf("got %v", err)
	}
}

func TestSchema_Zero(t *testing.T) {
	t.Parallel()
	var s schema.Schema
	if got, err := s.Prepare([]byte(`{"a":[1,{"b":null}]}`)); err != nil || string(got) != `{"a":[1,{"b":null}]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if err := s.Check([]byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("a name given twice was accepted")
	}
	if string(s.JSON()) != "{}" {
		t.Errorf("JSON = %s", s.JSON())
	}
}

func TestCheck_InputUnchanged(t *testing.T) {
	t.Parallel()
	s, err := schema.OutputFor[struct {
		Name  *string  `json:"name"`
		Tags  []string `json:"tags"`
		Count int      `json:"count" jsonschema:"default=1"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"name":null,"tags":[],"count":1}`:      "",
		`{"name":"x","tags":["a"],"count":2.0}`:  "",
		`{"name":"x","tags":null,"count":1}`:     "tags: must be an array, got null",
		`{"name":"x","tags":[]}`:                 "count: required",
		`{"name":1,"tags":[],"count":1}`:         "name: must be a string or null, got 1",
		`{"name":"x","tags":[],"count":1,"z":1}`: `unknown property "z" (known: name, tags, count)`,
		``:                                       "not valid JSON: unexpected end of input at byte 0",
	} {
		err := s.Check([]byte(in))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", in, err)
			}
			continue
		}
		var refused *schema.ValidationError
		if !errors.As(err, &refused) || refused.Error() != want || refused.ErrorCode() != "INVALID_RESULT" || refused.NextStep() == "" {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
}
