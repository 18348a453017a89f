package textfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// readAll reads a file range by range.
func readAll(data []byte, e textfile.Encoding, length int64) (string, error) {
	var all strings.Builder
	r := bytes.NewReader(data)
	for at := int64(0); at < r.Size(); {
		chunk, err := textfile.ReadRange(r, r.Size(), e, at, length)
		if err != nil {
			return all.String(), err
		}
		if chunk.Start < at || chunk.End <= at || chunk.End > r.Size() {
			return all.String(), fmt.Errorf("the chunk from %d is %+v", at, chunk)
		}
		all.WriteString(chunk.Content)
		at = chunk.End
	}
	return all.String(), nil
}

// Ranges that follow one another give the file, in every encoding and of any length, and any range gives the
// characters that begin in it.
func TestReadRange_EachCharacterOnce(t *testing.T) {
	t.Parallel()
	for encoding, pieces := range pieces {
		t.Run(encoding.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				var data string
				for _, part := range rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 60).Draw(t, "file") {
					data += part[0]
				}
				text, err := textfile.Decode([]byte(data), encoding)
				if err != nil {
					t.Fatal(err)
				}
				length := rapid.Int64Range(1, 40).Draw(t, "length")
				if got, err := readAll([]byte(data), encoding, length); err != nil || got != text.Content {
					t.Fatalf("%q in pieces of %d is %q, %v; want %q", data, length, got, err, text.Content)
				}
				at := rapid.Int64Range(0, int64(len(data))).Draw(t, "offset")
				head, err1 := textfile.ReadRange(strings.NewReader(data), int64(len(data)), encoding, 0, at)
				tail, err2 := textfile.ReadRange(strings.NewReader(data), int64(len(data)), encoding, at, 1<<40)
				if err := errors.Join(err1, err2); err != nil || head.Content+tail.Content != text.Content {
					t.Fatalf("%q cut at %d is %+v and %+v, %v", data, at, head, tail, err)
				}
			})
		})
	}
}

func TestReadRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data     string
		as             textfile.Encoding
		offset, length int64
		want           textfile.Chunk
	}{
		{"a mark is no character", "\xEF\xBB\xBFab", textfile.UTF8, 0, 4, textfile.Chunk{Content: "a", Encoding: textfile.UTF8, Start: 3, End: 4}},
		{"inside of the mark", "\xFF\xFEa\x00", textfile.UTF16, 1, 2, textfile.Chunk{Content: "a", Encoding: textfile.UTF16LE, Start: 2, End: 4}},
		{"only the mark", "\xFE\xFF\x00a", textfile.UTF16, 0, 2, textfile.Chunk{Encoding: textfile.UTF16BE, Start: 2, End: 2}},
		{"inside of a character", "値値", textfile.UTF8, 1, 1, textfile.Chunk{Encoding: textfile.UTF8, Start: 3, End: 3}},
		{"nothing", "ab", textfile.UTF8, 1, 0, textfile.Chunk{Encoding: textfile.UTF8, Start: 1, End: 1}},
		{"behind the end", "ab", textfile.UTF8, 5, 5, textfile.Chunk{Encoding: textfile.UTF8, Start: 2, End: 2}},
		{"over the end", "ab", textfile.Auto, 1, 1 << 62, textfile.Chunk{Content: "b", Encoding: textfile.UTF8, Start: 1, End: 2}},
		{"a row of bytes that can all be the first of two", strings.Repeat("\x81\x81", 3000), textfile.ShiftJIS, 3001, 2,
			textfile.Chunk{Content: "＝", Encoding: textfile.ShiftJIS, Start: 3002, End: 3004}},
		{"a long row in euc-jp", "a" + strings.Repeat("\xA4\xA2", 3000), textfile.EUCJP, 3000, 2,
			textfile.Chunk{Content: "あ", Encoding: textfile.EUCJP, Start: 3001, End: 3003}},
		{"in the state of a line", "\x1b$B0!0\"0#\x1b(B", textfile.ISO2022JP, 5, 2,
			textfile.Chunk{Content: "唖", Encoding: textfile.ISO2022JP, Start: 5, End: 7}},
	} {
		got, err := textfile.ReadRange(strings.NewReader(c.data), int64(len(c.data)), c.as, c.offset, c.length)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
}

