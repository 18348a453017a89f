package fs

import (
	"context"
	"math"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// defaultMaxSize is the default of ReadArgs.MaxSize.
const defaultMaxSize = 10 << 20

// ReadArgs are the arguments of read_file. Bytes (Offset, Length) and lines (StartLine, EndLine, LineNumbers) exclude each
// other; without any of them the file is read from its beginning.
type ReadArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path,omitempty"`
	// Paths are several files instead of one: see ReadMany. Offset and Length are for one file only.
	Paths []string `json:"paths,omitempty" jsonschema:"maxItems=50,description=Instead of path"`
	// Encoding of the file: auto, utf-8, utf-16le, utf-16be, shift-jis, euc-jp, iso-2022-jp, windows-1252 or binary, or
	// another usual name of one of these, such as utf-16 or cp932. The default is auto.
	//
	// auto is utf-8 whenever the bytes are valid UTF-8. It shows the first 1,024 bytes of a file that is no text, and an
	// image as an image. binary answers base64.
	Encoding string `json:"encoding,omitempty" jsonschema:"default=auto,description=utf-8\\, utf-16le\\, utf-16be\\, shift-jis\\, euc-jp\\, iso-2022-jp\\, windows-1252\\, binary (base64)\\, auto"`
	// Offset is the first byte.
	Offset int64 `json:"offset,omitempty" jsonschema:"minimum=0"`
	// Length is the number of bytes, at most 10,000,000. It lifts the budget of the answer to tools.Limits.MaxAnswer.
	// 0 is the rest of the file, under the usual budget.
	Length int64 `json:"length,omitempty" jsonschema:"minimum=1,maximum=10000000"`
	// MaxSize bounds the bytes of the file that an answer is made of. 0 is 10,485,760. More than tools.Limits.MaxFile is
	// taken for that. It does not bound the answer, see tools.Limits.Answer, nor what is passed over to find a line.
	MaxSize int64 `json:"maxSize,omitempty" jsonschema:"minimum=1,default=10485760,description=Of the file\\, not the answer"`
	// StartLine and EndLine are the first and the last line, from 1; a negative number counts from the end, -1 being the
	// last line. 0 is the first line of the file or its last.
	StartLine int `json:"startLine,omitempty" jsonschema:"description=From 1; -20: last 20 lines"`
	EndLine   int `json:"endLine,omitempty"`
	// LineNumbers puts numbers before the lines of TextContent, never of Content. The default is true for a range of
	// lines and false otherwise.
	LineNumbers *bool `json:"lineNumbers,omitempty"`
}

// ReadResult is what read_file answers.
type ReadResult struct {
	// Path names the file in another call: links are resolved.
	Path string `json:"path"`
	// Content is the characters, with the line ends of the file and without its byte-order mark, or base64 if Encoding is
	// binary. It is never numbered.
	Content string `json:"content"`
	// Size of the file in bytes.
	Size int64 `json:"size"`
	// Encoding that the content was decoded from, or binary.
	Encoding string `json:"encoding"`
	// Truncated tells that the answer has less than was asked for, because of its budget or of MaxSize.
	Truncated    bool      `json:"truncated"`
	LastModified time.Time `json:"lastModified"` // UTC, to the millisecond
	// SHA256 of the whole file, in hexadecimal, for WriteArgs.ExpectedSHA256; also when only a part was asked for. It is
	// empty for a file larger than MaxSize, which is never read whole.
	SHA256 string `json:"sha256,omitempty"`
	// EOL is none, lf, crlf, cr or mixed: of the whole file, or of the content if the file is larger than MaxSize.
	EOL string `json:"eol,omitempty"`
	BOM bool   `json:"bom,omitempty"` // whether the file begins with a byte-order mark
	// TotalLines of the file; 0 when they were not counted, as in a file larger than MaxSize.
	TotalLines int `json:"totalLines,omitempty"`
	// StartLine and EndLine are the lines in Content, the last one being cut if NextOffset is set. They are 0 for a range
	// of bytes and for no lines. At the end of a file larger than MaxSize they are negative and count from its end.
	StartLine int `json:"startLine,omitempty"`
	EndLine   int `json:"endLine,omitempty"`
	// Offset is where the content of a range of bytes begins.
	Offset int64 `json:"offset,omitempty"`
	// NextLine is the startLine to go on with; 0 when there is no further line, or when NextOffset must be read first in
	// a file whose lines were not counted.
	NextLine int `json:"nextLine,omitempty"`
	// NextOffset is the offset to go on with, after a range of bytes or in the middle of a line that is longer than an
	// answer; 0 when there is none.
	NextOffset int64 `json:"nextOffset,omitempty"`
	// MIMEType of what is no text, by its first bytes.
	MIMEType string `json:"mimeType,omitempty"`
	// Image is the file itself if it is a PNG, JPEG, GIF or WebP image of at most 3,750,000 bytes that was asked for as a
	// whole, with the encoding auto or binary. MCP clients get it as an image.
	Image []byte `json:"-"`

	numbered bool
	apart    bool   // an image that is not shown because it is one of several files
	limited  string // what maxSize has to do with the end of a truncated content
}

