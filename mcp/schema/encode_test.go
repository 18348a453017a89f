package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

type (
	result struct {
		Text    string            `json:"text"`
		List    []int             `json:"list"`
		Omitted []int             `json:"omitted,omitempty"`
		Rows    [][]string        `json:"rows"`
		Bytes   []byte            `json:"bytes"`
		Labels  map[string]string `json:"labels"`
		Lists   map[string][]int  `json:"lists"`
		Pair    [2][]int          `json:"pair"`
		Ptr     *result           `json:"ptr"`
		PtrList *[]int            `json:"ptrList"`
		Any     any               `json:"any"`
		Raw     json.RawMessage   `json:"raw"`
		Own     ownJSON           `json:"own"`
		Odd     []int             `json:"odd <&> \u00e9"`
		Addr    netip.Addr        `json:"addr"`
		Embedded
		*Deeper
	}
	Embedded struct {
		Inner []string `json:"inner"`
	}
	Deeper struct {
		Deep map[int][]byte `json:"deep"`
	}
	ownJSON []int
	byValue struct {
		N big.Int `json:"n"`
	}
)

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte(`{"list":null}`), nil }

func encode(t testing.TB, v any) string {
	t.Helper()
	e, err := schema.NewEncoder(reflect.TypeOf(v))
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Append([]byte("before "), v)
	if err != nil {
		t.Fatal(err)
	}
	rest, ok := strings.CutPrefix(string(out), "before ")
	if !ok {
		t.Fatalf("what was there is gone: %s", out)
	}
	return rest
}

func TestEncoder_NilSlicesAndMaps(t *testing.T) {
	t.Parallel()
	got := encode(t, result{Text: "null <&>", Rows: [][]string{nil, {"null"}}, Lists: map[string][]int{"a\"b": nil}, Ptr: &result{}, Deeper: &Deeper{Deep: map[int][]byte{1: nil}}})
	inner := `{"text":"","list":[],"rows":[],"bytes":"","labels":{},"lists":{},"pair":[[],[]],"ptr":null,"ptrList":null,"any":null,"raw":null,"own":{"list":null},"odd <&> é":[],"addr":"","inner":[]}`
	want := `{"text":"null <&>","list":[],"rows":[[],["null"]],"bytes":"","labels":{},"lists":{"a\"b":[]},"pair":[[],[]],"ptr":` + inner +
		`,"ptrList":null,"any":null,"raw":null,"own":{"list":null},"odd <&> é":[],"addr":"","inner":[],"deep":{"1":""}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	out, err := schema.OutputFor[result]()
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Check([]byte(got)); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
}

func TestEncoder_OtherTypes(t *testing.T) {
	t.Parallel()
	five := 5
	for _, tc := range []struct {
		value any
		want  string
	}{
		{[]int(nil), `[]`},
		{map[string]int(nil), `{}`},
		{[]byte(nil), `""`},
		{(*result)(nil), `null`},
		{&five, `5`},
		{"<a>", `"<a>"`},
		{[]any{nil, []int(nil)}, `[null,null]`},
		{map[string]*[]int{"a": nil}, `{"a":null}`},
		{[]*tree{nil, {Children: []*tree{nil}}}, `[null,{"value":0,"children":[null]}]`},
		{time.Second, `1000000000`},
		{byValue{*big.NewInt(7)}, `{"n":7}`},
		{[]byValue{{*big.NewInt(8)}}, `[{"n":8}]`},
		{&byValue{}, `{"n":0}`},
	} {
		if got := encode(t, tc.value); got != tc.want {
			t.Errorf("%T: got %s, want %s", tc.value, got, tc.want)
		}
	}
	e, err := schema.NewEncoder(reflect.TypeFor[any]())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{nil, 1, []int(nil)} {
		if got, err := e.Append(nil, v); err != nil || string(got) != strings.TrimSpace(mustMarshal(t, v)) {
			t.Errorf("any of %v: %s, %v", v, got, err)
		}
	}
}

func mustMarshal(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type failing struct{ V *int }

var errNoForm = errors.New("no form today")

func (failing) MarshalText() ([]byte, error) { return nil, errNoForm }

func TestEncoder_Errors(t *testing.T) {
	t.Parallel()
	for _, v := range []any{make(chan int), struct{ F []func() }{}, struct{ M map[float64]int }{}, struct{ E endless }{}, nil} {
		if _, err := schema.NewEncoder(reflect.TypeOf(v)); err == nil {
			t.Errorf("%T: no error", v)
		}
	}
	e, err := schema.NewEncoder(reflect.TypeFor[failing]())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if out, err := e.Append([]byte("x"), failing{}); !errors.Is(err, errNoForm) || string(out) != "x" {
			t.Errorf("got %s, %v", out, err)
		}
	}
	if out, err := e.Append([]byte("x"), 1); err == nil || string(out) != "x" {
		t.Errorf("a value of another type: %s, %v", out, err)
	}
	var deep *tree
	for range 200 {
		deep = &tree{Children: []*tree{deep}}
	}
	trees, err := schema.NewEncoder(reflect.TypeFor[tree]())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trees.Append(nil, *deep); err == nil || !strings.Contains(err.Error(), "nested deeper than 128 levels") {
		t.Errorf("got %v", err)
	}
}

func TestEncoder_Concurrent(t *testing.T) {
	t.Parallel()
	e, err := schema.NewEncoder(reflect.TypeFor[result]())
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Append(nil, result{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if got, err := e.Append(nil, result{Text: "x"}); err != nil || !bytes.Equal(got, want) {
					t.Errorf("got %s, %v", got, err)
					return
				}
			}
		})
	}
	all.Wait()
}
