package fs_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func tag(content string) string { return digest(content)[:12] }

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// samples are one text in every encoding.
var samples = []struct {
	encoding, raw string
	bom           bool
}{
	{"utf-8", "日本語\r\nABC\r\n", false},
	{"utf-8", "\xEF\xBB\xBF日本語\r\nABC\r\n", true},
	{"utf-16le", "\xFF\xFE\xe5\x65\x2c\x67\x9e\x8a\r\x00\n\x00A\x00B\x00C\x00\r\x00\n\x00", true},
	{"utf-16be", "\xFE\xFF\x65\xe5\x67\x2c\x8a\x9e\x00\r\x00\n\x00A\x00B\x00C\x00\r\x00\n", true},
	{"shift-jis", "\x93\xfa\x96\x7b\x8c\xea\r\nABC\r\n", false},
	{"euc-jp", "\xc6\xfc\xcb\xdc\xb8\xec\r\nABC\r\n", false},
	{"iso-2022-jp", "\x1b$BF|K\\8l\x1b(B\r\nABC\r\n", false},
}

func TestRead_Encodings(t *testing.T) {
	for _, s := range samples {
		for _, asked := range []string{"", "auto", s.encoding, strings.ToUpper(s.encoding)} {
			p := newProject(t, setup{}, map[string]string{"f.txt": s.raw})
			got := p.read(t, fs.ReadArgs{Path: "f.txt", Encoding: asked})
			if got.Content != "日本語\r\nABC\r\n" || got.Encoding != s.encoding || got.BOM != s.bom || got.EOL != "crlf" {
				t.Errorf("%s read as %q: %+v", s.encoding, asked, got)
			}
			if got.Size != int64(len(s.raw)) || got.TotalLines != 2 || got.SHA256 != digest(s.raw) || got.Truncated {
				t.Errorf("%s read as %q: %+v", s.encoding, asked, got)
			}
		}
	}
}

func TestRead_EncodingAliases(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"sjis": samples[4].raw, "le": samples[2].raw, "be": samples[3].raw})
	for asked, want := range map[string]string{"cp932": "shift-jis", "SJIS": "shift-jis", "windows-31j": "shift-jis"} {
		if got := p.read(t, fs.ReadArgs{Path: "sjis", Encoding: asked}); got.Encoding != want {
			t.Errorf("%s is %s, want %s", asked, got.Encoding, want)
		}
	}
	if got := p.read(t, fs.ReadArgs{Path: "le", Encoding: "utf-16", StartLine: 2}); got.Content != "ABC\r\n" || got.Encoding != "utf-16le" {
		t.Errorf("utf-16 with the mark of utf-16le: %+v", got)
	}
	if got := p.read(t, fs.ReadArgs{Path: "be", Encoding: "utf-16", StartLine: 2}); got.Content != "ABC\r\n" || got.Encoding != "utf-16be" {
		t.Errorf("utf-16 with the mark of utf-16be: %+v", got)
	}
	_, err := p.Read(t.Context(), fs.ReadArgs{Path: "sjis", Encoding: "klingon"})
	toolsettest.WantError(t, err, "UNKNOWN_ENCODING", "klingon", "shift-jis")
}

func TestRead_MalformedText(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "one\r\ntwo \xFF\xFE\r\n"})
	_, err := p.Read(t.Context(), fs.ReadArgs{Path: "f.txt", Encoding: "utf-8"})
	toolsettest.WantError(t, err, "MALFORMED_TEXT", `"f.txt"`, "byte 9", "line 2", "FF", "windows-1252")
}

func TestRead_ResultMembers(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a/b.txt": "x\n", "link": "-> a/b.txt"})
	changed := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC)
	if err := os.Chtimes(p.path("a/b.txt"), changed, changed); err != nil {
		t.Fatal(err)
	}
	got := p.read(t, fs.ReadArgs{Path: "link"})
	if want := changed.Truncate(time.Millisecond); !got.LastModified.Equal(want) || got.LastModified.Location() != time.UTC {
		t.Errorf("last modified %v, want %v", got.LastModified, want)
	}
	if got.Path != "a/b.txt" {
		t.Errorf("a link leads to %q, want a/b.txt", got.Path)
	}
}

