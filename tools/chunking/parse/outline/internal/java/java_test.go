package java_test

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

	"github.com/dougu-go/dougu/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/outline/internal/java"
)

var update = flag.Bool("update", false, "write the tables anew; then read what changed in them")

func TestFiles(t *testing.T) {
	parsecheck.Tables(t, ".java", *update, func(src []byte) *parse.File { return read(t, src, parse.Options{}) })
}

// read parses what the scanner is sure of.
func read(t testing.TB, src []byte, o parse.Options) *parse.File {
	t.Helper()
	f, err := java.Parse(context.Background(), src, parse.Java, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsecheck.Invariants(src, f); err != nil {
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
			f, err := java.Parse(context.Background(), []byte(tc.src), parse.Java, parse.Options{Calls: true})
			var unsure *parse.UnsureError
			if !errors.As(err, &unsure) || unsure.Reason != tc.reason {
				t.Fatalf("%v, want %q", err, tc.reason)
			}
			if err := parsecheck.Invariants([]byte(tc.src), f); err != nil {
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
	f := read(t, src, parse.Options{Calls: true})
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

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := []byte("class A {" + strings.Repeat(" void f() { g(); }\n", 1<<17) + "}")
	if _, err := java.Parse(ctx, src, parse.Java, parse.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What repeats without an end is read in a time that grows with its length.
func TestHostile(t *testing.T) {
	const length = 1 << 18
	for _, one := range []string{
		"(", "{", "[", ")", "}", "class A{", ".<", "new A<", "new A(){", "@A(", "@", "@A ", "a->", "(a)->", "((a))x->", "\"", "\"\"\"", "/*", "'",
		"int a=", "x,", "<", "case a:", "A a = x -> ", "A a = x -> y, ", "\\", "A.", "record a(", "int f(int a,", "enum A{a(", "public ", "import ",
		" ", "\n", "class ", "a.b = x -> y, ", "final class A {} ", "A<", "//\n", "/**/", "int a\n", "default ", "non-sealed ", "module a{requires ",
	} {
		for _, before := range []string{"", "class A { void f() { ", "class A { int x = "} {
			src := []byte(before + strings.Repeat(one, length/len(one)))
			begun := time.Now()
			file, err := java.Parse(context.Background(), src, parse.Java, parse.Options{Calls: true})
			var unsure *parse.UnsureError
			if err != nil && !errors.As(err, &unsure) {
				t.Fatal(err)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%q after %q took %v", one, before, took)
			}
			if len(file.Chunks) < 2000 { // the check takes time for each
				if err := parsecheck.Invariants(src, file); err != nil {
					t.Errorf("%q after %q: %v", one, before, err)
				}
			}
		}
	}
}

// The files are the Java of React Native; what is measured includes the Builder.
func BenchmarkParse(b *testing.B) {
	dir := parsecheck.NPM(b, "react-native", "0.76.5", "sha512-op2p2kB+lqMF1D7AdX4+wvaR0OPFbvWYs+VBE7bwsb99Cn9xISrLRLAgFflZedQsa5HvnOGrULhtnmItbIKVVw==")
	var all [][]byte
	size := 0
	for _, path := range parsecheck.Files(b, dir, ".java") {
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
			if _, err := java.Parse(context.Background(), src, parse.Java, parse.Options{}); err != nil {
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
		file, err := java.Parse(context.Background(), src, parse.Java, parse.Options{Calls: true})
		var unsure *parse.UnsureError
		if err != nil && !errors.As(err, &unsure) {
			t.Fatal(err)
		}
		if err := parsecheck.Invariants(src, file); err != nil {
			t.Fatal(err)
		}
	})
}
