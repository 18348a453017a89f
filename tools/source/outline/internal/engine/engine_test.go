package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

var table = engine.Syntax{
	Keywords:  map[uint8]string{1: "fun def", 2: "class"},
	Operators: map[engine.Kind]string{engine.Dot: "?.", engine.Arrow: "->", engine.Infix: "== ==="},
	Quotes:    `"`,
	Literal: func(_ []byte, at int) (engine.Literal, int) {
		return engine.Literal{Close: `"`, Escape: `\`, Code: "${"}, at + 1
	},
}.Compile()

// tokens writes each token with its keyword and, for a bracket, its partner.
func tokens(t *testing.T, src string) (string, error) {
	t.Helper()
	var s engine.Scanner
	var written []string
	_, err := s.Parse(t.Context(), []byte(src), source.Kotlin, source.Options{}, table, func() {
		for i := range s.Last {
			text := string(s.Bytes(i))
			if w := s.Tokens[i].Word; w > 0 {
				text += fmt.Sprint("=", w)
			}
			if s.Tokens[i].Kind.Opens() || s.Tokens[i].Kind.Closes() {
				text += fmt.Sprint(":", s.Tokens[i].Match)
			}
			written = append(written, text)
		}
	})
	return strings.Join(written, " "), err
}

func TestScanner_Tokens(t *testing.T) {
	for _, tc := range []struct{ src, want, doubt string }{
		{"fun f(x) { a ->b }", "fun=1 f (:4 x ):2 {:9 a -> b }:5", ""},
		{"a === b?.class . def", "a === b ?. class . def", ""},
		{"/* { /* */ } */ 12px // }", "12px", ""},
		{`x "a\"${ f("}") }b" y`, `x "a\"$ {:7 f (:6 "}" ):4 }:2 b" y`, ""},
		{"( { [ )", "(:4 {:4 [:4 ):-1", "line 1: the brackets do not match"},
		{"{ ( }", "{:2 (:2 }:0", "line 1: a bracket is not closed"},
		{"} a", "}:-1 a", "line 1: the brackets do not match"},
		{"{ a", "{:2 a", "line 1: a bracket is not closed"},
		{"a\n\"b\nc", "a \"b c", "line 2: a string is not closed"},
		{"a\n/* b", "a", "line 2: a comment is not closed"},
		{"`a b` `", "`a b` `", ""},
	} {
		got, err := tokens(t, tc.src)
		if doubt := fmt.Sprint(err); got != tc.want || tc.doubt == "" && err != nil || tc.doubt != "" && doubt != tc.doubt {
			t.Errorf("%q: got %s, %v; want %s, %s", tc.src, got, err, tc.want, tc.doubt)
		}
	}
}

func TestScanner_DepthIsBounded(t *testing.T) {
	_, err := tokens(t, strings.Repeat("(", engine.MaxDepth+1))
	var unsure *source.UnsureError
	if !errors.As(err, &unsure) || unsure.Reason != "brackets are nested too deeply" {
		t.Errorf("got %v", err)
	}
	if _, err := tokens(t, strings.Repeat("(", engine.MaxDepth)+strings.Repeat(")", engine.MaxDepth)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

func TestScanner_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var s engine.Scanner
	if _, err := s.Parse(ctx, []byte("a"), source.Kotlin, source.Options{}, table, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestScanner_AppendPlain(t *testing.T) {
	var s engine.Scanner
	_, err := s.Parse(t.Context(), []byte("out  A < B /* c */ , D >"), source.Kotlin, source.Options{}, table, func() {
		if got, want := string(s.AppendPlain(nil, 0, s.Last)), "out A<B,D>"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
