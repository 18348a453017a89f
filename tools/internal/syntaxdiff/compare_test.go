package syntaxdiff_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/syntaxdiff"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

func parsersOf(t *testing.T) *source.Parsers {
	p := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { p.Close() })
	return p
}

// first returns the line and the message of the first problem; "" if there is none.
func first(problems []source.Problem) string {
	if len(problems) == 0 {
		return ""
	}
	return syntaxdiff.Format(problems[0])
}

// Each case replaces a piece of a text. Errors before the change are in other declarations or in the head of the changed one.
func TestCompare(t *testing.T) {
	const goBroken = "package p\n\nfunc a() { return 1 + }\n\ntype T struct{}\n\nfunc (t T) b() {\n\tc()\n}\n\nvar v = 1\n"
	const python = "def a(x):\n    return x +\n\nclass C:\n    y = 1\n\n    def b(self):\n        return 2\n\n    def d(self):\n        return 3\n"
	const c = "EXPORT(int) a(void) MACRO {\n  return 1;\n}\n\nint b(int x) {\n  ) x;\n}\n\nint d(void)\n{\n  return 2;\n}\n"
	const java = "class A {\n  int a() { return 1 + ; }\n\n  A(int x) {\n    super(x);\n    b();\n  }\n\n  static class B {\n    int c;\n\n    int d() {\n      return 2;\n    }\n  }\n}\n"
	const ruby = "class A\n  def a\n    1 +\n  end\n\n  def b\n    2\n  end\nend\n"
	parsers := parsersOf(t)
	for _, tc := range []struct {
		name      string
		lang      source.Language
		slow      bool
		text      string
		from, to  string
		added     string // the first added error
		unchecked bool
	}{
		{"a new error", source.Go, false, "package p\n\nfunc a() { }\n", "{ }", "{ = }", "line 3: ", false},
		{"no error", source.Go, false, "package p\n\nfunc a() { }\n", "{ }", "{ a() }", "", false},
		{"an error that is corrected", source.Go, false, goBroken, "1 + }", "1 }", "", false},
		{"an error elsewhere", source.Go, false, goBroken, "c()", "c()\n\tc()", "", false},
		{"an error elsewhere and a new one", source.Go, false, goBroken, "c()", "c()\n\tlet = = 5 ++ * ;;", "line 9: ", false},
		{"a new declaration", source.Go, false, goBroken, "var v = 1\n", "var v = 1\nvar w = 2\n", "", false},
		{"a wrong declaration", source.Go, false, goBroken, "var v = 1\n", "var v = 1\nvar w = = 2\n", "line 12: ", false},
		{"a deletion", source.Go, false, goBroken, "var v = 1\n", "", "", false},
		{"two declarations", source.Go, false, goBroken, "b() {\n\tc()\n}\n\nvar v", "b() {\n\tc(\n}\n\nvar w", "line 9: ", false},
		{"the broken declaration", source.Go, false, goBroken, "return 1 + }", "return 2 + }", "", true},
		{"in a method", source.Python, false, python, "return 2", "return 4", "", false},
		{"an error in a method", source.Python, false, python, "return 2", "return 2 +", "line 8: ", false},
		{"an empty method", source.Python, false, python, "        return 2\n", "        # nothing\n", "line ", false},
		{"a member of a class", source.Python, false, python, "y = 1\n", "y = 1\n    z = = 2\n", "line 6: ", false},
		{"a macro in the head", source.C, false, c, "return 1", "return 3", "", false},
		{"an error under a macro", source.C, false, c, "return 1;", "return 3 = = 4;", "line 2: ", false},
		{"a body below its head", source.C, false, c, "return 2;", "x = (1 + );", "line 11: ", false},
		{"a broken body", source.C, false, c, "  ) x;", "  ) x;\n  y;", "", true},
		{"a constructor", source.Java, false, java, "b();", "c();", "", false},
		{"an error in a constructor", source.Java, false, java, "b();", "else c();", "line 6: ", false},
		{"an error in an inner class", source.Java, false, java, "return 2;", "return return 2;", "line 13: ", false},
		{"a field", source.Java, false, java, "int c;", "int c, ;", "line 10: ", false},
		{"an error in a class", source.Ruby, true, ruby, "    2\n", "    g(1, , 2)\n", "line 7: ", false},
	} {
		if testing.Short() && tc.slow {
			continue
		}
		if strings.Count(tc.text, tc.from) != 1 {
			t.Fatalf("%s: %q is not unique", tc.name, tc.from)
		}
		r, err := syntaxdiff.Compare(t.Context(), parsers, tc.lang, syntaxdiff.Change{Before: []byte(tc.text), After: []byte(strings.Replace(tc.text, tc.from, tc.to, 1))})
		if err != nil {
			t.Fatal(err)
		}
		if got := first(r.Added); (got == "") != (tc.added == "") || !strings.HasPrefix(got, tc.added) {
			t.Errorf("%s, %s: added %q, want %q", tc.lang, tc.name, got, tc.added)
		}
		if (r.Unchecked != "") != tc.unchecked || (r.Parser == "") != tc.unchecked {
			t.Errorf("%s, %s: unchecked %q, parser %q", tc.lang, tc.name, r.Unchecked, r.Parser)
		}
	}
}

