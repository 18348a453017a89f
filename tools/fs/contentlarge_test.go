package fs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// encoded returns a text in the given encoding.
func encoded(t testing.TB, text string, e textfile.Encoding, bom bool) string {
	t.Helper()
	raw, err := textfile.Encode(text, e, bom)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestSearchContent_Encodings(t *testing.T) {
	const text = "これは日本語の文章です。\r\nsecond line ソ表\r\n三行目はカタカナ。\r\n"
	p := newProject(t, setup{}, map[string]string{
		"a-utf8": text, "b-bom": "\xEF\xBB\xBF" + text, "c-sjis": encoded(t, text, textfile.ShiftJIS, false), "d-euc": encoded(t, text, textfile.EUCJP, false),
		"e-jis": encoded(t, text, textfile.ISO2022JP, false), "f-utf16le": encoded(t, text, textfile.UTF16LE, true), "g-utf16be": encoded(t, text, textfile.UTF16BE, true),
		"h-latin": "caf\xe9 second\n", "i-broken": "\xff\xfe\xff second\n" + strings.Repeat("\x80", 50), "j-colours": "\x1b[31msecond\x1b[0m\n",
		"k-binary": "second\x00", "l-broken-utf8": "second \xff\xfe\xfa\xfb\n", "m-nul-later": strings.Repeat("x\n", 8000) + "\x00\nsecond",
	})
	p.age(t, "a-utf8", "b-bom", "c-sjis", "d-euc", "e-jis", "f-utf16le", "g-utf16be", "h-latin", "i-broken", "j-colours", "k-binary", "l-broken-utf8", "m-nul-later")
	all := func(line string) string {
		var parts []string
		for _, name := range []string{"a-utf8", "b-bom", "c-sjis", "d-euc", "e-jis", "f-utf16le", "g-utf16be"} {
			parts = append(parts, name+":"+line)
		}
		return strings.Join(parts, " ")
	}
	for _, tt := range []struct{ pattern, want string }{
		{"日本語", all("1")},
		{"^これ", all("1")},
		{"カタカナ。$", all("3")},
		{"second", all("2") + " h-latin:1 i-broken:1 j-colours:1 l-broken-utf8:1 m-nul-later:8002"},
		{"line ソ.$", all("2")},
		{"line .+$", all("2")},
		{"café", "h-latin:1"},
		{"caf. s", "h-latin:1"},
		// In Shift_JIS, the second bytes of ソ and 表 are backslashes; in ISO-2022-JP, kanji are made of ASCII.
		{`\\`, ""},
		{`\$B`, ""},
		{`\x1b\[31m`, "j-colours:1"},
	} {
		got := p.grep(t, fs.SearchContentArgs{Pattern: tt.pattern})
		if found := outline(got); found != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.pattern, found, tt.want)
		}
		if got.Binary != 1 {
			t.Errorf("%s: %d files are binary", tt.pattern, got.Binary)
		}
		for _, f := range got.Files {
			for _, l := range f.Lines {
				if !utf8.ValidString(l.Text) {
					t.Errorf("%s: %s:%d is no UTF-8: %q", tt.pattern, f.Path, l.Line, l.Text)
				}
			}
		}
	}
	if got := p.grep(t, fs.SearchContentArgs{Pattern: "表", Path: "c-sjis"}); got.Files[0].Lines[0].Text != "second line ソ表" {
		t.Errorf("the line is %q", got.Files[0].Lines[0].Text)
	}
}

