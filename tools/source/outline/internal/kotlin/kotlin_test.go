package kotlin_test

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

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/kotlin"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

var update = flag.Bool("update", false, "write the expected chunks anew; then read what changed in them")

// TestCases reads the cases in testdata: a name after ===, Kotlin code, and after --- the expected
// result. Each chunk has a line with its line range, kind, path and signature, and the first line
// of its documentation. The results were checked by hand, and their lines against the Kotlin
// compiler.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("only %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var written strings.Builder
		for _, one := range strings.Split(string(text), "=== ")[1:] {
			name, rest, _ := strings.Cut(one, "\n")
			src, want, found := strings.Cut(rest, "\n---\n")
			if !found {
				t.Fatalf("%s: %s expects nothing", file, name)
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				got := render(t, []byte(src))
				fmt.Fprintf(&written, "=== %s\n%s\n---\n%s\n", name, src, got)
				if got != strings.TrimRight(want, "\n")+"\n" && !*update {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.TrimRight(written.String(), "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func render(t *testing.T, src []byte) string {
	t.Helper()
	f, err := kotlin.Parse(context.Background(), src, source.Kotlin, source.Options{Calls: true})
	var unsure *source.UnsureError
	if err != nil && !errors.As(err, &unsure) {
		t.Fatal(err)
	}
	if err := parsertest.Invariants(src, f); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, c := range f.Chunks {
		fmt.Fprintf(&b, "%d-%d %s %s | %s", c.Line, c.EndLine, c.Kind, c.Path(), c.Signature)
		if c.DocEnd > 0 {
			doc, _, _ := strings.Cut(string(src[c.Doc:c.DocEnd]), "\n")
			fmt.Fprintf(&b, " | %s", doc)
		}
		b.WriteByte('\n')
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "%d import %s\n", i.Line, i.Path)
	}
	for _, c := range f.Calls {
		in := "nothing"
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Path()
		}
		fmt.Fprintf(&b, "%d call of %s in %s\n", c.Line, c.Name, in)
	}
	if unsure != nil {
		fmt.Fprintf(&b, "unsure: %v\n", unsure)
	}
	return b.String()
}

// sources are the Kotlin of all cases.
func sources(t testing.TB) []string {
	t.Helper()
	var all []string
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range strings.Split(string(text), "=== ")[1:] {
			_, rest, _ := strings.Cut(one, "\n")
			src, _, _ := strings.Cut(rest, "\n---\n")
			all = append(all, src)
		}
	}
	return all
}

// TestEncodings checks that a byte-order mark and other line ends do not change the result.
func TestEncodings(t *testing.T) {
	for _, src := range sources(t) {
		want := outlined(t, src)
		if got := outlined(t, strings.ReplaceAll(src, "\n", "\r\n")); got != want {
			t.Errorf("with carriage returns\n%s\nwant\n%s", got, want)
		}
		if got := outlined(t, "\ufeff"+src); got != want && !strings.HasPrefix(src, "#!") {
			t.Errorf("after a byte-order mark\n%s\nwant\n%s", got, want)
		}
	}
}

func outlined(t testing.TB, src string) string {
	t.Helper()
	f, err := kotlin.Parse(context.Background(), []byte(src), source.Kotlin, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(src), f); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, c := range f.Chunks {
		fmt.Fprintf(&b, "%d-%d-%d %s %s | %s\n", c.StartLine, c.Line, c.EndLine, c.Kind, c.Path(), c.Signature)
	}
	return b.String()
}

// TestParse_HostileTexts checks that invalid texts end in bounded time and memory with an
// UnsureError.
func TestParse_HostileTexts(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 3000
	}
	nested := func(open, within, close string) string {
		return strings.Repeat(open, n) + within + strings.Repeat(close, n)
	}
	for name, src := range map[string]string{
		"round brackets":       "val x = " + nested("(", "1", ")"),
		"curly brackets":       "fun f() " + nested("{", "", "}"),
		"square brackets":      "val x = " + nested("[", "", "]"),
		"types":                "val x: " + nested("(", "A", ")") + " = 1",
		"type arguments":       "val x: " + nested("A<", "A", ">") + "? = a <",
		"classes":              nested("class A {", "", "}"),
		"enums":                nested("enum class A { A {", "", "}}"),
		"objects":              "val x = " + nested("object { val x = ", "1", "}"),
		"local functions":      nested("fun f() = fun g() = ", "1", ""),
		"lambdas":              nested("val f = {", "", "}"),
		"lambdas that are not": nested("val f = {", "", "}()\n"),
		"templates":            "val x = " + nested(`"${`, "1", `}"`),
		"parameters":           nested("fun f(a: A = fun(", "", ")"),
		"annotations":          nested("@A(", "", ")") + "class A",
		"comments":             nested("/*", "", ""),
		"ifs":                  "val x = " + strings.Repeat("if (a) ", n) + "1",
		"comparisons":          "val x = a" + strings.Repeat(" < b", n),
		"comparisons and so":   strings.Repeat("val x = a < b(", n),
		"by":                   strings.Repeat("class A : B by object : ", n),
		"constructors":         strings.Repeat("class A @a(\n", n),
		"annotated lambdas":    strings.Repeat("val a = b @c({ ", n),
		"quotes":               strings.Repeat(`"`, n+1),
		"back-quotes":          strings.Repeat("`\nval ", n),
		"blanks":               "// a\n" + strings.Repeat(" ", n) + strings.Repeat("val a;", n),
		"labels":               "val x = " + strings.Repeat("a@ ", n),
		"else":                 "val x = " + strings.Repeat("else ", n),
		"closing":              strings.Repeat("}])", n),
		"one line":             strings.Repeat("class A { fun f() = a.b { c } ; val d by e(1) } ;", n),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			f, err := kotlin.Parse(context.Background(), []byte(src), source.Kotlin, source.Options{Calls: true})
			var unsure *source.UnsureError
			if err != nil && !errors.As(err, &unsure) {
				t.Fatal(err)
			}
			if len(f.Chunks) < 100_000 { // the check of lines takes its time
				if err := parsertest.Invariants([]byte(src), f); err != nil {
					t.Error(err)
				}
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v for %d bytes", took, len(src))
			}
		})
	}
}

