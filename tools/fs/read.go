package fs

import (
	"context"
	"math"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// defaultMaxSize is the default of ReadArgs.MaxSize: 10 MiB.
const defaultMaxSize = 10 << 20

// ReadArgs are the arguments of read_file. A call reads bytes (Offset, Length) or lines (StartLine, EndLine, LineNumbers), not
// both. Without any of them the file is read from its beginning.
type ReadArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path,omitempty"`
	// Paths are several files instead of one, at most 50; see ReadMany. Offset and Length must not be set.
	Paths []string `json:"paths,omitempty" jsonschema:"maxItems=50,description=Instead of path"`
	// Encoding of the file: auto, utf-8, utf-16le, utf-16be, shift-jis, euc-jp, iso-2022-jp, windows-1252 or binary, or an
	// alias such as utf-16 or cp932. The default is auto.
	//
	// auto is utf-8 if the bytes are valid UTF-8. Of a binary file auto returns the first 1,024 bytes, and an image as an
	// image. binary returns base64.
	Encoding string `json:"encoding,omitempty" jsonschema:"default=auto,description=utf-8\\, utf-16le\\, utf-16be\\, shift-jis\\, euc-jp\\, iso-2022-jp\\, windows-1252\\, binary (base64)\\, auto"`
	// Offset is the first byte, from 0.
	Offset int64 `json:"offset,omitempty" jsonschema:"minimum=0"`
	// Length is the number of bytes, at most 10,000,000. It raises the budget of the answer to tools.Limits.MaxAnswer. 0 is the
	// rest of the file with the usual budget.
	Length int64 `json:"length,omitempty" jsonschema:"minimum=1,maximum=10000000"`
	// MaxSize is the most bytes of the file that an answer contains. 0 is 10,485,760. The limit is tools.Limits.MaxFile.
	// MaxSize does not bound the answer (see tools.Limits.Answer) or the bytes that are skipped to find a line.
	MaxSize int64 `json:"maxSize,omitempty" jsonschema:"minimum=1,default=10485760,description=Of the file\\, not the answer"`
	// StartLine and EndLine are the first and the last line, from 1; a negative number counts from the end, -1 being the
	// last line. 0 is the first line of the file or its last.
	// StartLine and EndLine are the first and the last line, from 1. A negative number counts from the end: -1 is the last
	// line. 0 is the first or the last line of the file.
	StartLine int `json:"startLine,omitempty" jsonschema:"description=From 1; -20: last 20 lines"`
	EndLine   int `json:"endLine,omitempty"`
	// LineNumbers puts numbers before the lines of TextContent, never of Content. The default is true for a range of lines,
	// otherwise false.
	LineNumbers *bool `json:"lineNumbers,omitempty"`
}

// ReadResult is the result of read_file.
type ReadResult struct {
	// Path is the path of the file after links. Other calls accept it.
	Path string `json:"path"`
	// Content is the text with the line ends of the file and without its byte-order mark, or base64 if Encoding is binary. It
	// contains no line numbers.
	Content string `json:"content"`
	// Size of the file in bytes.
	Size int64 `json:"size"`
	// Encoding of the file, or binary.
	Encoding string `json:"encoding"`
	// Truncated means that the answer has less than the call asked for, because of its budget or of MaxSize.
	Truncated    bool      `json:"truncated"`
	LastModified time.Time `json:"lastModified"` // UTC, to the millisecond
	// SHA256 is the digest of the complete file in hexadecimal, also for a partial read, for WriteArgs.ExpectedSHA256. It is
	// empty for a file larger than MaxSize.
	SHA256 string `json:"sha256,omitempty"`
	// EOL is none, lf, crlf, cr or mixed: of the file, or of the content if the file is larger than MaxSize.
	EOL string `json:"eol,omitempty"`
	BOM bool   `json:"bom,omitempty"` // whether the file begins with a byte-order mark
	// TotalLines of the file. 0 if they were not counted, as in a file larger than MaxSize.
	TotalLines int `json:"totalLines,omitempty"`
	// StartLine and EndLine are the lines in Content. The last line is incomplete if NextOffset is set. They are 0 for a range
	// of bytes and for an empty file. They are negative, counted from the end, for the end of a file larger than MaxSize.
	StartLine int `json:"startLine,omitempty"`
	EndLine   int `json:"endLine,omitempty"`
	// Offset is the first byte of the content of a range of bytes.
	Offset int64 `json:"offset,omitempty"`
	// NextLine is the startLine of the next call. 0 if no line follows, or if NextOffset must be read first in a file whose
	// lines were not counted.
	NextLine int `json:"nextLine,omitempty"`
	// NextOffset is the offset of the next call, after a range of bytes or inside a line that is longer than an answer.
	// Otherwise it is 0.
	NextOffset int64 `json:"nextOffset,omitempty"`
	// Unsaved is the name of the editor whose unsaved text this is. It is empty for the file on the disk.
	Unsaved string `json:"unsaved,omitempty"`
	// NotOnDisk means that there is no file: the editor has the text of a document that was never saved.
	NotOnDisk bool `json:"notOnDisk,omitempty"`
	// MIMEType of a binary file, by its first bytes.
	MIMEType string `json:"mimeType,omitempty"`
	// Image is the content of a PNG, JPEG, GIF or WebP file of at most 3,750,000 bytes that was read completely with the
	// encoding auto or binary. MCP clients receive it as an image.
	Image []byte `json:"-"`

	// TextContent has line numbers
	numbered     bool
	imageOmitted bool   // the image is omitted because it is one of several files
	limitNote    string // note on the effect of maxSize, for a truncated answer
}

