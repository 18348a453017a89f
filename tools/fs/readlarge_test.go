package fs_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// numberedLines are lines that tell their number: "line 000001\n" and so on, 12 bytes each.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %06d\n", i+1)
	}
	return b.String()
}

func TestRead_LargerThanMaxSize(t *testing.T) {
	const limit = 1200
	p := newProject(t, setup{answer: 4000}, map[string]string{
		"lf": numberedLines(1000), "unended": numberedLines(1000) + "end",
		"crlf": strings.ReplaceAll(numberedLines(1000), "\n", "\r\n"),
	})
	tests := []struct {
		name                 string
		args                 fs.ReadArgs
		begins, ends         string
		start, end, next     int
		total                int
		truncated, nextBytes bool
	}{
		{name: "from the beginning", args: fs.ReadArgs{Path: "lf"}, begins: "line 000001\n", ends: "line 000100\n", start: 1, end: 100, next: 101, truncated: true},
		{name: "lines", args: fs.ReadArgs{Path: "lf", StartLine: 700, EndLine: 702}, begins: "line 000700\n", ends: "line 000702\n", start: 700, end: 702, next: 703},
		{name: "too many lines", args: fs.ReadArgs{Path: "crlf", StartLine: 700, EndLine: 900}, begins: "line 000700\r\n", ends: "line 000791\r\n", start: 700, end: 791, next: 792, truncated: true},
		{name: "last lines", args: fs.ReadArgs{Path: "lf", StartLine: -3}, begins: "line 000998\n", ends: "line 001000\n", start: -3, end: -1},
		{name: "last lines, the last one not ended", args: fs.ReadArgs{Path: "unended", StartLine: -2}, begins: "line 001000\n", ends: "end", start: -2, end: -1},
		{name: "near the end", args: fs.ReadArgs{Path: "crlf", StartLine: -3, EndLine: -2}, begins: "line 000998\r\n", ends: "line 000999\r\n", start: -3, end: -2, next: -1},
		{name: "more last lines than are looked for", args: fs.ReadArgs{Path: "lf", StartLine: -500, EndLine: -499}, begins: "line 000501\n", ends: "line 000502\n", start: 501, end: 502, next: 503, total: 1000},
		{name: "more last lines than there are", args: fs.ReadArgs{Path: "lf", StartLine: -5000, EndLine: -999}, begins: "line 000001\n", ends: "line 000002\n", start: 1, end: 2, next: 3, total: 1000},
		{name: "all but", args: fs.ReadArgs{Path: "lf", StartLine: 990, EndLine: -10}, begins: "line 000990\n", ends: "line 000991\n", start: 990, end: 991, next: 992, total: 1000},
		{name: "bytes", args: fs.ReadArgs{Path: "lf", Offset: 12, Length: 24}, begins: "line 000002\n", ends: "line 000003\n", nextBytes: true},
		{name: "too many bytes", args: fs.ReadArgs{Path: "lf", Offset: 12, Length: 2400}, begins: "line 000002\n", ends: "line 000101\n", truncated: true, nextBytes: true},
		{name: "last bytes", args: fs.ReadArgs{Path: "lf", Offset: 11_988, Length: 2400}, begins: "line 001000\n", ends: "line 001000\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.args.MaxSize = limit
			got := p.read(t, tt.args)
			if !strings.HasPrefix(got.Content, tt.begins) || !strings.HasSuffix(got.Content, tt.ends) {
				t.Errorf("got %q", got.Content)
			}
			if got.StartLine != tt.start || got.EndLine != tt.end || got.NextLine != tt.next || got.TotalLines != tt.total {
				t.Errorf("got lines %d to %d of %d, next %d", got.StartLine, got.EndLine, got.TotalLines, got.NextLine)
			}
			if got.Truncated != tt.truncated || got.NextOffset > 0 != tt.nextBytes || got.SHA256 != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
	_, err := p.Read(t.Context(), fs.ReadArgs{Path: "unended", MaxSize: limit, StartLine: 1002})
	toolsettest.WantError(t, err, "BAD_RANGE", "line 1002", "has 1001")
	_, err = p.Read(t.Context(), fs.ReadArgs{Path: "lf", MaxSize: limit, StartLine: -1, EndLine: -2})
	toolsettest.WantError(t, err, "BAD_RANGE", "startLine -1")
}

func TestRead_LargeFileEncodings(t *testing.T) {
	for _, s := range samples {
		var raw bytes.Buffer
		raw.WriteString(s.raw)
		body := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s.raw, "\xEF\xBB\xBF"), "\xFF\xFE"), "\xFE\xFF")
		for range 99 {
			raw.WriteString(body)
		}
		p := newProject(t, setup{}, map[string]string{"f.txt": raw.String()})
		got := p.read(t, fs.ReadArgs{Path: "f.txt", MaxSize: 200, StartLine: 101, EndLine: 103})
		if got.Content != "日本語\r\nABC\r\n日本語\r\n" || got.Encoding != s.encoding || got.EOL != "crlf" || got.BOM != s.bom {
			t.Errorf("lines of %s: %+v", s.encoding, got)
		}
		if got := p.read(t, fs.ReadArgs{Path: "f.txt", MaxSize: 200, StartLine: -2}); got.Content != "日本語\r\nABC\r\n" {
			t.Errorf("last lines of %s: %+v", s.encoding, got)
		}
	}
}