func TestRead_Ranges(t *testing.T) {
	const lf = "one\ntwo\nthree\nfour\nfive" // the last line is not ended
	p := newProject(t, setup{}, map[string]string{
		"lf": lf, "cr": strings.ReplaceAll(lf, "\n", "\r"), "crlf": strings.ReplaceAll(lf, "\n", "\r\n"),
		"mixed": "one\ntwo\r\nthree\rfour\nfive\n", "jp": "あいうえお", "empty": "", "one": "\n",
	})
	tests := []struct {
		name    string
		args    fs.ReadArgs
		content string
		start   int // StartLine
		end     int
		next    int
		offset  int64
		nextOff int64
	}{
		{"whole", fs.ReadArgs{Path: "lf"}, lf, 1, 5, 0, 0, 0},
		{"first lines", fs.ReadArgs{Path: "lf", EndLine: 2}, "one\ntwo\n", 1, 2, 3, 0, 0},
		{"lines", fs.ReadArgs{Path: "lf", StartLine: 2, EndLine: 3}, "two\nthree\n", 2, 3, 4, 0, 0},
		{"one line", fs.ReadArgs{Path: "crlf", StartLine: 3, EndLine: 3}, "three\r\n", 3, 3, 4, 0, 0},
		{"old Mac", fs.ReadArgs{Path: "cr", StartLine: 2, EndLine: 3}, "two\rthree\r", 2, 3, 4, 0, 0},
		{"mixed line ends", fs.ReadArgs{Path: "mixed", StartLine: 2, EndLine: 4}, "two\r\nthree\rfour\n", 2, 4, 5, 0, 0},
		{"rest", fs.ReadArgs{Path: "lf", StartLine: 4}, "four\nfive", 4, 5, 0, 0, 0},
		{"tail", fs.ReadArgs{Path: "lf", StartLine: -2}, "four\nfive", 4, 5, 0, 0, 0},
		{"all but the last", fs.ReadArgs{Path: "lf", EndLine: -2}, "one\ntwo\nthree\nfour\n", 1, 4, 5, 0, 0},
		{"inside from the end", fs.ReadArgs{Path: "mixed", StartLine: -3, EndLine: -2}, "three\rfour\n", 3, 4, 5, 0, 0},
		{"more tail than there is", fs.ReadArgs{Path: "lf", StartLine: -99}, lf, 1, 5, 0, 0, 0},
		{"more than there is", fs.ReadArgs{Path: "lf", StartLine: 5, EndLine: 99}, "five", 5, 5, 0, 0, 0},
		{"bytes", fs.ReadArgs{Path: "lf", Offset: 4, Length: 3}, "two", 0, 0, 0, 4, 7},
		{"bytes to the end", fs.ReadArgs{Path: "lf", Offset: 19}, "five", 0, 0, 0, 19, 0},
		{"bytes beyond the end", fs.ReadArgs{Path: "lf", Offset: 19, Length: 1000}, "five", 0, 0, 0, 19, 0},
		{"bytes at the end", fs.ReadArgs{Path: "lf", Offset: 23}, "", 0, 0, 0, 23, 0},
		{"inside of characters", fs.ReadArgs{Path: "jp", Offset: 1, Length: 3}, "い", 0, 0, 0, 3, 6},
		{"nothing", fs.ReadArgs{Path: "empty"}, "", 0, 0, 0, 0, 0},
		{"lines of nothing", fs.ReadArgs{Path: "empty", StartLine: 1, EndLine: 10}, "", 0, 0, 0, 0, 0},
		{"tail of nothing", fs.ReadArgs{Path: "empty", StartLine: -5, EndLine: -1}, "", 0, 0, 0, 0, 0},
		{"an empty line", fs.ReadArgs{Path: "one", StartLine: -1}, "\n", 1, 1, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.read(t, tt.args)
			if got.Content != tt.content || got.StartLine != tt.start || got.EndLine != tt.end {
				t.Errorf("got lines %d to %d: %q", got.StartLine, got.EndLine, got.Content)
			}
			if got.NextLine != tt.next || got.Offset != tt.offset || got.NextOffset != tt.nextOff {
				t.Errorf("got next line %d, offset %d, next %d", got.NextLine, got.Offset, got.NextOffset)
			}
			if got.Truncated {
				t.Error("truncated, although all is there that was asked for")
			}
			if got.SHA256 != digest(p.bytes(t, tt.args.Path)) {
				t.Error("a part does not tell the sha256 of the file")
			}
		})
	}
}

