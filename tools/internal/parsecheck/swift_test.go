package parsecheck_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// swiftPackages are packages of npm with Swift that people wrote: some 1,600
// files, 6.3 MB.
var swiftPackages = [][3]string{
	{"expo-modules-core", "58.0.7", "sha512-Xbpl7tj6amAI6yobCZxIBBaIpt9aUWygTKGjwRmPfp+HlXDlV1SutJL+C6Z+buDRiz3NFJs7h8KElJva7iOWzg=="},
	{"lottie-ios", "4.6.1", "sha512-zw4NjGZHEV0d1uE8NsnZPSauUVXVclOgULhXKHbPdt+kq1gu7Bp9jNngonZt+/u/peDAjMZ1tVM5UY7TMBYLdA=="},
	{"@capacitor/ios", "8.5.2", "sha512-eOT2S67AfTFG7KN0T3oxwAajrJz4rSye+ODfvChiwrk0F/+kWufFM1qU6cDjGJUOfwdAoeuEpZyWHSwZlu4GFg=="},
	{"react-native-vision-camera", "5.2.3", "sha512-OHjgM8BPzxppTqbF1FEltj+fxvisj4xdghM7ypoT1p6cOe28HByhOJP1c7LkBiUiZuotbsdbQwGdJ8nU7ZvPzA=="},
	{"@rnmapbox/maps", "10.3.5", "sha512-ShQppktl1H4HHPp/aninsEVK7+tsHmN48ULxpB1rfmx7W3WogB21Q1NAEw7CzxERnLZveijyutszJG2y3EBn2Q=="},
	{"expo-updates", "57.0.24", "sha512-6n7rBuAn+yjfxGjVf9hPUiMcEW4ggxwlimfO7CJg+OLOJssWsKB1qyp9cj/InHc2XGolpvgigZzECNNFUkv3zA=="},
	{"@stripe/stripe-react-native", "0.78.0", "sha512-EvBhp0OepWncyYSXG3np1O/yPUlzfpoFlXIx5H3lr7A1cIt6sVdru66OTNxSOkLWkHmy65OzHURr+WHpBLdkJg=="},
	{"expo-video", "58.0.1", "sha512-IZM856hT2NlSgAwUfFWEtVy77kqQbREkHyqRtmh8rubD50Lgdi68KMMHo1uM9QDM4b2X/dE5U8+yEIG5zA2h4w=="},
	{"@expo/ui", "58.0.6", "sha512-bp2HrEdD+6BPaD+zhczQ9ZWyu355UE4pzLH1ywh5ByZ0wMYuYDZOb2ctsBmmydV7E8XX7oHDdMrkiCjjEizpPg=="},
	{"expo-contacts", "57.0.6", "sha512-bjgjyefgh82Vo1UY5xjStzg+opEQzPRltiIC1wfpPn4ZqUsm3pC0obHr8QF7ha+IU758cYXvvI1jZquvaJfdNA=="},
	{"expo-dev-launcher", "57.0.20", "sha512-F6oAHaDn9j3L/gyMGE+OalriX6PHZWnZLxpN5jc6crTrp8f6hSwGhmsHpAvdOzijfMjyi3R2UkcISFsCIIQYFA=="},
	{"react-native-ios-utilities", "5.2.0", "sha512-RTw1Gk8rQhBL43+U80I+Nu8T7mLTNkj5RaG8vTs3ETEDqphS3L0Mrzk79RX0Jmm64HMad70GXHctXFlW1n0V8w=="},
	{"expo", "58.0.0", "sha512-/KiC8tFY0hHl/mm49AFgNUFEQbnPthVh9o7EuDCSnTVpor8Cm/x1oqRyE97dxPT640lwuHO55xFO6OXopzjKXA=="},
}

func swiftCorpora(t testing.TB) []project {
	var all []project
	for _, p := range swiftPackages {
		all = append(all, sources(t, p[0], corpus.NPM(t, p[0], p[1], p[2]), nil, ".swift"))
	}
	return all
}

// swiftPart picks the chunks of a comparison.
type swiftPart func(c *source.Chunk) bool

func swiftCode(c *source.Chunk) bool {
	return c.Kind.IsCallable() || c.Kind.IsType() || c.Kind == source.Macro
}

func swiftValues(c *source.Chunk) bool { return c.Kind.IsValue() }

// swiftFound parses all corpora once and returns the declarations of each part. Files with parse
// errors are excluded.
func swiftFound(t testing.TB, p source.Parser, corpora []project, parts ...swiftPart) []parsecheck.Found {
	found := make([]parsecheck.Found, len(parts))
	for i := range found {
		found[i] = parsecheck.Found{}
	}
	for _, c := range corpora {
		for _, path := range c.files {
			src, err := os.ReadFile(filepath.Join(c.dir, path))
			if err != nil {
				t.Fatal(err)
			}
			f, err := p.Parse(context.Background(), src, source.Swift, source.Options{})
			if err != nil {
				t.Fatalf("%s/%s: %v", c.name, path, err)
			}
			if len(f.Problems) > 0 {
				continue
			}
			for i, is := range parts {
				decls := []parsecheck.Decl{}
				for j := range f.Chunks {
					if c := &f.Chunks[j]; is(c) {
						decls = append(decls, parsecheck.Decl{Kind: c.Kind.String(), Name: c.Path(), Start: int(c.Line), End: int(c.EndLine)})
					}
				}
				found[i][c.name+"/"+path] = decls
			}
		}
	}
	return found
}

// TestSwift compares the scanner with the grammar of tree-sitter, because the test has no Swift
// compiler: first callables, types and macros, then properties, variables and cases. Files with
// errors in the grammar are excluded. A type alias that continues with & in the next line differs,
// because the grammar ends it too early.
func TestSwift(t *testing.T) {
	t.Parallel()
	corpora := swiftCorpora(t)
	want := swiftFound(t, grammarOf(t), corpora, swiftCode, swiftValues)
	got := swiftFound(t, outline.Parser{}, corpora, swiftCode, swiftValues)
	require(t, parsecheck.Compare(want[0], got[0]), 99.8)
	require(t, parsecheck.Compare(want[1], got[1]), 99.8)
}

// TestSwiftInvariants checks the invariants of every file, with calls.
func TestSwiftInvariants(t *testing.T) {
	t.Parallel()
	for _, c := range swiftCorpora(t) {
		for _, path := range c.files {
			src, err := os.ReadFile(filepath.Join(c.dir, path))
			if err != nil {
				t.Fatal(err)
			}
			f, err := outline.Parser{}.Parse(t.Context(), src, source.Swift, source.Options{Calls: true})
			if err != nil {
				t.Errorf("%s/%s: %v", c.name, path, err)
			}
			if err := parsertest.Invariants(src, f); err != nil {
				t.Errorf("%s/%s: %v", c.name, path, err)
			}
		}
	}
}

func BenchmarkSwift(b *testing.B) {
	var texts [][]byte
	size := 0
	for _, c := range swiftCorpora(b) {
		for _, path := range c.files {
			src, err := os.ReadFile(filepath.Join(c.dir, path))
			if err != nil {
				b.Fatal(err)
			}
			texts, size = append(texts, src), size+len(src)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range texts {
			if _, err := (outline.Parser{}).Parse(b.Context(), src, source.Swift, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
