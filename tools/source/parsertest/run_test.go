package parsertest_test

import (
	"bytes"
	"context"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/testfault"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// keyed is a parser of a language with one declaration a line: "name:".
type keyed struct{ fault string }

func (k keyed) Name() string                 { return "keyed" }
func (k keyed) Languages() []source.Language { return []source.Language{"keyed"} }
func (k keyed) Definitions() []source.Definition {
	if k.fault == "undefined" {
		return nil
	}
	return []source.Definition{{Language: "keyed", Extensions: []string{map[bool]string{false: ".keyed", true: "keyed"}[k.fault == "extension"]}}}
}

func (k keyed) Parse(ctx context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for at := 0; at < len(src); {
		line, _, _ := bytes.Cut(src[at:], []byte("\n"))
		name, _, found := bytes.Cut(line, []byte(":"))
		begin := at + len(name) - len(bytes.TrimLeft(name, "\ufeff"))
		if name = bytes.TrimLeft(name, "\ufeff"); found && len(name) > 0 {
			c := source.Chunk{Kind: source.Function, Name: string(name), Parent: -1, Decl: int32(begin), Ident: int32(begin), End: int32(begin + len(name) + 1)}
			switch k.fault {
			case "range":
				c.End = int32(len(src) + 1)
			case "name":
				c.Name = "other"
			case "panic":
				if bytes.IndexByte(name, 0xff) >= 0 {
					panic("not UTF-8")
				}
			case "changes":
				src[begin] = 'x'
			case "changes invalid text":
				if at == 0 && !utf8.Valid(src) {
					src[begin] = 'x'
				}
			case "concurrent":
				if len(src) < 20 && strings.Contains(string(debug.Stack()), "internal/group.") { // a sample on a goroutine of the kit, not of package testing
					panic("other goroutine")
				}
			case "CRLF":
				if bytes.HasSuffix(line, []byte("\r")) {
					found = false
				}
			}
			if found {
				b.Add(c)
			}
		} else if !found && len(line) > 0 && k.fault != "no problem" {
			b.Problem("a line without a name", at)
		}
		at += len(line) + 1
	}
	return b.File("keyed"), ctx.Err()
}

var keyedSamples = []parsertest.Sample{
	{Language: "keyed", Source: "one:\ntwo:\n", Want: []string{"one", "two"}},
	{Name: "broken", Language: "keyed", Source: "one:\ntwo\n", Want: []string{"one"}, Broken: true},
}

func TestRun(t *testing.T) { parsertest.Run(t, keyed{}, keyedSamples) }

// TestFault runs in the processes of TestRun_Faults.
func TestFault(t *testing.T) { parsertest.Run(t, keyed{testfault.Selected(t)}, keyedSamples) }

// Each violation of the contract fails a test.
func TestRun_Faults(t *testing.T) {
	for fault, want := range map[string]string{
		"undefined": "has no definition", "extension": "lacks the dot", "range": "of 10 bytes", "name": "is not at its offset",
		"panic": "Parse panics: not UTF-8", "changes": "has changed the text", "changes invalid text": "Parse has changed the text",
		"concurrent": "Parse panics while other texts are parsed: other goroutine", "CRLF": "with CRLF the declarations are", "no problem": "reports no problem in a broken text",
	} {
		t.Run(fault, func(t *testing.T) { testfault.Expect(t, fault, "^TestFault$", want) })
	}
}

func ExampleRun() {
	// The test of a package with a parser:
	test := func(t *testing.T) {
		parsertest.Run(t, keyed{}, []parsertest.Sample{
			{Language: "keyed", Source: "one:\ntwo:\n", Want: []string{"one", "two"}},
			{Name: "broken", Language: "keyed", Source: "one", Broken: true},
		})
	}
	_ = test
	// Output:
}

func TestInvariants(t *testing.T) {
	src := []byte("one:\n")
	valid := func() *source.File {
		f, err := keyed{}.Parse(t.Context(), src, "keyed", source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := parsertest.Invariants(src, valid()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*source.File){
		"line":      func(f *source.File) { f.Chunks[0].EndLine++ },
		"end":       func(f *source.File) { f.Chunks[0].End = 9 },
		"name":      func(f *source.File) { f.Chunks[0].Name = "" },
		"signature": func(f *source.File) { f.Chunks[0].Signature = strings.Repeat("x", 2*source.MaxSignature) },
		"call":      func(f *source.File) { f.Calls = []source.Call{{Name: "f", Line: 7, Chunk: -1}} },
		"import":    func(f *source.File) { f.Imports = []source.Import{{Line: 1}} },
	} {
		f := valid()
		if spoil(f); parsertest.Invariants(src, f) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
