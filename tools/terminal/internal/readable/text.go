package readable

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Options describe the output and its conversion. The zero value is for complete output.
type Options struct {
	// More says that the output goes on: a character or an escape that is cut at the
	// end is left for the next time.
	More bool
	// Middle says that the output has begun before: the rest of a character at the
	// beginning is left out.
	Middle bool
	// Keep leaves escapes and carriage returns as they are.
	Keep bool
	// Overwritten keeps of each line only the text after the last carriage return, for progress bars.
	Overwritten bool
}

const (
	// MaxCut is the most that is left for the next time, in bytes.
	MaxCut = 256
	// maxSequence is how much of the end is searched for an escape that is cut.
	maxSequence = MaxCut - utf8.UTFMax
)

// Text converts output to text. The text represents n bytes of p from start on. Lines that are not UTF-8 are decoded with the
// detected encoding; undecodable bytes are written as \x and two digits.
func Text(p []byte, o Options) (text string, start, n int) {
	if o.Middle {
		start = restOfCharacter(p)
		p = p[start:]
	}
	if o.More {
		p = p[:len(p)-cutCharacter(p)]
		if !o.Keep {
			p = p[:len(p)-cutEscape(p)]
		}
	}
	n = len(p)
	if utf8.Valid(p) {
		text = string(p)
	} else {
		var cut int
		text, cut = decode(p, o.More)
		n -= cut
	}
	if !o.Keep {
		text = strip(text)
		if o.Overwritten {
			text = overwrite(text)
		}
	}
	return text, start, n
}

// restOfCharacter is how many bytes at the beginning belong to a character of UTF-8
// that has begun before.
func restOfCharacter(p []byte) int {
	n := 0
	for n < len(p) && n < utf8.UTFMax-1 && !utf8.RuneStart(p[n]) {
		n++
	}
	sample := p[n:min(len(p), n+sampleSize)]
	if n > 0 && utf8.Valid(sample[:len(sample)-cutCharacter(sample)]) {
		return n
	}
	return 0
}

// sampleSize is how much must be UTF-8 for the bytes before it to be the rest of
// a character.
const sampleSize = 1 << 10

// cutCharacter is how many bytes at the end are the beginning of a character of
// UTF-8.
func cutCharacter(p []byte) int {
	for n := 1; n <= utf8.UTFMax-1 && n <= len(p); n++ {
		if b := p[len(p)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// decode decodes a text that is not completely UTF-8, line by line. All lines that are not UTF-8 have one encoding. cut is the
// number of bytes for the next call.
func decode(p []byte, more bool) (text string, cut int) {
	var strange []byte
	for line := range bytes.Lines(p) {
		if !utf8.Valid(line) {
			strange = append(strange, line...)
		}
	}
	encoding := textfile.DetectSample(strange)
	var b strings.Builder
	for line := range bytes.Lines(p) {
		if utf8.Valid(line) {
			b.Write(line)
			continue
		}
		last := more && line[len(line)-1] != '\n'
		if decoded, ok := decodeLine(line, encoding); ok {
			b.WriteString(decoded)
		} else if decoded, ok := decodeLine(line[:len(line)-1], encoding); ok && last {
			b.WriteString(decoded)
			cut = 1 // the first byte of a character that has two
		} else {
			escape(&b, line)
		}
	}
	return b.String(), cut
}

func decodeLine(line []byte, encoding textfile.Encoding) (string, bool) {
	switch encoding {
	case textfile.ShiftJIS, textfile.EUCJP, textfile.Windows1252:
		text, err := textfile.Decode(line, encoding)
		if err == nil {
			return text.Content, true
		}
	}
	return "", false
}

// escape writes bytes that are not UTF-8 as \x and two digits.
func escape(b *strings.Builder, line []byte) {
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(b, `\x%02x`, line[0])
		} else {
			b.Write(line[:size])
		}
		line = line[size:]
	}
}

// overwrite keeps of each line the text after its last carriage return.
func overwrite(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		body = strings.TrimRight(body, "\r")
		b.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