// request is ReadArgs with everything resolved.
type request struct {
	ReadArgs
	encoding textfile.Encoding
	limit    int64 // of bytes that are taken from the file
	budget   int   // of bytes that are answered
	numbered bool
	several  bool // it is one of several files
}

func (r *request) bytes() bool { return r.Offset != 0 || r.Length != 0 }

// Read is read_file for one file.
func (f *Files) Read(ctx context.Context, args ReadArgs) (ReadResult, error) {
	if len(args.Paths) > 0 {
		return ReadResult{}, invalid("call ReadMany, or give one path", "paths are several files, and Read answers one")
	}
	r, err := f.request(args)
	if err != nil {
		return ReadResult{}, err
	}
	return f.readFile(ctx, r)
}

// readFile reads the one file of a request.
func (f *Files) readFile(ctx context.Context, r request) (ReadResult, error) {
	s, err := f.open(ctx, r.Path, r.limit)
	if err != nil {
		return ReadResult{}, err
	}
	defer s.Close()
	if !r.several {
		r.budget = f.budget(r.Length, s.info.Path)
	}
	result := ReadResult{
		Path:         s.info.Path,
		Size:         s.size,
		LastModified: s.info.ModTime.UTC().Truncate(time.Millisecond),
	}
	digest := s.sha256()
	err = s.read(ctx, r, &result)
	result.SHA256 = digest()
	if err != nil {
		return ReadResult{}, about("reading", r.Path, err)
	}
	result.limited = r.limitedBy()
	if result.whole() {
		f.ledger.Saw(ctx, result.Path, result.SHA256)
	}
	return result, nil
}

// whole reports whether the content is all of the file.
func (r *ReadResult) whole() bool {
	return !r.Truncated && r.NextLine == 0 && r.NextOffset == 0 && r.Offset == 0 && (r.StartLine == 1 || r.StartLine == 0 && r.EndLine == 0)
}

// read fills in everything that depends on what the file holds.
func (s *source) read(ctx context.Context, r request, result *ReadResult) error {
	if r.Offset > s.size {
		return badRange("give an offset of at most "+number(s.size)+", or none", "byte %d was asked for, but the file has %d", r.Offset, s.size)
	}
	d, err := s.decode(r.encoding)
	if err != nil {
		return err
	}
	if d == nil {
		return s.readBinary(r, result)
	}
	result.BOM = d.start > 0
	if d.held {
		d.describe(result)
	}
	if r.bytes() {
		err = d.readBytes(r, result)
	} else {
		err = d.readLines(ctx, r, result)
	}
	if !d.held {
		result.EOL = textfile.DetectEOL(result.Content).String()
	}
	return err
}

