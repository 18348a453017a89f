package pattern_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/pattern"
)

func TestCompile_Refused(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"", "empty"},
		{"// only a comment", "no code"},
		{"$A", "variable alone"},
		{"$$$A", "variable alone"},
		{"$$$A\nf()", "begins or ends"},
		{"f($A, $$$A)", "one node at one place"},
		{"f(", "syntax error"},
		{"} func g() {", "no code of go"},
		{"f()\x00", "NUL"},
		{strings.Repeat("f(", 40000), "bytes"},
		{strings.Repeat("(", 2000) + "a" + strings.Repeat(")", 2000), "too large"},
		{"f(" + strings.Repeat("a, ", 10000) + "a)", "too large"},
		{"f(" + strings.Repeat("$A, ", 100) + "a)", "variables"},
	} {
		_, err := pattern.Compile(t.Context(), grammars, source.Go, c.pattern)
		bad, ok := errors.AsType[*pattern.Error](err)
		if !ok || bad.Next == "" || !strings.Contains(bad.Message, c.want) {
			t.Errorf("%.30s: %v, want %s", c.pattern, err, c.want)
		}
	}
	if _, err := pattern.Compile(t.Context(), grammars, "cobol", "f()"); !errors.Is(err, source.ErrLanguage) {
		t.Error(err)
	}
}

// Several $$$ in one list are no reason for exponential time.
func TestPattern_Find_ManyVariables(t *testing.T) {
	src := "package p\nvar _ = f(" + strings.Repeat("a, ", 5000) + "a)\n"
	if got := find(t, source.Go, "f($$$, a, $$$, a, $$$, a, $$$, a, $$$, b, $$$)", src); len(got) != 0 {
		t.Error(len(got))
	}
	r, err := compile(t, source.Go, "f($$$A, $X, $$$B, $Y, $$$C, $X, $$$D, b)").Find(t.Context(), []byte(src))
	if err != nil || len(r.Matches) != 0 || r.Incomplete == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestPattern_Find_NestedAndHidden(t *testing.T) {
	src := "package p\nvar _ = f(f(f(1)))\nvar s = \"f(2)\" // f(3)\nvar t = f(/* c */ 4 /* d */)\n"
	if got := strings.Join(find(t, source.Go, "f($X)", src), " | "); got != "f(f(f(1))) X=f(f(1)) | f(f(1)) X=f(1) | f(1) X=1 | f(/* c */ 4 /* d */) X=4" {
		t.Error(got)
	}
	if got := find(t, source.Go, "\"a b\"", "package p\nvar s = f(\"ab\", \"a  b\", \"a b\", \"\")\n"); len(got) != 1 {
		t.Error(got)
	}
}

func TestPattern_Restrict(t *testing.T) {
	p := compile(t, source.JavaScript, "{ a: $X }")
	if len(p.Kinds()) != 2 {
		t.Fatal(p.Kinds())
	}
	if q, ok := p.Restrict("object"); !ok || len(q.Kinds()) != 1 || q.Language() != source.JavaScript || strings.Join(q.Names(), " ") != "X" {
		t.Errorf("%+v", q)
	}
	if _, ok := p.Restrict("none"); ok {
		t.Error("a pattern of no kind")
	}
	if p.Candidate([]byte("{ b: 1 }")) || !p.Candidate([]byte("{ a: 1 }")) {
		t.Error("the literals of the pattern decide wrongly")
	}
}

// Separators that the pattern lacks are passed over without a recursion.
func TestPattern_Find_ManySeparators(t *testing.T) {
	p := compile(t, source.JavaScript, "f($A) {}\ng($A) {}")
	for _, n := range []int{2, 20000} {
		r, err := p.Find(t.Context(), []byte("class C { f(x) {}"+strings.Repeat(";", n)+"g(x) {} }\n"))
		if err != nil || len(r.Matches) != 1 || r.Incomplete != "" {
			t.Errorf("%d separators: %+v, %v", n, r, err)
		}
	}
}

func TestPattern_Find_CancelledInPlace(t *testing.T) {
	p := compile(t, source.Go, "f($$$A, $X, $$$B, $Y, $$$C, $X, $$$D, b)")
	src := "package p\nvar _ = f(" + strings.Repeat("a, ", 400) + "a)\n"
	ctx := &ended{Context: t.Context(), after: 4}
	if r, err := p.Find(ctx, []byte(src)); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
}

// ended is a context that is canceled after its error was asked for some times.
type ended struct {
	context.Context
	after int
}

func (c *ended) Err() error {
	if c.after--; c.after < 0 {
		return context.Canceled
	}
	return nil
}

// A text with all words that stand for variables is compiled.
func TestCompile_WordsOfVariables(t *testing.T) {
	for _, text := range []string{"f(zqq0v, $A)", "f(zqqzqrzqszqtzquzqvzqwzqxzqyzqz, dougu_zq0v, zq0q0v, $A)"} {
		src := "package p\nvar _ = " + strings.Replace(text, "$A", "1", 1) + "\n"
		if got := find(t, source.Go, text, src); len(got) != 1 || !strings.HasSuffix(got[0], " A=1") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
