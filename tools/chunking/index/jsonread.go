package index

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// errLine is the error for a line that AppendJSON cannot have written.
var errLine = fmt.Errorf("%w: a line is not as it was written", errDamaged)

// ParseJSON decodes the output of AppendJSON and checks it. Other JSON, also with the
// same members in another order, is refused.
func ParseJSON(data []byte) (*File, error) {
	line, err := cutLine(data)
	if err != nil {
		return nil, fmt.Errorf("reading a file of chunks: %w", err)
	}
	r := newLineReader()
	f, err := r.file(line, bytes.NewReader(data), 0)
	if err != nil {
		return nil, fmt.Errorf("reading a file of chunks: %w", err)
	}
	if f.parsed, err = f.load(); err != nil {
		return nil, fmt.Errorf("reading a file of chunks: %w", err)
	}
	f.stored = nil
	return f, nil
}

// line is a line of a log whose checksum is right.
type line struct {
	path string
	rest []byte // after the path
	at   int    // offset of rest in the line
}

func (l *line) isRemoved() bool { return string(l.rest) == lineRemoved }
func (l *line) isTouched() bool { return bytes.HasPrefix(l.rest, []byte(lineTouched)) }

// cutLine checks the head and the checksum of a line, whose final newline may be missing. The
// error is errVersion for a line of another version, otherwise errLine.
func cutLine(data []byte) (*line, error) {
	data = bytes.TrimSuffix(data, []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte(lineHead))
	if !ok {
		const version = `{"version":`
		number, isLine := bytes.CutPrefix(data, []byte(version))
		if isLine && len(number) > 0 && '0' <= number[0] && number[0] <= '9' && !bytes.HasPrefix(data, []byte(lineHead[:len(version)+2])) {
			return nil, errVersion
		}
		return nil, errLine
	}
	if len(rest) < sumSize {
		return nil, errLine
	}
	sum, err := strconv.ParseUint(string(rest[:sumSize]), 16, 32)
	if rest = rest[sumSize:]; err != nil || uint32(sum) != crc32.Checksum(rest, castagnoli) {
		return nil, errLine
	}
	r := lineReader{data: rest}
	r.literal(linePath)
	path := string(r.string())
	if r.has(linePathBytes[:len(linePathBytes)-1]) {
		path = string(r.base64())
	}
	if r.bad || path == "" {
		return nil, errLine
	}
	return &line{path, r.data, len(data) - len(r.data)}, nil
}

// lineReader decodes lines. Its buffers and texts are used for several lines.
type lineReader struct {
	data []byte
	bad  bool // set by the first error; later reads return zero values

	room  *slabs
	names []byte            // buffer for the names of one file
	texts map[string]string // frequent texts: languages, parsers and directories
	group []groupNames      // buffer for one group of symbols
}

// groupNames are the name and the labels of a symbol.
type groupNames struct{ name, labels []byte }

func newLineReader() *lineReader {
	return &lineReader{room: &slabs{least: 1024}, texts: make(map[string]string)}
}

// times decodes the members of appendJSONTimes.
func (r *lineReader) times(f *File) {
	r.literal(lineModified[:len(lineModified)-1])
	f.ModTime = r.time()
	r.literal(`,"read":`)
	f.read = r.time().UnixNano()
}

// touch sets the times of f to those of the line of a touched file, unless f has another content.
func (r *lineReader) touch(l *line, f *File) {
	r.data, r.bad = l.rest, false
	var touched File
	r.literal(lineTouched[:len(lineTouched)-1])
	r.hash(&touched)
	r.times(&touched)
	if r.literal("}"); !r.bad && len(r.data) == 0 && touched.Hash == f.Hash {
		f.ModTime, f.read = touched.ModTime, touched.read
	}
}

// hash decodes a digest.
func (r *lineReader) hash(f *File) {
	digits := r.string()
	if len(digits) != hex.EncodedLen(len(f.Hash)) {
		r.fail()
	} else if _, err := hex.Decode(f.Hash[:], digits); err != nil {
		r.fail()
	}
}

// file decodes the line of a file, which begins at an offset of a log. The file refers to the log for its detail.
func (r *lineReader) file(l *line, log io.ReaderAt, at int64) (*File, error) {
	r.data, r.bad = l.rest, false
	both := new(struct {
		File
		stored
	})
	f := &both.File
	f.Path, f.stored = l.path, &both.stored
	r.literal(`,"language":`)
	f.Language = source.Language(r.frequent())
	r.literal(`,"parser":`)
	f.Parser = r.frequent()
	r.literal(`,"sha256":`)
	r.hash(f)
	r.literal(`,"size":`)
	f.Size = r.number()
	r.literal(`,"textSize":`)
	f.textSize = r.number()
	r.times(f)
	r.literal(`,"fingerprint":`)
	var err error
	if f.fingerprint, err = strconv.ParseUint(string(r.string()), 16, 64); err != nil {
		r.fail()
	}
	r.literal(`,"start":`)
	f.start = r.frequent()
	r.literal(`,"problems":[`)
	for !r.bad && !r.has("]") {
		if len(f.Problems) > 0 {
			r.literal(",")
		}
		r.literal(`{"line":`)
		p := source.Problem{Line: int32(min(max(r.number(), -1), maxNumber))}
		r.literal(`,"message":`)
		p.Message = string(r.string())
		r.literal("}")
		f.Problems = append(f.Problems, p)
	}
	r.literal(`,"symbols":`)
	if r.has("[") {
		r.symbols(f)
	} else {
		r.encodedNames(f, r.base64())
	}
	r.literal(`,"detail":`)
	from := l.at + len(l.rest) - len(r.data) + 1
	detail := r.string()
	if r.literal("}"); r.bad || len(r.data) > 0 {
		return nil, errLine
	}
	both.stored = stored{from: log, at: at + int64(from), size: uint32(len(detail)), sum: crc32.Checksum(detail, castagnoli)}
	f.complete()
	if err := f.checkHead(); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return f, nil
}

