package fs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// FuzzReadRanges reads a file in pieces, by bytes and by lines, held in memory or not: joined they are the file.
func FuzzReadRanges(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.raw), s.encoding, uint16(3))
	}
	f.Add([]byte("a\r\n\r\n\n\rb\r"), "utf-8", uint16(1))
	f.Add([]byte("\xEF\xBB\xBF\n"), "utf-8", uint16(2))
	f.Add([]byte("\x1b$B\x1b(B\x1b$BF|\x1b(B\n"), "iso-2022-jp", uint16(2))
	f.Add([]byte("caf\xe9\r\n"), "windows-1252", uint16(4))
	f.Add([]byte(strings.Repeat("日本\n", 200)), "utf-8", uint16(50))
	p := newProject(f, setup{answer: 300}, nil)
	f.Fuzz(func(t *testing.T, raw []byte, encoding string, step uint16) {
		e, err := textfile.Parse(encoding)
		if err != nil || len(raw) > 4096 {
			t.Skip()
		}
		whole, err := textfile.Decode(raw, e)
		if err != nil || !utf8.ValidString(whole.Content) {
			t.Skip()
		}
		p.put(t, "f", string(raw))
		encoding = whole.Encoding.String()
		size := 1 + int64(step)%512
		if int64(len(raw))/size > 256 {
			t.Skip() // it would take too long
		}
		for _, args := range []fs.ReadArgs{
			{}, {Length: size}, {MaxSize: size}, {MaxSize: size, Length: 2 * size}, {LineNumbers: new(true)},
		} {
			args.Path, args.Encoding = "f", encoding
			if got := readAll(t, p, args); got != whole.Content {
				t.Errorf("%+v: %q joined to %q", args, whole.Content, got)
			}
		}
	})
}

// FuzzList lists with arbitrary patterns and cursors. A refusal has a reason, and every other call ends.
func FuzzList(f *testing.F) {
	f.Add("*.go", "", true)
	f.Add("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*", "", false)
	f.Add("**/**/**/**/x", "AAAAAA", true)
	f.Add("[", "!", true)
	p := newProject(f, setup{}, map[string]string{"a/b/c.go": "", "a/b.go": "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab": "", "日本.txt": ""})
	f.Fuzz(func(t *testing.T, pattern, cursor string, recursive bool) {
		got, err := p.List(t.Context(), fs.ListArgs{Pattern: pattern, Cursor: cursor, Recursive: recursive})
		if err != nil {
			if code := security.CodeOf(err); code != security.InvalidParams && code != "INVALID_CURSOR" {
				t.Errorf("pattern %q, cursor %q: %v", pattern, cursor, err)
			}
			return
		}
		if len(got.Entries) > got.TotalCount || got.TotalCount > 7 {
			t.Errorf("pattern %q: %d entries of %d", pattern, len(got.Entries), got.TotalCount)
		}
	})
}