// limitedChecker finds an error at each line that is "!", and fails at "?".
type limitedChecker struct{ source.Parser }

func (limitedChecker) Name() string                 { return "limited" }
func (limitedChecker) Languages() []source.Language { return []source.Language{"toy"} }
func (limitedChecker) Parse(context.Context, []byte, source.Language, source.Options) (*source.File, error) {
	return nil, errors.New("no declarations")
}

func (limitedChecker) Check(_ context.Context, src []byte, _ source.Language) (problems []source.Problem, err error) {
	for i, line := range strings.Split(string(src), "\n") {
		switch {
		case line == "?":
			return nil, errors.New("cannot be read\nat all")
		case line == "!" && len(problems) < source.MaxProblems:
			problems = append(problems, source.Problem{Line: int32(i + 1), Message: "wrong"})
		}
	}
	return problems, nil
}

func TestCompare_Unchecked(t *testing.T) {
	many := strings.Repeat("!\n", source.MaxProblems)
	parsers := source.NewParsers(limitedChecker{})
	for _, tc := range []struct {
		name, before, after string
		lang                source.Language
		unchecked           string
		added, kept         int
	}{
		{"no checker", "a", "b", "other", "no grammar for other", 0, 0},
		{"an unreadable text", "a", "?", "toy", "cannot be read", 0, 0},
		{"an unreadable text before", "?", "!", "toy", "cannot be read", 0, 0},
		{"many errors", many + "a\n", many + "b\n!\n", "toy", "the text had 20 syntax errors or more before", 0, 20},
		{"an old error", "!\na\n", "!\nb\n", "toy", "the new code, as its place had a syntax error before (line 1: wrong) that can hide others", 0, 1},
		{"an error that moves", "a\nb\n!\n", "c\nd\ne\nb\n!\n", "toy", "the new code, as its place had a syntax error before (line 3: wrong) that can hide others", 0, 1},
		{"one more error", "a\n!\n", "!\na\n!\n", "toy", "", 1, 1},
		{"a text that ends in an error", "a\n!", "b\n!\n!", "toy", "", 1, 1},
	} {
		r, err := syntaxdiff.Compare(t.Context(), parsers, tc.lang, syntaxdiff.Change{Before: []byte(tc.before), After: []byte(tc.after)})
		if err != nil || r.Unchecked != tc.unchecked || len(r.Added) != tc.added || len(r.Kept) != tc.kept {
			t.Errorf("%s: %+v, %v", tc.name, r, err)
		}
	}
}

func TestCompare_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the caller has left")
	cancel(reason)
	if r, err := syntaxdiff.Compare(ctx, parsersOf(t), source.C, syntaxdiff.Change{Before: []byte("a"), After: []byte("b")}); !errors.Is(err, reason) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A statement that follows a function of Python by its indentation is an error only if the function is edited.
func TestCompare_OutsideFunction(t *testing.T) {
	const text = "class C:\n    # B.\n    @d\n    def b(self):\n        return 2\n\n    def c(self):\n        return 3\n"
	parsers := parsersOf(t)
	start, end := strings.Index(text, "    # B."), strings.Index(text, "\n\n")
	for _, tc := range []struct{ name, code, added string }{
		{"after it", "        return 2\n    print(1)", "line 6: the indentation puts this statement outside of the function"},
		{"a comment", "        return 2\n    # print(1)", ""},
		{"another function", "        return 2\n\n    def e(self):\n        return 4", ""},
		{"between two functions", "        return 2\n    x = 1\n    def e(self):\n        return 4", "line 6: "},
		{"a string", "        return \"\"\"\nx\n\"\"\"", ""},
	} {
		after := strings.Replace(text, "        return 2", tc.code, 1)
		for _, inFunction := range []bool{true, false} {
			change := syntaxdiff.Change{Before: []byte(text), After: []byte(after)}
			want := ""
			if inFunction {
				change.Start, change.End = start, end
				want = tc.added
			}
			r, err := syntaxdiff.Compare(t.Context(), parsers, source.Python, change)
			if got := first(r.Added); err != nil || (got == "") != (want == "") || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q, %v", tc.name, got, want, err)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	if got := syntaxdiff.Format(source.Problem{Message: "wrong"}); got != "wrong" {
		t.Error(got)
	}
}
