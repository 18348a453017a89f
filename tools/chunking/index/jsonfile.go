package index

import (
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/tools/source"
)

// Every line begins with lineHead, which has the version of the format, and the checksum of its rest: eight hexadecimal
// digits, the CRC-32C of the bytes from "path" to the closing brace.
const (
	lineHead      = `{"version":5,"sum":"`
	sumSize       = 8
	linePath      = `","path":`
	lineRemoved   = `,"removed":true}`
	lineModified  = `,"modified":"`
	linePathBytes = `,"pathBytes":"`
	lineTouched   = `,"touched":true,"sha256":"`
)

// AppendJSON appends the file as one line of JSON with a final newline, the format of
// the log of a JSONStore. The members have a fixed order.
//
// Symbols are the chunks in the order of the file, in groups of the same kind and container:
// {"kind":"method","in":"Stack","names":["Push","Pop"]}. A group has labels if one of its
// chunks has them. Detail is the rest of the parse result in a compressed binary form:
// positions, signatures, imports and calls. JSON cannot hold bytes that are not UTF-8: such a path has a member
// pathBytes, in base64, and symbols with such a name are one text, their binary form in base64.
//
// The errors are those of Parsed, but the source file is not read again.
func (f *File) AppendJSON(b []byte) ([]byte, error) {
	packed, err := f.packed()
	if err != nil {
		return b, err
	}
	b, sum := beginLine(b, f.Path)
	b = jsonText(b, `,"language":`, string(f.Language))
	b = jsonText(b, `,"parser":`, f.Parser)
	b = hex.AppendEncode(append(b, `,"sha256":"`...), f.Hash[:])
	b = jsonNumber(b, `","size":`, f.Size)
	b = jsonNumber(b, `,"textSize":`, f.textSize)
	b = f.appendJSONTimes(b)
	b = strconv.AppendUint(append(b, `,"fingerprint":"`...), f.fingerprint, 16)
	start := f.start
	if !utf8.ValidString(start) {
		start = "" // unknown
	}
	b = jsonText(b, `","start":`, start)
	b = append(b, `,"problems":[`...)
	for i, p := range f.Problems {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonText(jsonNumber(b, `{"line":`, int64(p.Line)), `,"message":`, p.Message), '}')
	}
	b = append(b, `],"symbols":`...)
	if f.hasUTF8Names() {
		b = append(f.appendJSONSymbols(append(b, '[')), ']')
	} else {
		b = append(base64.StdEncoding.AppendEncode(append(b, '"'), f.appendNames(nil)), '"')
	}
	b = base64.StdEncoding.AppendEncode(append(b, `,"detail":"`...), packed)
	return endLine(append(b, `"}`...), sum), nil
}

// appendJSONTimes appends the members that change when a file is touched.
func (f *File) appendJSONTimes(b []byte) []byte {
	b = f.ModTime.UTC().AppendFormat(append(b, lineModified...), time.RFC3339Nano)
	b = time.Unix(0, f.read).UTC().AppendFormat(append(b, `","read":"`...), time.RFC3339Nano)
	return append(b, '"')
}

// beginLine begins a line. It returns the offset of its checksum for endLine.
func beginLine(b []byte, path string) (_ []byte, sum int) {
	b = append(b, lineHead...)
	sum = len(b)
	b = append(b, "00000000"...)
	b = jsonx.AppendQuoted(append(b, linePath...), path)
	if !utf8.ValidString(path) {
		b = append(base64.StdEncoding.AppendEncode(append(b, linePathBytes...), []byte(path)), '"')
	}
	return b, sum
}

// endLine sets the checksum of the line at the end of b, and ends it.
func endLine(b []byte, sum int) []byte {
	var digits [4]byte
	n := crc32.Checksum(b[sum+sumSize:], castagnoli)
	digits[0], digits[1], digits[2], digits[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	hex.Encode(b[sum:sum+sumSize], digits[:])
	return append(b, '\n')
}

// appendTouched appends the line of a file of which only the times have changed since its
// last line.
func (f *File) appendTouched(b []byte) []byte {
	b, sum := beginLine(b, f.Path)
	b = append(hex.AppendEncode(append(b, lineTouched...), f.Hash[:]), '"')
	return endLine(append(f.appendJSONTimes(b), '}'), sum)
}

// appendRemoved appends the line of a removed file.
func appendRemoved(b []byte, path string) []byte {
	b, sum := beginLine(b, path)
	return endLine(append(b, lineRemoved...), sum)
}

// packed returns the packed detail.
func (f *File) packed() ([]byte, error) {
	if f.parsed == nil && f.stored != nil {
		return f.stored.packed()
	}
	detail, err := f.appendDetail(nil)
	if err != nil {
		return nil, err
	}
	return pack(nil, detail), nil
}

// hasUTF8Names reports whether JSON can hold the symbols.
func (f *File) hasUTF8Names() bool {
	for i := range f.Len() {
		if !utf8.ValidString(f.name(i)) || !utf8.ValidString(f.labels(i)) || !utf8.ValidString(f.container(i)) {
			return false
		}
	}
	return true
}

// appendJSONSymbols appends the groups of symbols.
func (f *File) appendJSONSymbols(b []byte) []byte {
	n := f.Len()
	for from, to := 0, 0; from < n; from = to {
		kind, container, labels := f.kind(from), f.container(from), false
		for to = from; to < n && f.kind(to) == kind && f.container(to) == container; to++ {
			labels = labels || f.labels(to) != ""
		}
		if from > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"kind":"`...), kind.String()...)
		b = append(b, '"')
		if container != "" {
			b = jsonText(b, `,"in":`, container)
		}
		b = f.appendJSONTexts(b, `,"names":[`, from, to, f.name)
		if labels {
			b = f.appendJSONTexts(b, `,"labels":[`, from, to, f.labels)
		}
		b = append(b, '}')
	}
	return b
}

func (f *File) appendJSONTexts(b []byte, head string, from, to int, text func(i int) string) []byte {
	for i := from; i < to; i++ {
		b = jsonText(b, head, text(i))
		head = ","
	}
	return append(b, ']')
}

func (f *File) kind(i int) source.Kind { return source.Kind(f.names.keys[i] >> kindShift) }

func jsonText(b []byte, name, text string) []byte {
	return jsonx.AppendQuoted(append(b, name...), text)
}

func jsonNumber(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}