// A file of 1 GB consists mostly of a hole: the cost depends only on the range.
func TestRead_HugeFileRange(t *testing.T) {
	const size = 1 << 30
	p := newProject(t, setup{}, map[string]string{"huge.log": numberedLines(20_000)})
	f, err := os.OpenFile(p.path("huge.log"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	end := numberedLines(20_000)
	if _, err := f.WriteAt([]byte("\n"+end), size-int64(len(end))-1); err != nil {
		t.Skip("no room for a sparse file:", err)
	}
	for _, tt := range []struct {
		args fs.ReadArgs
		want string
	}{
		{fs.ReadArgs{Path: "huge.log", Offset: size - 12, Length: 100}, "line 020000\n"},
		{fs.ReadArgs{Path: "huge.log", StartLine: 15_000, EndLine: 15_000}, "line 015000\n"},
		{fs.ReadArgs{Path: "huge.log", StartLine: -2, EndLine: -2}, "line 019999\n"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := p.read(t, tt.args)
		runtime.ReadMemStats(&after)
		if got.Content != tt.want || got.Size != size || got.Truncated {
			t.Errorf("%+v: got %.100q of %d", tt.args, got.Content, got.Size)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%+v took %d bytes of memory", tt.args, used)
		}
	}
}

// Following NextOffset or else NextLine gives the whole file, however small the answers are.
func TestRead_Pages(t *testing.T) {
	long := strings.Repeat("日本語 ", 400)
	texts := map[string]string{
		"lines":  numberedLines(150),
		"crlf":   strings.ReplaceAll(numberedLines(150), "\n", "\r\n") + "unended",
		"cr":     strings.ReplaceAll(numberedLines(150), "\n", "\r"),
		"long":   "first\n" + long + "\nmiddle\n" + long + "\n" + long,
		"blank":  strings.Repeat("\r\n\n\r", 300),
		"single": long,
	}
	p := newProject(t, setup{answer: 800}, texts)
	for name, want := range texts {
		for _, args := range []fs.ReadArgs{
			{}, {LineNumbers: new(true)}, {MaxSize: 300}, {MaxSize: 7, Encoding: "utf-8"}, {Length: 100}, {Length: 1, Encoding: "utf-8"},
		} {
			args.Path = name
			if got := readAll(t, p, args); got != want {
				t.Errorf("%s by %+v: joined to %d bytes, want %d", name, args, len(got), len(want))
			}
		}
	}
}

// readAll joins the answers from the beginning to the end of a file.
func readAll(t testing.TB, p project, args fs.ReadArgs) string {
	t.Helper()
	var all strings.Builder
	for range 1 << 16 {
		got := p.read(t, args)
		all.WriteString(got.Content)
		args.LineNumbers = nil
		switch {
		case got.NextOffset > 0:
			args.Offset, args.StartLine = got.NextOffset, 0
		case got.NextLine > 0:
			args.StartLine = got.NextLine
		default:
			return all.String()
		}
	}
	t.Fatal("reading does not come to an end")
	return ""
}

func TestRead_Budget(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"long": strings.Repeat("長い行です。", 1<<18), "lines": strings.Repeat("\n", 1<<20), "binary": strings.Repeat("\x00\x00\x03\xFF", 1<<18),
	})
	for _, args := range []fs.ReadArgs{
		{Path: "long"}, {Path: "lines"}, {Path: "lines", StartLine: 1000}, {Path: "long", Offset: 5},
		{Path: "binary", Encoding: "binary"}, {Path: "binary"}, {Path: "long", MaxSize: 100_000, StartLine: -1},
	} {
		got := p.read(t, args)
		if n := len(got.TextContent()); n > 32<<10 || !got.Truncated || got.Content == "" {
			t.Errorf("%+v: %d bytes, truncated %v", args, n, got.Truncated)
		}
	}
	// A length is asked for, so it lifts the budget.
	if got := p.read(t, fs.ReadArgs{Path: "long", Length: 300_000}); len(got.Content) != 300_006 && len(got.Content) != 300_000 || got.Truncated {
		t.Errorf("300,000 bytes: got %d, truncated %v", len(got.Content), got.Truncated)
	}
}

func TestRead_PagesInEncodings(t *testing.T) {
	want := strings.Repeat("日本語とASCII、", 500) + "\r\n終わり\r\n"
	for _, s := range samples {
		e, err := textfile.Parse(s.encoding)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := textfile.Encode(want, e, s.bom)
		if err != nil {
			t.Fatal(err)
		}
		p := newProject(t, setup{answer: 1000}, map[string]string{"f.txt": string(raw)})
		for _, args := range []fs.ReadArgs{{}, {MaxSize: 5000}, {LineNumbers: new(true)}} {
			args.Path, args.Encoding = "f.txt", s.encoding
			if got := readAll(t, p, args); got != want {
				t.Errorf("%s by %+v: joined to %d bytes, want %d", s.encoding, args, len(got), len(want))
			}
		}
		if got := p.read(t, fs.ReadArgs{Path: "f.txt"}); len(got.Content) < 600 || got.NextLine != 2 || got.NextOffset == 0 {
			t.Errorf("%s: the first answer has %d bytes, next line %d, next offset %d", s.encoding, len(got.Content), got.NextLine, got.NextOffset)
		}
	}
}