// TestUnsure checks the texts for which the scanner returns an UnsureError.
func TestUnsure(t *testing.T) {
	for name, tc := range map[string]struct {
		src  string
		line int
	}{
		"a bracket is missing":     {"class A {\n fun f() {\n}\n", 1},
		"a bracket too many":       {"class A {\n}\n}\n", 3},
		"brackets cross":           {"fun f() {\n foo(a]\n}\n", 2},
		"a string is open":         {"val a = 1\nval b = \"x\n", 2},
		"a raw string is open":     {"val a = 1\nval b = \"\"\"x\n", 2},
		"a comment is open":        {"val a = 1\n/* /* */\n", 2},
		"an operand is missing":    {"class A {\n val a =\n}\n", 3},
		"a statement in a class":   {"class A {\n val a = 1\n println()\n}\n", 3},
		"a character is not ended": {"val a = 1\nval b = 'x\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := kotlin.Parse(context.Background(), []byte(tc.src), source.Kotlin, source.Options{})
			var unsure *source.UnsureError
			if !errors.As(err, &unsure) || unsure.Line != tc.line {
				t.Fatalf("got %v, want doubts about line %d", err, tc.line)
			}
			if f == nil || len(f.Chunks) == 0 {
				t.Error("there is no best guess")
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := kotlin.Parse(ctx, []byte("class A"), source.Kotlin, source.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range sources(f) {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := kotlin.Parse(context.Background(), src, source.Kotlin, source.Options{Calls: true})
		var unsure *source.UnsureError
		if err != nil && !errors.As(err, &unsure) {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Error(err)
		}
		again, _ := kotlin.Parse(context.Background(), src, source.Kotlin, source.Options{})
		if !slices.Equal(file.Chunks, again.Chunks) {
			t.Error("looking for calls changes what is declared")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	dense := strings.Join(sources(b), "\n\n")
	for name, src := range map[string]string{"usual": usual, "dense": dense} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(src, 1+200_000/len(src)))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := kotlin.Parse(context.Background(), text, source.Kotlin, source.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// usual is code as most of it is: more bodies than declarations.
const usual = `
/**
 * Keeps what was fetched until it is too old.
 *
 * @param limit the number of entries
 */
internal class Cache<K : Any, V>(private val limit: Int, private val clock: Clock = SystemClock) : Store<K, V> {
  private val entries = LinkedHashMap<K, Entry<V>>()

  override suspend fun fetch(key: K, load: suspend (K) -> V): V {
    val known = entries[key]
    if (known != null && clock.now() < known.until) {
      return known.value
    }
    // Nothing is known, or no longer.
    val value = withContext(Dispatchers.IO) {
      try {
        load(key)
      } catch (e: IOException) {
        Log.w(TAG, "could not load ${key}: ${e.message}", e)
        throw StoreException("could not load $key", e)
      }
    }
    entries[key] = Entry(value, clock.now() + lifetime)
    while (entries.size > limit) {
      val oldest = entries.entries.minByOrNull { (_, entry) -> entry.until } ?: break
      entries.remove(oldest.key)
    }
    return value
  }

  val size: Int
    get() = entries.values.count { it.until > clock.now() }

  private fun describe(entry: Entry<V>): String = when (entry.value) {
    is Collection<*> -> "a collection"
    null -> "nothing"
    else -> entry.value.toString().take(80)
  }
}
`

// The types of suspending functions are no calls.
func TestParse_SuspendIsNoCall(t *testing.T) {
	const src = "fun f() {\n  val load: suspend (Int) -> Int = { it }\n  run(load as suspend (Int) -> Int)\n  g()\n}\n"
	file, err := kotlin.Parse(context.Background(), []byte(src), source.Kotlin, source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range file.Calls {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if want := []string{"g", "run"}; !slices.Equal(names, want) {
		t.Errorf("calls %q, want %q", names, want)
	}
}
