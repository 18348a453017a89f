package java_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/java"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

var update = flag.Bool("update", false, "write the tables anew; then read what changed in them")

func TestFiles(t *testing.T) {
	parsecheck.Tables(t, ".java", *update, func(src []byte) *source.File { return read(t, src, source.Options{}) })
}

// read parses a text and fails the test if the scanner is unsure.
func read(t testing.TB, src []byte, o source.Options) *source.File {
	t.Helper()
	f, err := java.Parse(context.Background(), src, source.Java, o)
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
		{"open body", "class A { void f() { }", "the body of a type is not closed"},
		{"open block", "class A { void f() { int x; ", "a bracket is not closed"},
		{"mismatch", "class A { void f() { g(]; } }", "the brackets do not match"},
		{"bracket too many", "class A { } }", "a bracket closes that was not opened"},
		{"open comment", "class A { /* }", "a comment is not closed"},
		{"open string", "class A { String s = \"a\n; }", "a string is not closed"},
		{"open text block", "class A { String s = \"\"\"\n a\"\"; }", "a text block is not closed"},
		{"escape", `class A { void f() { int \u0061 = 1; } }`, "an escape outside of strings"},
		{"escape in a name", `class A { int \u0061; }`, "a declaration that is not understood"},
		{"no declaration", "class A { int ; void g() { } }", "a declaration that is not understood"},
		{"no body", "class A; class B { }", "a type without a body"},
		{"lambda behind parameters", "class A { A() : B b = () -> 1; }", "a method that is not understood"},
		{"deep", strings.Repeat("class A { ", 300) + strings.Repeat("}", 300), "brackets are nested too deep"},
		{"deep brackets", "class A { int x = " + strings.Repeat("(", 100_000), "brackets are nested too deep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := java.Parse(context.Background(), []byte(tc.src), source.Java, source.Options{Calls: true})
			var unsure *source.UnsureError
			if !errors.As(err, &unsure) || unsure.Reason != tc.reason {
				t.Fatalf("%v, want %q", err, tc.reason)
			}
			if err := parsertest.Invariants([]byte(tc.src), f); err != nil {
				t.Error(err)
			}
			if f.Chunks[0].Name != "A" {
				t.Errorf("the guess begins with %+v", f.Chunks[0])
			}
		})
	}
}

