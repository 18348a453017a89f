package python_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/python"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

var update = flag.Bool("update", false, "write the tables anew; then read what changed in them")

func TestFiles(t *testing.T) {
	parsecheck.Tables(t, ".py", *update, func(src []byte) *source.File { return read(t, src, source.Options{}) })
}

// read parses a text and fails the test if the scanner is unsure.
func read(t testing.TB, src []byte, o source.Options) *source.File {
	t.Helper()
	f, err := python.Parse(context.Background(), src, source.Python, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants(src, f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestUnsure(t *testing.T) {
	for _, tc := range []struct{ name, src, reason string }{
		{"open bracket", "def a():\n  f(\n", "a bracket is not closed"},
		{"mismatch", "def a():\n  f(]\n", "the brackets do not match"},
		{"bracket too many", "def a():\n  f())\n", "a bracket closes that was not opened"},
		{"open string", "def a():\n  s = 'x\n", "a string is not closed"},
		{"open docstring", "def a():\n  \"\"\"x\n\"\"", "a string is not closed"},
		{"open field", "def a():\n  f'{x'\n", "a string is not closed"},
		{"deeper", "def a():\n  x\n    y\n", "a line is indented deeper without a reason"},
		{"between", "def a():\n    x\n  y\n", "a line is indented as none before it"},
		{"no body", "def a():\nx\n", "a block without statements"},
		{"no colon", "def a()\n  x\n", "the head of a declaration without its colon"},
		{"no colon of a block", "def a():\n  if x\n    y\n", "the head of a block without its colon"},
		{"no name", "def a(): pass\ndef (): pass\n", "a declaration without a name"},
		{"no declaration", "def a(): pass\n@b\nc\n", "a decorator without a declaration"},
		{"backslash", "def a(): pass\nx = \\ 1\n", "a backslash outside of strings"},
		{"deep", "def a():\n  x = " + strings.Repeat("(", 100_000), "brackets are nested too deep"},
		{"deep fields", "def a():\n  x = " + strings.Repeat("f'{", 100_000), "a string is not closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := python.Parse(context.Background(), []byte(tc.src), source.Python, source.Options{Calls: true})
			var unsure *source.UnsureError
			if !errors.As(err, &unsure) || unsure.Reason != tc.reason {
				t.Fatalf("%v, want %q", err, tc.reason)
			}
			if err := parsertest.Invariants([]byte(tc.src), f); err != nil {
				t.Error(err)
			}
			if f.Chunks[0].Name != "a" {
				t.Errorf("the guess begins with %+v", f.Chunks[0])
			}
		})
	}
}

func TestCalls(t *testing.T) {
	src := []byte(`one(two (3), a.b.four()[5](6))
@seven(eight)
def f(x=nine()) -> ten():
    if eleven(): return x.twelve \
        (1)
    g = lambda a=thirteen(): fourteen(
        f"{fifteen(1)}" )
    class C(sixteen()):
        y = seventeen()
    print("eighteen()"); (nineteen
        (1))
    match twenty():
        case P(1) if guard(): not (1)
    match(x)
`)
	f := read(t, src, source.Options{Calls: true})
	var got []string
	for _, c := range f.Calls {
		in := "-"
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Name
		}
		got = append(got, fmt.Sprintf("%d %s in %s", c.Line, c.Name, in))
	}
	want := []string{
		"1 one in -", "1 two in -", "1 four in -", "2 seven in f", "3 nine in f", "3 ten in f", "4 eleven in f", "4 twelve in f",
		"6 thirteen in f", "6 fourteen in g", "7 fifteen in g", "8 sixteen in f", "9 seventeen in f",
		"10 print in f", "10 nineteen in f", "12 twenty in f", "13 guard in f", "14 match in f",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := []byte(strings.Repeat("def f(): g()\n", 1<<17))
	if _, err := python.Parse(ctx, src, source.Python, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The time to read an endless repetition is proportional to its length. Short tests read shorter texts, which only exponential
// work would take longer over.
func TestParse_Repetitions(t *testing.T) {
	length := 1 << 18
	if testing.Short() {
		length = 1 << 13
	}
	for _, one := range []string{
		"(", "[", ")", "'", "\"", "\"\"\"", "f'{", "f'", "f'{'", "\\", "\\\n", " ", "\n", "\t", "#", "#\n", "@", "@a\n", "a = ", "a, ", "lambda: ", "a = lambda: ",
		"a = lambda b=", "f = (lambda: (", "if x: ", "def f(): ", "def f", "class A: ", "a; ", "match (", "case x: ", "import a, ", "from a import ", "from . ",
		"type X = ", ": ", "x: y = ", "a = lambda: 0; ", "if lambda: x: ", "if lambda ", "'\\", "'''\\'", "a.b.", "a = (", "a[", "if a: b = lambda: (lambda: 0)\n",
	} {
		for _, before := range []string{"", "def f():\n  ", "x = f'''{"} {
			src := []byte(before + strings.Repeat(one, length/len(one)))
			begun := time.Now()
			file, err := python.Parse(context.Background(), src, source.Python, source.Options{Calls: true})
			var unsure *source.UnsureError
			if err != nil && !errors.As(err, &unsure) {
				t.Fatal(err)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%q after %q took %v", one, before, took)
			}
			if len(file.Chunks) < 2000 { // the check takes time for each
				if err := parsertest.Invariants(src, file); err != nil {
					t.Errorf("%q after %q: %v", one, before, err)
				}
			}
		}
	}
}

// BenchmarkParse parses the standard library of Python, including the work of the Builder.
func BenchmarkParse(b *testing.B) {
	dir := corpus.Debian(b, "libpython3.11-stdlib")
	var all [][]byte
	size := 0
	for _, path := range corpus.Files(b, dir, ".py") {
		src, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, src)
		size += len(src)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range all {
			if _, err := python.Parse(context.Background(), src, source.Python, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.py")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := python.Parse(context.Background(), src, source.Python, source.Options{Calls: true})
		var unsure *source.UnsureError
		if err != nil && !errors.As(err, &unsure) {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Fatal(err)
		}
	})
}