func TestReadRange_Refused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x81", 3<<20)
	for _, c := range []struct {
		name, data     string
		as             textfile.Encoding
		offset, length int64
		want           string
	}{
		{"a negative offset", "ab", textfile.UTF8, -1, 1, "offset -1"},
		{"a negative length", "ab", textfile.UTF8, 0, -1, "length -1"},
		{"binary", "\x00\x01\x02\x03", textfile.Auto, 0, 4, "not a text file"},
		{"a malformed character", "ab\xFFcd", textfile.UTF8, 1, 3, "byte 2: FF is not utf-8"},
		{"a cut character", "ab\xE3\x81", textfile.UTF8, 1, 3, "byte 2: E3 81 is not utf-8"},
		{"a cut character in front", "ab\xE3\x81", textfile.UTF8, 3, 1, "byte 2: E3 81 is not utf-8"},
		{"the mark of the other byte order", "\xFE\xFFab", textfile.UTF16LE, 2, 1, "byte 0 (line 1): FE FF is not utf-16le"},
		{"no border far and wide", long, textfile.ShiftJIS, 2 << 20, 1, "no character border"},
		{"no border in iso-2022-jp", strings.Repeat("a", 3<<20), textfile.ISO2022JP, 2 << 20, 1, "no character border"},
	} {
		got, err := textfile.ReadRange(strings.NewReader(c.data), int64(len(c.data)), c.as, c.offset, c.length)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.80v, %v; want %q", c.name, got, err, c.want)
		}
	}
	broken := errors.New("disk on fire")
	for _, from := range []int64{0, 2, 100} {
		r := io.NewSectionReader(failingAt{from, broken}, 0, 1000)
		if _, err := textfile.ReadRange(r, 1000, textfile.UTF8, 500, 10); !errors.Is(err, broken) {
			t.Errorf("a file that fails from %d gave %v", from, err)
		}
	}
}

// failingAt is a file of the letter a that cannot be read from an offset on.
type failingAt struct {
	from int64
	err  error
}

func (f failingAt) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		if off+int64(i) >= f.from {
			return i, f.err
		}
		p[i] = 'a'
	}
	return len(p), nil
}

// The size may be wrong by the time that the file is read.
func TestReadRange_ShrunkenFile(t *testing.T) {
	t.Parallel()
	got, err := textfile.ReadRange(strings.NewReader("値値"), 1<<50, textfile.UTF8, 3, 1<<50)
	if err != nil || got.Content != "値" || got.End != 6 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = textfile.ReadRange(strings.NewReader("値"), -1, textfile.UTF8, 0, 10); err != nil || got.Content != "" {
		t.Errorf("a negative size gave %+v, %v", got, err)
	}
}

// Auto looks at the beginning, and at the range where the beginning is ASCII.
func TestReadRange_DetectsEncoding(t *testing.T) {
	t.Parallel()
	ascii := strings.Repeat("0123456789abcdef\n", 5000)
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		data := encode(t, ascii+strings.Repeat("記録を保存しました。\n", 20), e)
		chunk, err := textfile.ReadRange(bytes.NewReader(data), int64(len(data)), textfile.Auto, int64(len(ascii)), 120)
		if err != nil || chunk.Encoding != e || !strings.HasPrefix(chunk.Content, "記録を保存しました。\n") {
			t.Errorf("%v behind ASCII: %+v, %v", e, chunk, err)
		}
		data = encode(t, strings.Repeat("記録を保存しました。\n", 20)+ascii, e)
		chunk, err = textfile.ReadRange(bytes.NewReader(data), int64(len(data)), textfile.Auto, int64(len(data))-34, 17)
		if err != nil || chunk.Encoding != e || chunk.Content != "0123456789abcdef\n" {
			t.Errorf("%v in front of ASCII: %+v, %v", e, chunk, err)
		}
	}
	// A range without a line end that begins inside a character.
	data := ascii + strings.Repeat("値", 100)
	chunk, err := textfile.ReadRange(strings.NewReader(data), int64(len(data)), textfile.Auto, int64(len(ascii))+1, 9)
	if err != nil || chunk.Encoding != textfile.UTF8 || chunk.Content != "値値値" {
		t.Errorf("inside of a character: %+v, %v", chunk, err)
	}
}