// Files above the limit for memory are searched in pieces, with the same result.
func TestSearchContent_LargeFiles(t *testing.T) {
	var text strings.Builder
	var hits []int
	for n := 1; text.Len() < 200<<10; n++ {
		switch {
		case n%997 == 0:
			hits = append(hits, n)
			fmt.Fprintf(&text, "line %d has a needle 針\r\n", n)
		default:
			fmt.Fprintf(&text, "line %d%s\r\n", n, strings.Repeat(".", n%50))
		}
	}
	var want, wantContext []string
	for _, n := range hits {
		want = append(want, fmt.Sprint(n))
		wantContext = append(wantContext, fmt.Sprintf("%d-,%d-,%d,%d-,%d-", n-2, n-1, n, n+1, n+2))
	}
	latin := strings.Repeat("plain ascii only\n", 10_000)
	p := newProject(t, setup{maxFile: 64 << 10, answer: 1 << 20}, map[string]string{
		"utf8": text.String(), "bom": "\xEF\xBB\xBF" + text.String(), "sjis": encoded(t, text.String(), textfile.ShiftJIS, false),
		"late-sjis":    latin + encoded(t, "この文章は日本語で書かれています。針\n", textfile.ShiftJIS, false),
		"late-garbage": latin + strings.Repeat("\xff\xfe\xfd needle\n", 1000),
		"binary":       strings.Repeat("\x00needle", 20_000),
		"one-line":     strings.Repeat("x", 300<<10) + "needle", "endless": strings.Repeat("x\n", 600<<10) + "needle\n",
		"crs": strings.Repeat("a\r", 100<<10) + "needle\r",
	})
	for _, path := range []string{"utf8", "bom", "sjis"} {
		for _, pattern := range []string{"needle", "針$", "has a.+"} {
			for _, glob := range []bool{false, true} {
				args := fs.SearchContentArgs{Pattern: pattern, Path: path, MaxResults: 1000}
				if glob {
					args.Path, args.Glob = "", []string{path}
				}
				if got := p.grep(t, args); outline(got) != path+":"+strings.Join(want, ",") || got.TotalMatches != len(hits) {
					t.Errorf("%s in %s: %d matches, %s", pattern, path, got.TotalMatches, outline(got))
				}
				args.Context = 2
				if got := p.grep(t, args); outline(got) != path+":"+strings.Join(wantContext, ",") {
					t.Errorf("%s in %s with context: %s", pattern, path, outline(got))
				}
			}
		}
	}
	for _, tt := range []struct {
		pattern, path, want       string
		matches, binary, tooLarge int
	}{
		{"針", "late-sjis", "late-sjis:10001", 1, 0, 0},
		{"needle$", "late-garbage", "late-garbage:10001", 1000, 0, 0},
		{"needle", "binary", "", 0, 1, 0},
		{"needle", "one-line", "one-line:1", 1, 0, 0},
		{"needle", "crs", "crs:102401", 1, 0, 0},
		{"needle", "endless", "", 0, 0, 1},
	} {
		for _, args := range []fs.SearchContentArgs{{Path: tt.path}, {Glob: []string{tt.path}}} {
			args.Pattern, args.MaxResults = tt.pattern, 1
			got := p.grep(t, args)
			if outline(got) != tt.want || got.TotalMatches != tt.matches || got.Binary != tt.binary || got.TooLarge != tt.tooLarge {
				t.Errorf("%+v: got %s: %d matches, %d binary, %d too large", args, outline(got), got.TotalMatches, got.Binary, got.TooLarge)
			}
		}
	}
	// All of a file is needed to match over lines.
	for _, args := range []fs.SearchContentArgs{{Path: "utf8"}, {Glob: []string{"utf8"}}} {
		args.Pattern, args.Multiline = `needle.*\r?\n`, true
		got := p.grep(t, args)
		if got.TotalMatches != 0 || got.TooLarge != 1 || !strings.Contains(got.TextContent(), "[too large to be searched to the end: 1 file]") {
			t.Errorf("%+v: %d matches, %d too large", args, got.TotalMatches, got.TooLarge)
		}
	}
}

func TestSearchContent_LongLines(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"short": strings.Repeat("あ", 244) + "needle", "start": "needle" + strings.Repeat("あ", 5000), "middle": strings.Repeat("あ", 5000) + "needle" + strings.Repeat("x", 5000),
		"end": strings.Repeat("x", 5000) + "needle", "long": "x" + strings.Repeat("needle", 1000), "context": strings.Repeat("x", 1000) + "\nneedle\n",
	})
	for _, tt := range []struct{ path, before, after string }{
		{"short", strings.Repeat("あ", 244), ""},
		{"start", "", strings.Repeat("あ", 244) + "…"},
		{"middle", "…" + strings.Repeat("あ", 60), strings.Repeat("x", 184) + "…"},
		{"end", "…" + strings.Repeat("x", 60), ""},
	} {
		got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", Path: tt.path}).Files[0].Lines[0].Text
		if want := tt.before + "needle" + tt.after; got != want {
			t.Errorf("%s: got %q, want %q", tt.path, got, want)
		}
	}
	if got := p.grep(t, fs.SearchContentArgs{Pattern: "(needle)+", Path: "long"}).Files[0].Lines[0].Text; utf8.RuneCountInString(got) > 252 || !strings.Contains(got, "xneedle") {
		t.Errorf("a long match: %q", got)
	}
	if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", Path: "context", Context: 1}).Files[0].Lines[0]; !got.Context || got.Text != strings.Repeat("x", 250)+"…" {
		t.Errorf("long context: %+v", got)
	}
}

// A file that changes between the search and the answer is shown as it is then, or left out.
func TestSearchContent_ConcurrentChanges(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "x\nx\nx\n", "b": "x\nx\n", "c": "x\n"})
	p.age(t, "a", "b", "c")
	first := p.grep(t, fs.SearchContentArgs{Pattern: "x", MaxResults: 2})
	if outline(first) != "a:1,2" || first.TotalMatches != 6 {
		t.Fatalf("got %s", outline(first))
	}
	// The rest of the file that the page ended in comes next, though it has changed; another file that has changed since is new.
	p.put(t, "a", "x\nx\nx\nx\n")
	if err := os.Remove(p.path("b")); err != nil {
		t.Fatal(err)
	}
	second := p.grep(t, fs.SearchContentArgs{Pattern: "x", MaxResults: 2, Cursor: first.NextCursor})
	if outline(second) != "a:3,4" || second.TotalMatches != 5 {
		t.Errorf("got %s", outline(second))
	}
	third := p.grep(t, fs.SearchContentArgs{Pattern: "x", MaxResults: 2, Cursor: second.NextCursor})
	if outline(third) != "c:1" || third.NextCursor != "" {
		t.Errorf("got %s, cursor %q", outline(third), third.NextCursor)
	}
}