func TestRead_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "one\ntwo\n", "empty": "", "dir/": "", "zip": "PK\x03\x04\x00\x00\x00\x00"})
	tests := []struct {
		name string
		args fs.ReadArgs
		code string
		says []string
	}{
		{"bytes and lines", fs.ReadArgs{Path: "f", Offset: 1, StartLine: 1}, "INVALID_PARAMS", []string{"offset", "startLine"}},
		{"length and last line", fs.ReadArgs{Path: "f", Length: 1, EndLine: 1}, "INVALID_PARAMS", []string{"length", "endLine"}},
		{"bytes and numbers", fs.ReadArgs{Path: "f", Length: 1, LineNumbers: new(true)}, "INVALID_PARAMS", []string{"length", "lineNumbers"}},
		{"lines of bytes", fs.ReadArgs{Path: "f", Encoding: "binary", StartLine: 1}, "INVALID_PARAMS", []string{"startLine", "binary"}},
		{"numbered bytes", fs.ReadArgs{Path: "f", Encoding: "binary", LineNumbers: new(true)}, "INVALID_PARAMS", []string{"lineNumbers", "binary"}},
		{"negative offset", fs.ReadArgs{Path: "f", Offset: -1}, "INVALID_PARAMS", []string{"offset -1"}},
		{"huge length", fs.ReadArgs{Path: "f", Length: 10_000_001}, "INVALID_PARAMS", []string{"10000001"}},
		{"negative size", fs.ReadArgs{Path: "f", MaxSize: -1}, "INVALID_PARAMS", []string{"maxSize -1"}},
		{"offset behind the end", fs.ReadArgs{Path: "f", Offset: 9}, "BAD_RANGE", []string{"byte 9", "8"}},
		{"line behind the end", fs.ReadArgs{Path: "f", StartLine: 3}, "BAD_RANGE", []string{"line 3", "the file has 2", "startLine=-20"}},
		{"line of nothing", fs.ReadArgs{Path: "empty", StartLine: 2}, "BAD_RANGE", []string{"line 2", "without startLine"}},
		{"wrong order", fs.ReadArgs{Path: "f", StartLine: 2, EndLine: 1}, "BAD_RANGE", []string{"startLine 2", "endLine 1"}},
		{"wrong order from the end", fs.ReadArgs{Path: "f", StartLine: -1, EndLine: -2}, "BAD_RANGE", []string{"startLine -1"}},
		{"ends before the file", fs.ReadArgs{Path: "f", EndLine: -3}, "BAD_RANGE", []string{"endLine -3"}},
		{"lines of a zip file", fs.ReadArgs{Path: "zip", StartLine: 1}, "BINARY_FILE", []string{"encoding=binary"}},
		{"directory", fs.ReadArgs{Path: "dir"}, "IS_A_DIRECTORY", []string{"list_directory", `"dir"`}},
		{"no path", fs.ReadArgs{}, "INVALID_PARAMS", nil},
		{"outside", fs.ReadArgs{Path: "../f"}, "PERMISSION_DENIED", nil},
		{"near miss", fs.ReadArgs{Path: "enpty"}, "FILE_NOT_FOUND", []string{"Did you mean empty?"}},
		{"extreme lines", fs.ReadArgs{Path: "f", StartLine: math.MaxInt, EndLine: math.MinInt}, "BAD_RANGE", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Read(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
}

func TestRead_Cancelled(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Read(ctx, fs.ReadArgs{Path: "f"})
	toolsettest.WantError(t, err, "CANCELLED")
}

func TestRead_Text(t *testing.T) {
	p := newProject(t, setup{answer: 1000, maxFile: 4000}, map[string]string{
		"a.txt": "one\ntwo\n", "crlf.txt": "one\r\ntwo", "bom.txt": "\xEF\xBB\xBFx\n", "empty": "",
		"long":  strings.Repeat("123456789\n", 300),
		"wide":  strings.Repeat("x", 2000) + "\nnext\n",
		"large": strings.Repeat("123456789\n", 1000),
		"zip":   "PK\x03\x04\x00\x00",
	})
	sum := func(name string) string { return ", sha256 " + tag(p.bytes(t, name)) + "]\n" }
	tests := []struct {
		name         string
		args         fs.ReadArgs
		begins, ends string
	}{
		{"whole", fs.ReadArgs{Path: "a.txt"}, "[a.txt: 2 lines, 8 bytes, utf-8, line ends lf" + sum("a.txt") + "one\ntwo\n", "one\ntwo\n"},
		{"numbered", fs.ReadArgs{Path: "crlf.txt", LineNumbers: new(true)}, "[crlf.txt: 2 lines, 8 bytes, utf-8, line ends crlf", "]\n1\tone\n2\ttwo\n"},
		{"lines", fs.ReadArgs{Path: "a.txt", StartLine: 2}, "[a.txt: lines 2 to 2 of 2, 8 bytes", "]\n2\ttwo\n"},
		{"lines without numbers", fs.ReadArgs{Path: "a.txt", EndLine: 1, LineNumbers: new(false)}, "[a.txt: lines 1 to 1 of 2", "]\none\n"},
		{"bytes", fs.ReadArgs{Path: "a.txt", Offset: 4}, "[a.txt: bytes from 4, 8 bytes, utf-8", "]\ntwo\n"},
		{"more bytes", fs.ReadArgs{Path: "a.txt", Offset: 4, Length: 2}, "[a.txt: bytes 4-5, 8 bytes, utf-8", "]\ntw"},
		{"all bytes", fs.ReadArgs{Path: "a.txt", Length: 100}, "[a.txt: whole file, 8 bytes, utf-8", "]\none\ntwo\n"},
		{"mark", fs.ReadArgs{Path: "bom.txt"}, "[bom.txt: 1 line, 5 bytes, utf-8 with BOM, line ends lf", "]\nx\n"},
		{"nothing", fs.ReadArgs{Path: "empty"}, "[empty: empty file, 0 bytes, utf-8, line ends none", "]\n"},
		{"too long", fs.ReadArgs{Path: "long"}, "[long: lines 1 to 75 of 300, 3000 bytes", "123456789\n[cut here; continue with startLine=76]"},
		{"numbers count too", fs.ReadArgs{Path: "long", StartLine: 100}, "[long: lines 100 to 152 of 300, 3000 bytes", "152\t123456789\n[cut here; continue with startLine=153]"},
		{"long line", fs.ReadArgs{Path: "wide"}, "[wide: lines 1 to 1 of 2, 2006 bytes", "x\n[line 1 is cut here; continue with offset=750, or with the next line: startLine=2]"},
		{"not held", fs.ReadArgs{Path: "large"}, "[large: lines 1 to 75, 10000 bytes, utf-8, line ends lf]\n123456789\n", "[cut here; continue with startLine=76]"},
		{"end of a file that is not held", fs.ReadArgs{Path: "large", StartLine: -2}, "[large: lines -2 to -1, 10000 bytes", "]\n-2\t123456789\n-1\t123456789\n"},
		{"binary", fs.ReadArgs{Path: "zip"}, "[zip: whole file, 6 bytes, application/zip, base64", "]\n" + base64.StdEncoding.EncodeToString([]byte("PK\x03\x04\x00\x00"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.read(t, tt.args).TextContent()
			if !strings.HasPrefix(got, tt.begins) || !strings.HasSuffix(got, tt.ends) {
				t.Errorf("got %q\nwant %q … %q", got, tt.begins, tt.ends)
			}
			if len(got) > 1000 {
				t.Errorf("the text has %d bytes, over the budget of 1000", len(got))
			}
		})
	}
}