// A Decoder returns the result of Decode for every splitting of the file and of the reads.
func TestDecoder_AsDecode(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("表示する値\r\nand plain text\r", 2600) // more than the 64 KiB that decide between encodings
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.UTF16LE, textfile.UTF16BE, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		for _, bom := range []bool{false, true} {
			if bom && e > textfile.UTF16BE && testing.Short() {
				continue // Encode writes no mark
			}
			data, err := textfile.Encode(lines, e, bom)
			if err != nil {
				t.Fatal(err)
			}
			for name, r := range map[string]io.Reader{
				"at once":       bytes.NewReader(data),
				"in halves":     iotest.HalfReader(bytes.NewReader(data)),
				"end with data": iotest.DataErrReader(bytes.NewReader(data)),
			} {
				d := textfile.NewDecoder(r, textfile.Auto)
				got, err := io.ReadAll(d)
				if err != nil || string(got) != lines {
					t.Errorf("%v %s: %d bytes, %v; want %d", e, name, len(got), err, len(lines))
				}
				if d.Encoding() != e || d.BOM() != (bom && e <= textfile.UTF16BE) {
					t.Errorf("%v %s: taken for %v, mark %v", e, name, d.Encoding(), d.BOM())
				}
			}
		}
	}
	d := textfile.NewDecoder(strings.NewReader("値"), textfile.UTF8)
	if err := iotest.TestReader(d, []byte("値")); err != nil {
		t.Error(err)
	}
}

// Text that begins with more ASCII than a Decoder holds is settled where that ends.
func TestDecoder_LateDetection(t *testing.T) {
	t.Parallel()
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		for n := 64<<10 - 6; n <= 64<<10+1; n++ {
			want := strings.Repeat("a", n) + "これは日本語の文です。"
			d := textfile.NewDecoder(bytes.NewReader(encode(t, want, e)), textfile.Auto)
			got, err := io.ReadAll(d)
			if err != nil || string(got) != want || d.Encoding() != e {
				t.Errorf("%v behind %d letters: taken for %v, %q, %v", e, n, d.Encoding(), strings.TrimLeft(string(got), "a"), err)
			}
		}
	}
	d := textfile.NewDecoder(strings.NewReader(strings.Repeat("a\n", 40_000)), textfile.Auto)
	if got, err := io.ReadAll(d); err != nil || len(got) != 80_000 || d.Encoding() != textfile.UTF8 {
		t.Errorf("ASCII is taken for %v: %d bytes, %v", d.Encoding(), len(got), err)
	}
}

func TestDecoderErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	endless := iotest.ErrReader(nil)
	for _, c := range []struct {
		name string
		r    io.Reader
		as   textfile.Encoding
		got  string
		err  string
	}{
		{"malformed", strings.NewReader("a\r\nb\xFF"), textfile.UTF8, "a\r\nb", "byte 4 (line 2): FF is not utf-8"},
		{"a cut character", strings.NewReader("a\r\xE3\x81"), textfile.UTF8, "a\r", "byte 2 (line 2): E3 81 is not utf-8"},
		{"malformed behind a mark", strings.NewReader("\xFF\xFEa\x00\x00\xDC"), textfile.UTF16, "a", "byte 4 (line 1): 00 DC is not utf-16le"},
		{"another mark", strings.NewReader("\xFF\xFEa\x00"), textfile.UTF16BE, "", "byte 0 (line 1): FF FE is not utf-16be"},
		{"binary", strings.NewReader("\x00\x01\x02\x03"), textfile.Auto, "", "not a text file"},
		{"as binary", strings.NewReader("abc"), textfile.Binary, "", "not a text file"},
		{"a failing file", io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), textfile.UTF8, "ab", "disk on fire"},
		{"a file that gives nothing", endless, textfile.UTF8, "", "multiple Read calls"},
	} {
		d := textfile.NewDecoder(c.r, c.as)
		got, err := io.ReadAll(d)
		if string(got) != c.got || err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v; want %q, %s", c.name, got, err, c.got, c.err)
		}
		if _, again := d.Read(make([]byte, 1)); !errors.Is(again, err) {
			t.Errorf("%s: reading on gave %v", c.name, again)
		}
	}
	if n, err := textfile.NewDecoder(endless, textfile.UTF8).Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing gave %d, %v", n, err)
	}
}

// A line end that is cut by the memory of a Decoder is still one.
func TestDecoder_LineCount(t *testing.T) {
	t.Parallel()
	for n := 64<<10 - 3; n <= 64<<10+1; n++ {
		data := strings.Repeat("a", n) + "\r\n\r\n\xFF"
		_, err := io.ReadAll(textfile.NewDecoder(strings.NewReader(data), textfile.UTF8))
		var bad *textfile.DecodeError
		if !errors.As(err, &bad) || bad.Line != 3 || bad.Offset != int64(n+4) {
			t.Errorf("behind %d letters: %+v, %v", n, bad, err)
		}
	}
}