// request is ReadArgs after validation, with defaults applied.
type request struct {
	ReadArgs
	encoding textfile.Encoding
	limit    int64 // most bytes that are read from the file
	budget   int   // most bytes of content in the answer
	// TextContent has line numbers
	numbered bool
	multiple bool // the file is one of several
}

// isByteRange reports whether the request is for a range of bytes.
func (r *request) isByteRange() bool { return r.Offset != 0 || r.Length != 0 }

// Read implements read_file for one file. It fails if args.Paths is set.
func (f *Files) Read(ctx context.Context, args ReadArgs) (ReadResult, error) {
	if len(args.Paths) > 0 {
		return ReadResult{}, invalid("call ReadMany, or give one path", "paths are several files, and Read returns one")
	}
	r, err := f.request(args)
	if err != nil {
		return ReadResult{}, err
	}
	return f.readFile(ctx, r)
}

// readFile reads the file of a request. The ledger records a complete read for the peer.
func (f *Files) readFile(ctx context.Context, r request) (ReadResult, error) {
	s, err := f.open(ctx, r.Path, r.limit)
	if err != nil {
		return ReadResult{}, err
	}
	defer s.Close()
	if !r.multiple {
		r.budget = f.budget(r.Length, s.info.Path)
	}
	result := ReadResult{
		Path:         s.info.Path,
		Size:         s.size,
		LastModified: s.info.ModTime.UTC().Truncate(time.Millisecond),
		Unsaved:      s.info.Unsaved,
		NotOnDisk:    s.info.NotOnDisk,
	}
	digest := s.sha256()
	err = s.read(ctx, r, &result)
	result.SHA256 = digest()
	if err != nil {
		return ReadResult{}, wrapPath("reading", r.Path, err)
	}
	result.limitNote = r.limitNote()
	if result.isComplete() {
		f.ledger.Record(ctx, result.Path, result.SHA256)
	}
	return result, nil
}

// isComplete reports whether the content is the complete file.
func (r *ReadResult) isComplete() bool {
	return !r.Truncated && r.NextLine == 0 && r.NextOffset == 0 && r.Offset == 0 && (r.StartLine == 1 || r.StartLine == 0 && r.EndLine == 0)
}

// read sets the members of the result that depend on the content.
func (s *source) read(ctx context.Context, r request, result *ReadResult) error {
	if r.Offset > s.size {
		return badRange("give an offset of at most "+number(s.size)+", or none", "byte %d was requested, but the file has %d", r.Offset, s.size)
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
		d.describeLines(result)
	}
	if r.isByteRange() {
		err = d.readBytes(r, result)
	} else {
		err = d.readLines(ctx, r, result)
	}
	if !d.held {
		result.EOL = textfile.DetectEOL(result.Content).String()
	}
	return err
}

// request validates the arguments and applies the defaults.
func (f *Files) request(args ReadArgs) (request, error) {
	r := request{ReadArgs: args, limit: f.maxSize(args.MaxSize), numbered: valueOr(args.LineNumbers, args.StartLine != 0 || args.EndLine != 0)}
	var err error
	if r.encoding, err = textfile.Parse(r.Encoding); err != nil {
		return r, err
	}
	r.StartLine, r.EndLine = clampLine(r.StartLine), clampLine(r.EndLine)
	const choose = "ask for lines or for bytes"
	byByte, byLine := firstGiven("offset", r.Offset != 0, "length", r.Length != 0), firstGiven("startLine", r.StartLine != 0, "endLine", r.EndLine != 0)
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

// budget returns the most bytes of content for one file in an answer. It subtracts the bytes of the surrounding text.
func (f *Files) budget(length int64, path string) int {
	whole := f.limits.Answer
	if length > 0 {
		whole = f.limits.MaxAnswer
	}
	return max(whole-min(whole/4, headerBytes(path)), minBudget)
}

// headerBytes returns an estimate of the bytes that an answer has for a file beside its content.
func headerBytes(path string) int { return 384 + len(path) }

// limitNote returns a note: whether maxSize or the budget of the answer limits the content. It is empty without a maxSize.
func (r *request) limitNote() string {
	switch {
	case r.MaxSize == 0:
		return ""
	case r.limit < int64(r.budget):
		return " by maxSize"
	}
	return " at the " + number(int64(r.budget)) + " bytes of an answer, which maxSize does not raise"
}

// minBudget is the least budget in bytes, so that every answer makes progress.
const minBudget = 64

// maxSize returns the most bytes of a file to hold: the argument or its default, at most Limits.MaxFile.
func (f *Files) maxSize(asked int64) int64 {
	if asked <= 0 {
		asked = defaultMaxSize
	}
	return min(asked, f.limits.MaxFile)
}

// clampLine clamps a line number, so that sums do not overflow.
func clampLine(n int) int { return min(max(n, -math.MaxInt/4), math.MaxInt/4) }

// firstGiven returns the name of the first given argument, or "".
func firstGiven(one string, hasOne bool, other string, hasOther bool) string {
	switch {
	case hasOne:
		return one
	case hasOther:
		return other
	}
	return ""
}

// listAdvice returns the advice to list a directory.
func listAdvice(path string) func(string) string {
	return func(string) string { return "Call list_directory with the path " + quote(path) + "." }
}

// open opens the file. If the path is a directory, the error advises list_directory.
func (f *Files) open(ctx context.Context, path string, limit int64) (*source, error) {
	s, err := openSource(ctx, f.root, path, limit)
	if err != nil {
		return nil, wrapPath("reading", path, withNextStep(err, security.IsDirectory, listAdvice(path)))
	}
	return s, nil
}
