package schema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema"
)

func BenchmarkPrepare(b *testing.B) {
	s := mustInput[greeting](b)
	for _, bc := range []struct{ name, args string }{
		{"accepted", `{"name":"x","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`},
		{"normalised", `{"name":"x","count":3.0,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`},
		{"refused", `{"name":"x","count":"three","tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`},
	} {
		b.Run(bc.name, func(b *testing.B) {
			args := []byte(bc.args)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Prepare(args); (err != nil) != (bc.name == "refused") {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPrepareLongText(b *testing.B) {
	s := mustInput[struct {
		Text string `json:"text" jsonschema:"minLength=1"`
	}](b)
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			args := []byte(`{"text":"` + strings.Repeat("all work and no play ", size/21) + `"}`)
			b.SetBytes(int64(len(args)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Prepare(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncoder(b *testing.B) {
	e, err := schema.NewEncoder(reflect.TypeFor[result]())
	if err != nil {
		b.Fatal(err)
	}
	for name, v := range map[string]any{
		"full":  result{List: []int{1}, Rows: [][]string{{"a"}}, Bytes: []byte("b"), Labels: map[string]string{"a": "b"}},
		"nulls": result{},
	} {
		b.Run(name, func(b *testing.B) {
			var buffer []byte
			b.ReportAllocs()
			for b.Loop() {
				if buffer, err = e.Append(buffer[:0], v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInput(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.InputFor[greeting](); err != nil {
			b.Fatal(err)
		}
	}
}