func TestCalls(t *testing.T) {
	src := []byte(`class A extends B {
		Runnable r = () -> one(), s = two(new Three());
		static { four(); }
		A() { super(); this.five(); new ArrayList<String>(6) { void seven() { eight(); } }; }
		@Nine(10) void f() {
			if (a.b.eleven (1)) return;
			Runnable q = () -> twelve();
			thirteen(A::fourteen, x -> fifteen(x));
			class C { int d = sixteen(); }
			Thread.yield();
			switch (x) { case Point(int a, var b) -> { } default -> seventeen(); }
		}
	}`)
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
		"2 one in r", "2 two in -", "2 Three in -", "3 four in -", "4 five in A", "4 ArrayList in A", "4 eight in seven",
		"6 eleven in f", "7 twelve in q", "8 thirteen in f", "8 fifteen in f", "9 sixteen in f", "10 yield in f", "11 seventeen in f",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestParse_SkippedBrackets checks that similar brackets without declarations are skipped.
func TestParse_SkippedBrackets(t *testing.T) {
	for _, tc := range []struct{ code, chunks, calls string }{
		{"if (a()) { b(); } else { c(); }", "", "a b c"},
		{"a(); // new B()\n { c(); }", "", "a c"},
		{"a = new B() // ;\n { void c() { d(); } };", "c", "B d"},
		{"a = new B() /* ; */ { void c() { } };", "c", "B"},
		{"a = new B<>() { int c; };", "c", "B"},
		{"a(new B(1), new C(2) { int d; }, e());", "d", "a B C e"},
		{"int[][] a = new int[][] { { b() }, {} };", "", "b"},
		{"Runnable a = (b) -> c(), d = e -> f(), g = h();", "a d", "c f h"},
		{"Runnable a = (Runnable) b -> { c(); };", "a", "c"},
		{"// a =\n b -> c();", "", "c"},
		{"a(b -> { class C { void d() { e(); } } });", "C d", "a e"},
		{"while (a) { enum B { C } record D(int e) { } interface F { } }", "B C D e F", ""},
		{"switch (a()) { case B: { c(); } case D(int e) -> { f(); } default -> g(); }", "", "a c f g"},
		{"try (a b = c()) { } catch (D e) { f(); } finally { do { g(); } while (h()); }", "", "c f g h"},
		{"new A<B>(c()); new D . E(f); A::new; (g) (h); i /* j */ (k); a.<B>l();", "", "A c E l"},
		{"@A(b()) C d = e(); yield (f()); g.yield();", "", "e f yield"},
		{"a('(', \"{\", \"\"\"\n}\"\"\", ')'); /* { */ b(1 / 2 - 3); // (", "", "a b"},
	} {
		src := "class X { void x() {\n" + tc.code + "\n} }"
		f := read(t, []byte(src), source.Options{Calls: true})
		var chunks, calls []string
		for _, c := range f.Chunks[2:] {
			chunks = append(chunks, c.Name)
		}
		for _, c := range f.Calls {
			calls = append(calls, c.Name)
		}
		if got := strings.Join(chunks, " "); got != tc.chunks {
			t.Errorf("%s\ndeclares %q, want %q", tc.code, got, tc.chunks)
		}
		if got := strings.Join(calls, " "); got != tc.calls {
			t.Errorf("%s\ncalls %q, want %q", tc.code, got, tc.calls)
		}
		sameWithoutCalls(t, []byte(src), true)
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := []byte("class A {" + strings.Repeat(" void f() { g(); }\n", 1<<16) + "}")
	if _, err := java.Parse(ctx, src, source.Java, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The time to read an endless repetition is proportional to its length. Short tests read shorter texts, which only exponential
// work would take longer over.
func TestParse_Repetitions(t *testing.T) {
	length := 1 << 18
	if testing.Short() {
		length = 1 << 12
	}
	for _, one := range []string{
		"(", "{", "[", ")", "}", "class A{", ".<", "new A<", "new A(){", "@A(", "@", "@A ", "a->", "(a)->", "((a))x->", "\"", "\"\"\"", "/*", "'",
		"int a=", "x,", "<", "case a:", "A a = x -> ", "A a = x -> y, ", "\\", "A.", "record a(", "int f(int a,", "enum A{a(", "public ", "import ",
		" ", "\n", "class ", "a.b = x -> y, ", "final class A {} ", "A<", "//\n", "/**/", "int a\n", "default ", "non-sealed ", "module a{requires ",
		"f(g(1), ", "f(\"a\", ", "f(a[", "f(() -> {", "f(x) /",
	} {
		for _, before := range []string{"", "class A { void f() { ", "class A { int x = "} {
			src := []byte(before + strings.Repeat(one, length/len(one)))
			begun := time.Now()
			if _, err := java.Parse(context.Background(), src, source.Java, source.Options{}); errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			file, err := java.Parse(context.Background(), src, source.Java, source.Options{Calls: true})
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

// BenchmarkParse parses the Java sources of React Native, including the work of the Builder.
func BenchmarkParse(b *testing.B) {
	dir := corpus.NPM(b, "react-native", "0.76.5", "sha512-op2p2kB+lqMF1D7AdX4+wvaR0OPFbvWYs+VBE7bwsb99Cn9xISrLRLAgFflZedQsa5HvnOGrULhtnmItbIKVVw==")
	var all [][]byte
	size := 0
	for _, path := range corpus.Files(b, dir, ".java") {
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
			if _, err := java.Parse(context.Background(), src, source.Java, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.java")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		// Skipped text that is not Java may contain the keyword of a type.
		sameWithoutCalls(t, src, false)
	})
}

// sameWithoutCalls fails unless a text has the same declarations whether calls are
// looked for or passed over; a doubtful one, if that is wanted, the same doubt.
func sameWithoutCalls(t *testing.T, src []byte, doubtful bool) {
	t.Helper()
	var doubts [2]*source.UnsureError
	var files [2]*source.File
	for i, calls := range []bool{true, false} {
		file, err := java.Parse(context.Background(), src, source.Java, source.Options{Calls: calls})
		if err != nil && !errors.As(err, &doubts[i]) {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		files[i] = file
	}
	if !doubtful && (doubts[0] != nil || doubts[1] != nil) {
		return
	}
	if diff := cmp.Diff(doubts[0], doubts[1]); diff != "" {
		t.Errorf("%s\n%s", diff, src)
	}
	if diff := cmp.Diff(files[0].Chunks, files[1].Chunks); diff != "" {
		t.Errorf("%s\n%s", diff, src)
	}
}

// Code is passed over by a shorter way if no calls are wanted, and read alike:
// also where it is broken.
func TestParse_SameWithoutCalls(t *testing.T) {
	const text = `class A { Runnable r = () -> { f(g(1), x -> 2, "(", ')', a[b(1)], (c) / 2); }; // )
	void m() { run(new B(1) { void n() { h("\"{", (x == y ? new int[]{1, 2} : z), o.<C>i()); } }, () -> 3);
	for (int i = 0; i < f(1); i++) { enum E { P, Q } record R(int a) {} A a = (b) -> c(d(e)), k = l; s("""
	}) """, /* ) */ t(1)); } u(-1, v - (w), @X(1) y); } }`
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for n := range rounds {
		src := []byte(text)
		for range n % 6 {
			at := random.IntN(len(src))
			src = slices.Insert(src, at, "(){}[];\"'/-<>=@,:\\\n x*"[random.IntN(21)])
		}
		if sameWithoutCalls(t, src, true); t.Failed() {
			return
		}
	}
}
