package chunking_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// encodedSources are files with two functions. "表", "ソ" and "能" end with a backslash in Shift_JIS. %s is text of the encoding.
var encodedSources = []struct{ file, text string }{
	{"A.kt", "// %s\nclass A {\n    /* %s */\n    fun first(): String {\n        return \"%s\"\n    }\n\n    // %s\n    fun second(): String {\n        return '%s'.toString() + \"%s\"\n    }\n}\n"},
	{"a.c", "/* %s */\n// %s\nint first(void) {\n    puts(\"%s\");\n    return 1; // %s\n}\n\nint second(void) {\n    puts(\"%s\");\n    return 2;\n}\n"},
	{"A.java", "// %s\nclass A {\n    String first() {\n        return \"%s\"; // %s\n    }\n\n    String second() {\n        return \"%s\";\n    }\n}\n"},
	{"a.go", "package a\n\n// first is %s\nfunc first() string {\n\treturn \"%s\" // %s\n}\n\nfunc second() string { return `%s` + \"%s\" }\n"},
	{"a.py", "# %s\nclass A:\n    def first(self):\n        return \"%s\"  # %s\n\n    def second(self):\n        return '%s'\n"},
	{"b.py", "def first():  # %s\n    return 1\ndef second():\n    return '%s'\n"},
	{"a.ts", "// %s\nclass A {\n  first(): string {\n    return \"%s\"; // %s\n  }\n\n  second(): string {\n    return `%s`;\n  }\n}\n"},
}

var encodings = []struct {
	name  string
	words string
	enc   textfile.Encoding
	bom   bool
}{
	{"Shift-JIS", "表示する機能とソース表", textfile.ShiftJIS, false},
	{"EUC-JP", "表示する機能とソース表", textfile.EUCJP, false},
	{"ISO-2022-JP", "表示する機能とソース表", textfile.ISO2022JP, false},
	{"UTF-16LE", "表示する機能とソース表", textfile.UTF16LE, false},
	{"UTF-16BE", "表示する機能とソース表", textfile.UTF16BE, false},
	{"UTF-16LE with a mark", "表示する機能とソース表", textfile.UTF16LE, true},
	{"UTF-16BE with a mark", "表示する機能とソース表", textfile.UTF16BE, true},
	{"UTF-8", "表示する機能とソース表", textfile.UTF8, false},
	{"UTF-8 with a mark", "表示する機能とソース表", textfile.UTF8, true},
	{"Latin-1", "déjà vu à la façade", textfile.Windows1252, false},
}

func TestChunks_Encodings(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			files := make(map[string]string)
			for _, s := range encodedSources {
				text := strings.ReplaceAll(s.text, "%s", e.words)
				raw, err := textfile.Encode(strings.ReplaceAll(text, "\n", "\r\n"), e.enc, e.bom)
				if err != nil {
					t.Fatal(err)
				}
				files[s.file] = string(raw)
			}
			p := newProject(t, chunking.Options{Parsers: parsers}, files)
			if r := p.analyze(t); r.Parsed != len(files) || r.Skipped != 0 {
				t.Errorf("analyzed: %+v", r)
			}
			found, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "second"})
			if err != nil || len(found.Symbols) != len(files) {
				t.Errorf("found %+v: %v", found.Symbols, err)
			}
			for _, s := range encodedSources {
				t.Run(s.file, func(t *testing.T) { checkEncoded(t, p, s.file, files[s.file], e.words, e.enc) })
			}
		})
	}
}

// checkEncoded lists, reads and replaces the functions of a file.
func checkEncoded(t *testing.T, p *project, file, raw, words string, enc textfile.Encoding) {
	listed, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range listed.Functions {
		names = append(names, strings.TrimSuffix(f.ID[strings.LastIndexAny(f.ID, "#.")+1:], "()"))
	}
	if !slices.Equal(names, []string{"first", "second"}) || len(listed.ParseErrors) > 0 || listed.SHA256 != hexDigest(raw) {
		t.Fatalf("listed %q, errors %v", names, listed.ParseErrors)
	}
	for _, f := range listed.Functions {
		got, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: f.ID})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.Code, words) || !strings.Contains(got.Code, "\r\n") && !strings.HasSuffix(file, ".go") {
			t.Errorf("%s is %q", f.ID, got.Code)
		}
		same, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: f.ID, NewCode: got.Code, ExpectedSHA256: got.SHA256})
		if err != nil {
			t.Fatalf("replace %s by itself: %v", f.ID, err)
		}
		if after := p.read(t, file); after != raw || same.SHA256 != hexDigest(raw) {
			t.Fatalf("replaced %s by itself: %q, was %q", f.ID, after, raw)
		}
	}
	second, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: listed.Functions[1].ID})
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(second.Code, words, words+" 1"+words)
	done, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: second.ID, NewCode: changed})
	if err != nil {
		t.Fatal(err)
	}
	after := p.read(t, file)
	old, err := textfile.Decode([]byte(raw), enc)
	if err != nil {
		t.Fatal(err)
	}
	want, err := old.Update(strings.Replace(old.Content, second.Code, changed, 1))
	if err != nil {
		t.Fatal(err)
	}
	if after != string(want) || done.SHA256 != hexDigest(after) {
		t.Errorf("replaced: %q, want %q", after, want)
	}
}