// request checks the arguments and applies the defaults.
func (f *Files) request(args ReadArgs) (request, error) {
	r := request{ReadArgs: args, limit: f.maxSize(args.MaxSize), numbered: or(args.LineNumbers, args.StartLine != 0 || args.EndLine != 0)}
	var err error
	if r.encoding, err = textfile.Parse(r.Encoding); err != nil {
		return r, err
	}
	r.StartLine, r.EndLine = bounded(r.StartLine), bounded(r.EndLine)
	const choose = "ask for lines or for bytes"
	byByte, byLine := firstOf("offset", r.Offset != 0, "length", r.Length != 0), firstOf("startLine", r.StartLine != 0, "endLine", r.EndLine != 0)
	switch {
	case r.Path == "" && len(r.Paths) == 0:
		return r, invalid("give the path of a file, or several with paths", "neither path nor paths is given")
	case r.Path != "" && len(r.Paths) > 0:
		return r, conflict("path", "paths", "give one of them")
	case byByte != "" && len(r.Paths) > 0:
		return r, conflict(byByte, "paths", "read the file by its path alone")
	case r.Offset < 0 || r.Length < 0 || r.Length > 10_000_000 || r.MaxSize < 0:
		return r, invalid("give an offset of 0 or more, a length of 1 to 10000000 and a maxSize of 1 or more",
			"offset %d, length %d, maxSize %d is out of bounds", r.Offset, r.Length, r.MaxSize)
	case byByte != "" && byLine != "":
		return r, conflict(byByte, byLine, choose)
	case byByte != "" && r.numbered:
		return r, conflict(byByte, "lineNumbers", choose)
	case byLine != "" && r.encoding == textfile.Binary:
		return r, conflict(byLine, "encoding binary", "use offset and length, or the encoding of the text")
	case r.numbered && r.encoding == textfile.Binary:
		return r, conflict("lineNumbers", "encoding binary", "leave lineNumbers out")
	}
	return r, nil
}

// budget is what the content may take of an answer about a file: what is said around it counts too.
func (f *Files) budget(length int64, path string) int {
	whole := f.limits.Answer
	if length > 0 {
		whole = f.limits.MaxAnswer
	}
	return max(whole-min(whole/4, around(path)), minBudget)
}

// around is what an answer says of a file beside its content, in bytes.
func around(path string) int { return 384 + len(path) }

// limitedBy says whether the maxSize of a request limits its answer, or the budget of answers does. It is "" without a maxSize.
func (r *request) limitedBy() string {
	switch {
	case r.MaxSize == 0:
		return ""
	case r.limit < int64(r.budget):
		return " by maxSize"
	}
	return " at the " + number(int64(r.budget)) + " bytes of an answer, which maxSize does not raise"
}

// minBudget is the least that an answer holds, so that reading always goes on.
const minBudget = 64

// maxSize is how much of a file is taken.
func (f *Files) maxSize(asked int64) int64 {
	if asked <= 0 {
		asked = defaultMaxSize
	}
	return min(asked, f.limits.MaxFile)
}

// bounded keeps a line number from overflowing; no file has that many lines.
func bounded(n int) int { return min(max(n, -math.MaxInt/4), math.MaxInt/4) }

// firstOf is the name of the first argument that is given.
func firstOf(one string, hasOne bool, other string, hasOther bool) string {
	switch {
	case hasOne:
		return one
	case hasOther:
		return other
	}
	return ""
}

// listInstead is the advice for a directory that was taken for a file.
func listInstead(path string) func(string) string {
	return func(string) string { return "Call list_directory with the path " + quote(path) + "." }
}

// open opens the file and says what to do about a directory.
func (f *Files) open(ctx context.Context, path string, limit int64) (*source, error) {
	s, err := openSource(ctx, f.root, path, limit)
	if err != nil {
		return nil, about("reading", path, advise(err, security.IsDirectory, listInstead(path)))
	}
	return s, nil
}
