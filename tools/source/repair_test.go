package source_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// names are the names of the functions and types of a text.
func names(f *source.File) []string {
	var all []string
	for i := range f.Chunks {
		if c := &f.Chunks[i]; c.Kind.IsCallable() || c.Kind.IsType() {
			all = append(all, c.Name)
		}
	}
	return all
}

// withoutEach calls do with a text that lacks one of its brackets, for each of them.
func withoutEach(src string, do func(damaged string, at int)) {
	for at := range len(src) {
		if strings.IndexByte("()[]{}", src[at]) >= 0 {
			do(src[:at]+src[at+1:], at)
		}
	}
}

// damagedTexts are texts that are laid out as their language is usually.
var damagedTexts = map[source.Language]string{
	source.Go: `package p

type T struct{ a int }

// One is.
func One(a int) (b []int) {
	if a > 0 {
		b = append(b, f(a[1]))
	}
	for range 3 {
	}
	return b
}

func (t *T) Two() {
	go func() {
		g(t)
	}()
}

// Three is.
func Three() int { return f(T{1}) }

func Four() {}
`,
	source.Python: `class T:
    """Says."""

    @d(1)
    def one(self, a):
        if f(a[1]):
            return {1: (2)}
        return None

    def two(self):
        def inner():
            return [1]
        return inner()

def three(a=(1, 2)):
    return a

@d
def four():
    pass
`,
	source.TypeScript: `export class T {
  one(a: number): number {
    if (a > 0) {
      return f(a[1]);
    }
    return a;
  }

  /** Says. */
  two(): void {
    run(() => {
      g({ a: 1 });
    });
  }
}

function three(a: number) {
  return [a];
}

const four = (a: number) => {
  return a;
};
`,
	source.Java: `package p;

class T {
    int one(int a) {
        if (a > 0) {
            return f(a[1]);
        }
        return 1;
    }

    /** Says. */
    @Override
    public void two() {
        run(() -> {
            g(1);
        });
    }

    static void three() {
        int[] a = {1, 2};
    }
}

class U {
    void four() {
    }
}
`,
}

// A text that lacks a bracket keeps its declarations, but perhaps that in which the bracket is missing.
func TestParsers_Parse_MissingBracket(t *testing.T) {
	parsers := source.NewParsers(outline.Parser{}, golang.Parser{})
	for lang, src := range damagedTexts {
		whole, err := parsers.Parse(t.Context(), []byte(src), lang, source.Options{})
		if err != nil || len(whole.Problems) > 0 {
			t.Fatalf("%s: %v, %+v", lang, err, whole.Problems)
		}
		want := names(whole)
		withoutEach(src, func(damaged string, at int) {
			f, err := parsers.Parse(t.Context(), []byte(damaged), lang, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := parsertest.Invariants([]byte(damaged), f); err != nil {
				t.Error(err)
			}
			missing := 0
			got := names(f)
			for _, name := range want {
				if !slices.Contains(got, name) {
					missing++
				}
			}
			line := 1 + strings.Count(src[:at], "\n")
			if missing > 1 {
				t.Errorf("%s without %q in line %d declares %q", lang, src[at], line, got)
			}
			if len(f.Problems) == 0 {
				t.Errorf("%s without %q in line %d has no problem", lang, src[at], line)
			}
		})
	}
}

// No chunk with certain bounds reaches into a declaration that it does not contain in the whole text.
func TestFile_CheckBounds(t *testing.T) {
	parsers := source.NewParsers(outline.Parser{}, golang.Parser{})
	for lang, src := range damagedTexts {
		whole, err := parsers.Parse(t.Context(), []byte(src), lang, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		withoutEach(src, func(damaged string, at int) {
			f, err := parsers.Parse(t.Context(), []byte(damaged), lang, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			moved := func(pos int32) int32 {
				if int(pos) > at {
					return pos - 1
				}
				return pos
			}
			for i := range f.Chunks {
				c := &f.Chunks[i]
				if !c.Kind.IsCallable() || f.CheckBounds([]byte(damaged), i) != nil {
					continue
				}
				for j := range whole.Chunks {
					o := &whole.Chunks[j]
					from, to := moved(o.Start), moved(o.End)
					apart := to <= c.Start || c.End <= from
					around := from <= c.Start && c.End <= to
					inner := c.Start <= from && to <= c.End && o.Parent >= 0 && whole.Chunks[o.Parent].Kind.IsCallable()
					if (o.Kind.IsCallable() || o.Kind.IsType()) && !apart && !around && !inner && moved(o.Ident) != c.Ident {
						t.Errorf("%s without %q in line %d: %s, lines %d to %d, holds a part of %s", lang, src[at], 1+strings.Count(src[:at], "\n"), c.Path(), c.StartLine, c.EndLine, o.Path())
					}
				}
			}
		})
	}
}

func TestParsers_Parse_HostileBrackets(t *testing.T) {
	many := 1 << 16
	if testing.Short() {
		many = 1 << 12
	}
	var deeper strings.Builder
	for i := range min(500, many>>5) {
		deeper.WriteString(strings.Repeat(" ", i) + "f(\n")
	}
	parsers := source.NewParsers(outline.Parser{}, golang.Parser{})
	for about, src := range map[string]string{
		"opening":         strings.Repeat("(", many),
		"closing":         strings.Repeat("}\n", many),
		"lines":           strings.Repeat("f(\n", many/2),
		"deeper":          deeper.String(),
		"mixed":           strings.Repeat("{(]\n ", many/2),
		"templates":       strings.Repeat("`${", many/2),
		"strings":         strings.Repeat("\"'`", many/2),
		"here-documents":  strings.Repeat("<<A ", many) + "\n",
		"regexps":         strings.Repeat("/[", many/2),
		"a closing brace": "func f() {\n}\n}\n",
	} {
		for _, lang := range parsers.Languages() {
			src := []byte("package p\n" + src)
			f, err := parsers.Parse(t.Context(), src, lang, source.Options{})
			if err != nil {
				continue
			}
			if err := parsertest.Invariants(src, f); err != nil {
				t.Errorf("%s, %s: %v", about, lang, err)
			}
		}
	}
}

func FuzzParsers_Parse(f *testing.F) {
	for lang, src := range damagedTexts {
		f.Add([]byte(src), string(lang))
	}
	f.Add([]byte("class A {\r\n\tf( {\r\n}\n#if X\n{\n#else\n{\n#endif\n"), "cpp")
	parsers := source.NewParsers(outline.Parser{}, golang.Parser{})
	f.Fuzz(func(t *testing.T, src []byte, lang string) {
		file, err := parsers.Parse(context.Background(), src, source.Language(lang), source.Options{Calls: true})
		if err != nil {
			return
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Fatal(err)
		}
		for i := range file.Chunks {
			file.CheckBounds(src, i)
		}
	})
}
