package pdftext

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// font tells what the codes of a text mean (9.6 to 9.10).
type font struct {
	unicode  *cmap       // what the file says itself, or nil
	simple   [256]string // what else codes of one byte mean
	charset  encoding.Encoding
	utf16    bool // codes are UTF-16
	high     bool // codes have to have their high bits set to be those of the charset
	double   bool // codes have two bytes, unless the cmap says otherwise
	vertical bool
	widths   map[int]float64 // by code, in thousandths
	alike    []alike
	width    float64 // of others
}

// alike are codes of the same width.
type alike struct {
	first, last int
	width       float64
}

// newFont reads the dictionary of a font.
func (f *file) newFont(d dict) *font {
	t := &font{widths: map[int]float64{}, width: 500}
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		t.unicode = readCMap(f.unpack(s))
	}
	if f.resolve(d["Subtype"]) == name("Type0") {
		f.composite(t, d)
	} else {
		f.single(t, d)
	}
	return t
}

// single reads a font whose codes have one byte.
func (f *file) single(t *font, d dict) {
	base, _ := f.resolve(d["BaseFont"]).(name)
	glyphs := f.resolve(d["Encoding"])
	differences := array(nil)
	if e, ok := glyphs.(dict); ok {
		differences = f.array(e["Differences"])
		glyphs = f.resolve(e["BaseEncoding"])
	}
	chars := charmap.Windows1252
	if glyphs == name("MacRomanEncoding") {
		chars = charmap.Macintosh
	}
	for c := range t.simple {
		if r := chars.DecodeByte(byte(c)); r >= ' ' && r != 0xFFFD {
			t.simple[c] = string(r)
		}
	}
	if glyphs == nil && isTeX(string(base)) {
		for i, s := range []string{"ff", "fi", "fl", "ffi", "ffl"} {
			t.simple[11+i] = s
		}
	}
	code, drawn := 0, f.resolve(d["Subtype"]) == name("Type3") // glyphs of those are often numbered by their codes
	for _, o := range differences[:min(len(differences), 1024)] {
		switch o := f.resolve(o).(type) {
		case float64:
			code = int(o)
		case name:
			if meaning := glyph(string(o)); 0 <= code && code < 256 && (meaning != "" || !drawn) {
				t.simple[code] = meaning
			}
			code++
		}
	}
	first := int(f.number(d["FirstChar"]))
	widths := f.array(d["Widths"])
	for i, w := range widths[:min(len(widths), 256)] {
		if n, ok := f.resolve(w).(float64); ok {
			t.widths[first+i] = n
		}
	}
	if drawn {
		f.thousandths(t, d)
	}
}

// thousandths brings the widths of a Type 3 font into thousandths.
func (f *file) thousandths(t *font, d dict) {
	m := f.array(d["FontMatrix"])
	if len(m) == 0 {
		return
	}
	by := f.number(m[0]) * 1000
	for code := range t.widths {
		t.widths[code] *= by
	}
}

// isTeX says that a font is one of those of TeX whose ligatures are in their old
// places.
func isTeX(base string) bool {
	_, after, tagged := strings.Cut(base, "+")
	if !tagged {
		after = base
	}
	return strings.HasPrefix(after, "CM")
}

// composite reads a font whose codes may have several bytes.
func (f *file) composite(t *font, d dict) {
	t.double, t.width = true, 1000
	if of := f.array(d["DescendantFonts"]); len(of) > 0 {
		descendant := f.dict(of[0])
		if w, ok := f.resolve(descendant["DW"]).(float64); ok {
			t.width = w
		}
		f.composedWidths(t, f.array(descendant["W"]))
	}
	switch e := f.resolve(d["Encoding"]).(type) {
	case name:
		t.predefined(string(e))
	case *stream:
		if m := readCMap(f.unpack(e)); m != nil && t.unicode == nil {
			t.unicode = m
		} else if m != nil && len(t.unicode.spaces) == 0 {
			t.unicode.spaces = m.spaces
		}
	}
}

// predefined takes the encoding by its name (9.7.5.2).
func (t *font) predefined(e string) {
	t.vertical = strings.HasSuffix(e, "-V") || e == "V"
	switch {
	case strings.Contains(e, "UTF16") || strings.Contains(e, "UCS2"):
		t.utf16 = true
	case strings.Contains(e, "RKSJ"):
		t.charset = japanese.ShiftJIS
	case e == "EUC-H" || e == "EUC-V":
		t.charset = japanese.EUCJP
	case e == "H" || e == "V":
		t.charset, t.high = japanese.EUCJP, true
	}
}

// composedWidths reads the widths of a composite font (9.7.4.3).
func (f *file) composedWidths(t *font, w array) {
	for i := 0; i+1 < len(w); {
		first := int(f.number(w[i]))
		switch second := f.resolve(w[i+1]).(type) {
		case array:
			for j, width := range second {
				t.widths[first+j] = f.number(width)
			}
			i += 2
		case float64:
			if i+2 >= len(w) {
				return
			}
			if last, width := int(second), f.number(w[i+2]); last == first {
				t.widths[first] = width
			} else if len(t.alike) < 1<<10 {
				t.alike = append(t.alike, alike{first, last, width})
			}
			i += 3
		default:
			return
		}
	}
}

// decode answers what the first code of a text means, its length in bytes and its
// width in thousandths. The text is not empty.
func (t *font) decode(s text) (meaning string, size int, width float64) {
	code, size := t.code(s)
	width = t.widthOf(code)
	if t.unicode != nil {
		if meaning, ok := t.unicode.lookup(code, size); ok {
			return meaning, size, width
		}
	}
	switch {
	case !t.double:
		return t.simple[s[0]], size, width
	case t.utf16:
		return decodeUTF16(s[:size]), size, t.narrow(code, width)
	case t.charset != nil:
		return t.inCharset(s[:size]), size, t.narrow(code, width)
	}
	return "", size, width
}

func (t *font) widthOf(code int) float64 {
	if width, ok := t.widths[code]; ok {
		return width
	}
	for _, a := range t.alike {
		if a.first <= code && code <= a.last {
			return a.width
		}
	}
	return t.width
}

// narrow is the width of a code whose number in the font is not known: half of that
// of a kanji for ASCII.
func (t *font) narrow(code int, width float64) float64 {
	if code < 0x80 {
		return t.width / 2
	}
	return t.width
}

// code reads the code that a text begins with.
func (t *font) code(s text) (code, size int) {
	size = 1
	switch {
	case t.unicode != nil && len(t.unicode.spaces) > 0 && t.double && !t.utf16 && t.charset == nil:
		size = t.unicode.size(s)
	case t.charset == japanese.ShiftJIS:
		if c := s[0]; 0x81 <= c && c <= 0x9F || 0xE0 <= c && c <= 0xFC {
			size = 2
		}
	case t.charset != nil && !t.high:
		if s[0] >= 0x80 {
			size = 2
		}
	case t.utf16 && s[0]&0xFC == 0xD8:
		size = 4
	case t.double:
		size = 2
	}
	size = min(size, len(s))
	for _, c := range s[:size] {
		code = code<<8 | int(c)
	}
	return code, size
}

func (t *font) inCharset(s text) string {
	raw := append([]byte(nil), s...)
	for i := range raw {
		if t.high {
			raw[i] |= 0x80
		}
	}
	out, err := t.charset.NewDecoder().Bytes(raw)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(out), "\uFFFD", "")
}

// decodeUTF16 reads big-endian UTF-16.
func decodeUTF16(s []byte) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return strings.Trim(strings.ReplaceAll(string(utf16.Decode(units)), "\uFFFD", ""), "\x00\uFEFF")
}