// symbols decodes the groups of symbols, up to the end of their list, into the names of f.
func (r *lineReader) symbols(f *File) {
	n := 0
	text := r.names[:0]
	container := ""
	for first := true; !r.bad && !r.has("]"); first = false {
		if !first {
			r.literal(",")
		}
		r.literal(`{"kind":`)
		var kind source.Kind
		if kind.UnmarshalText(r.string()) != nil {
			r.fail()
		}
		in := ""
		if r.has(`,"in":`) {
			in = string(r.string())
		}
		r.group = r.group[:0]
		r.literal(`,"names":[`)
		for i := 0; !r.bad && !r.has("]"); i++ {
			if i > 0 {
				r.literal(",")
			}
			r.group = append(r.group, groupNames{name: r.string()})
		}
		if r.has(`,"labels":[`) {
			for i := range r.group {
				if i > 0 {
					r.literal(",")
				}
				r.group[i].labels = r.string()
			}
			r.literal("]")
		}
		r.literal("}")
		for _, one := range r.group {
			text = append(text, byte(kind))
			text = append(appendNumber(text, int32(len(one.name))), one.name...)
			text = append(appendNumber(text, int32(len(one.labels))), one.labels...)
			if in == container {
				text = append(text, 0)
			} else {
				text = append(appendNumber(text, int32(len(in)+1)), in...)
			}
			container = in
			n++
		}
	}
	r.names = text
	count := appendNumber(nil, int32(n))
	r.encodedNames(f, append(count[:len(count):len(count)], text...))
}

// encodedNames decodes the output of appendNames into f.
func (r *lineReader) encodedNames(f *File, text []byte) {
	encoded := reader{data: text}
	encoded.names(f, r.room)
	if encoded.bad || len(encoded.data) > 0 {
		r.fail()
	}
}

// base64 decodes a string in base64.
func (r *lineReader) base64() []byte {
	data, err := base64.StdEncoding.AppendDecode(nil, r.string())
	if err != nil {
		r.fail()
	}
	return data
}

func (r *lineReader) fail() { r.bad, r.data = true, nil }

// literal skips a text that must be next.
func (r *lineReader) literal(text string) {
	if !r.has(text) {
		r.fail()
	}
}

// has skips a text if it is next.
func (r *lineReader) has(text string) bool {
	if len(r.data) < len(text) || string(r.data[:len(text)]) != text {
		return false
	}
	r.data = r.data[len(text):]
	return true
}

// string decodes a string. The result can share the memory of data.
func (r *lineReader) string() []byte {
	if !r.has(`"`) {
		r.fail()
		return nil
	}
	end := bytes.IndexByte(r.data, '"')
	if end < 0 {
		r.fail()
		return nil
	}
	text := r.data[:end]
	if bytes.IndexByte(text, '\\') < 0 {
		r.data = r.data[end+1:]
		return text
	}
	for end = 0; end < len(r.data) && r.data[end] != '"'; end++ {
		if r.data[end] == '\\' {
			end++
		}
	}
	if end >= len(r.data) {
		r.fail()
		return nil
	}
	var decoded string
	if json.Unmarshal(append(append([]byte{'"'}, r.data[:end]...), '"'), &decoded) != nil {
		r.fail()
		return nil
	}
	r.data = r.data[end+1:]
	return []byte(decoded)
}

// frequent decodes a string that is equal in most lines.
func (r *lineReader) frequent() string {
	text := r.string()
	known, ok := r.texts[string(text)]
	if !ok {
		known = string(text)
		r.texts[known] = known
	}
	return known
}

// number decodes a number from 0 to 2⁵³.
func (r *lineReader) number() int64 {
	n, digits := int64(0), 0
	for digits < len(r.data) && '0' <= r.data[digits] && r.data[digits] <= '9' && n < 1<<53 {
		n = 10*n + int64(r.data[digits]-'0')
		digits++
	}
	if digits == 0 || n > 1<<53 {
		r.fail()
		return 0
	}
	r.data = r.data[digits:]
	return n
}

func (r *lineReader) time() time.Time {
	at, err := time.Parse(time.RFC3339Nano, string(r.string()))
	if err != nil {
		r.fail()
	}
	return at
}

// decodeBase64 returns the bytes of a base64 text.
func decodeBase64(text []byte) ([]byte, error) {
	packed, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return nil, errors.Join(errPacked, err)
	}
	return packed, nil
}
