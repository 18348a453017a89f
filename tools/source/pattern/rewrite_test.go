package pattern_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/pattern"
)

func TestTemplate_Expand(t *testing.T) {
	for _, c := range []struct {
		name                        string
		lang                        source.Language
		pattern, rewrite, src, want string // src and want in a function of Go
	}{
		{"separator after an empty capture", source.Go, "f($$$A)", "g($$$A, 1)", "f()", "g(1)"},
		{"separator before an empty capture", source.Go, "f($X, $$$A)", "g($X, $$$A)", "f(1)", "g(1)"},
		{"capture of several", source.Go, "f($$$A)", "g($$$A, 1)", "f(a, b,)", "g(a, b, 1)"},
		{"indentation of the template", source.Go, "f($X)", "if x {\n    f($X)\n}", "if a {\n\t\tf(1)\n\t}", "if a {\n\t\tif x {\n\t\t\tf(1)\n\t\t}\n\t}"},
		{"indentation of a capture", source.Go, "if a { $$$B }", "$$$B", "if a {\n\t\tf(func() {\n\t\t\tg()\n\t\t})\n\t\th()\n\t}", "f(func() {\n\t\tg()\n\t})\n\th()"},
		{"raw string", source.Go, "if a { $$$B }", "$$$B", "if a {\n\t\tf(`\n\t\tx`)\n\t}", "f(`\n\t\tx`)"},
		{"line of an empty capture", source.Go, "if a { $$$B }", "if b {\n\t$$$B\n}", "if a {\n\t}", "if b {\n\t}"},
		{"line of an empty capture after a comma", source.Go, "f($X, $$$A)", "g(\n\t$X,\n\t$$$A\n)", "f(1)", "g(\n\t\t1\n\t)"},
		{"empty lines", source.Go, "f($X)", "g(\n\n\t$X,\n\n)\n", "f(1)", "g(\n\n\t\t1,\n\n\t)\n\t"},
		{"swapped", source.Go, "$A != nil", "nil != $A", "x(a.b != nil)", "x(nil != a.b)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const before, after = "package p\n\nfunc f() {\n\t", "\n}\n"
			p := compile(t, c.lang, c.pattern)
			template, err := pattern.ParseTemplate(p, c.rewrite, nil)
			if err != nil {
				t.Fatal(err)
			}
			src := before + c.src + after
			r, err := p.Find(t.Context(), []byte(src))
			if err != nil || len(r.Matches) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			fixed := make([]bool, strings.Count(src, "\n")+1)
			for i, line := range strings.Split(src, "\n") {
				fixed[i] = strings.HasSuffix(line, "x`)")
			}
			m := r.Matches[0]
			code, err := template.Expand(pattern.NewText(src, fixed), m)
			if got := src[:m.Start] + code + src[m.End:]; err != nil || got != before+c.want+after {
				t.Errorf("%s, %v\nwant %s", got, err, before+c.want+after)
			}
		})
	}
}

func TestParseTemplate_Unknown(t *testing.T) {
	p := compile(t, source.Go, "f($A, $_)")
	for _, text := range []string{"g($B)", "g($_)", "g($$$)", strings.Repeat("x", 70000)} {
		if _, err := pattern.ParseTemplate(p, text, nil); err == nil {
			t.Errorf("%.20s: no error", text)
		}
	}
	if _, err := pattern.ParseTemplate(p, "g($A, $b, a$B)", nil); err != nil {
		t.Error(err)
	}
}

// A long template with a capture of many lines is refused before it takes the memory.
func TestTemplate_Expand_TooLong(t *testing.T) {
	p := compile(t, source.Go, "f($A)")
	src := "package p\n\nvar _ = f(func() {" + strings.Repeat("\n\tg()", 1000) + "\n})\n"
	r, err := p.Find(t.Context(), []byte(src))
	if err != nil || len(r.Matches) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	text := pattern.NewText(src, nil)
	for _, c := range []struct {
		rewrite string
		long    bool
	}{{"f($A, $A)", false}, {strings.Repeat("$A ", 20000), true}, {strings.Repeat("$A\n", 20000), true}} {
		template, err := pattern.ParseTemplate(p, c.rewrite, nil)
		if err != nil {
			t.Fatal(err)
		}
		code, err := template.Expand(text, r.Matches[0])
		if bad, refused := errors.AsType[*pattern.Error](err); refused != c.long || c.long != (code == "") || refused && bad.Next == "" {
			t.Errorf("%.20s: %d bytes, %v", c.rewrite, len(code), err)
		}
	}
}
