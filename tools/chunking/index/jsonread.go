package index

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// jsonFile is the JSON format of AppendJSON.
type jsonFile struct {
	Version     int             `json:"version"`
	Path        string          `json:"path"`
	Language    source.Language `json:"language"`
	Parser      string          `json:"parser"`
	SHA256      string          `json:"sha256"`
	Size        int64           `json:"size"`
	TextSize    int64           `json:"textSize"`
	Modified    time.Time       `json:"modified"`
	Read        time.Time       `json:"read"`
	Fingerprint string          `json:"fingerprint"`
	Start       string          `json:"start"`
	Chunks      []jsonChunk     `json:"chunks"`
	Imports     []struct {
		Path string `json:"path"`
		Line int32  `json:"line"`
	} `json:"imports"`
	Calls []struct {
		Name  string `json:"name"`
		Line  int32  `json:"line"`
		Chunk int32  `json:"chunk"`
	} `json:"calls"`
	Problems []struct {
		Line    int32  `json:"line"`
		Message string `json:"message"`
	} `json:"problems"`
}

type jsonChunk struct {
	Kind      source.Kind `json:"kind"`
	Name      string      `json:"name"`
	Labels    string      `json:"labels"`
	Container *string     `json:"container"`
	Signature string      `json:"signature"`
	StartLine int32       `json:"startLine"`
	Line      *int32      `json:"line"`
	IdentLine *int32      `json:"identLine"`
	EndLine   *int32      `json:"endLine"`
	Start     int32       `json:"start"`
	Doc       int32       `json:"doc"`
	DocEnd    int32       `json:"docEnd"`
	Decl      *int32      `json:"decl"`
	Sig       *int32      `json:"sig"`
	Ident     *int32      `json:"ident"`
	Body      int32       `json:"body"`
	End       int32       `json:"end"`
	Parent    *int32      `json:"parent"`
}

// ParseJSON decodes the output of AppendJSON and checks it. JSON cannot hold bytes that
// are not UTF-8. Files with such bytes are refused, so that their source is parsed
// again.
func ParseJSON(data []byte) (*File, error) {
	var j jsonFile
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("reading a file of chunks: %w", err)
	}
	f, err := j.file()
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return nil, fmt.Errorf("reading a file of chunks: %w", err)
	}
	f.complete()
	return f, nil
}

func (j *jsonFile) file() (*File, error) {
	if j.Version != jsonVersion {
		return nil, fmt.Errorf("it is of version %d, not %d", j.Version, jsonVersion)
	}
	f := &File{Path: j.Path, Size: j.Size, textSize: j.TextSize, ModTime: j.Modified, start: j.Start, read: j.Read.UnixNano()}
	if len(j.SHA256) != 2*len(f.Hash) {
		return nil, errors.New("its sha256 has a wrong length")
	}
	if _, err := hex.Decode(f.Hash[:], []byte(j.SHA256)); err != nil {
		return nil, fmt.Errorf("its sha256: %w", err)
	}
	var err error
	if f.fingerprint, err = strconv.ParseUint(j.Fingerprint, 16, 64); err != nil {
		return nil, fmt.Errorf("its fingerprint: %w", err)
	}
	if j.replaced() {
		return nil, errors.New("its source is not UTF-8")
	}
	f.setParsed(j.parsed())
	return f, nil
}

func (j *jsonFile) parsed() *source.File {
	f := &source.File{Language: j.Language, Parser: j.Parser, Chunks: make([]source.Chunk, len(j.Chunks))}
	for i := range j.Chunks {
		f.Chunks[i] = j.Chunks[i].chunk()
		c := &f.Chunks[i]
		switch given := j.Chunks[i].Container; {
		case given != nil:
			c.Container = *given
		case i > 0 && c.Parent == f.Chunks[i-1].Parent && j.Chunks[i-1].Container == nil:
			c.Container = f.Chunks[i-1].Container
		case int(c.Parent) < i: // others are refused by check
			c.Container = parentPath(f.Chunks, c.Parent)
		}
	}
	for _, m := range j.Imports {
		f.Imports = append(f.Imports, source.Import{Path: m.Path, Line: m.Line})
	}
	for _, c := range j.Calls {
		f.Calls = append(f.Calls, source.Call{Name: c.Name, Line: c.Line, Chunk: c.Chunk})
	}
	for _, p := range j.Problems {
		f.Problems = append(f.Problems, source.Problem{Line: p.Line, Message: p.Message})
	}
	return f
}

// replaced reports whether a text contains the replacement character, so that bytes may
// have been lost.
func (j *jsonFile) replaced() bool {
	lost := func(s string) bool { return strings.ContainsRune(s, utf8.RuneError) }
	any := lost(j.Path)
	for i := range j.Chunks {
		c := &j.Chunks[i]
		any = any || lost(c.Name) || lost(c.Labels) || c.Container != nil && lost(*c.Container) || lost(c.Signature)
	}
	for _, m := range j.Imports {
		any = any || lost(m.Path)
	}
	for _, c := range j.Calls {
		any = any || lost(c.Name)
	}
	return any
}

func (j *jsonChunk) chunk() source.Chunk {
	c := source.Chunk{
		Kind: j.Kind, Name: j.Name, Labels: j.Labels, Signature: j.Signature,
		Start: j.Start, Doc: j.Doc, DocEnd: j.DocEnd, Body: j.Body, End: j.End,
		StartLine: j.StartLine, Parent: -1,
	}
	c.Decl = or(j.Decl, c.Start)
	c.Sig = or(j.Sig, c.Decl)
	c.Ident = or(j.Ident, c.Sig)
	c.Line = or(j.Line, c.StartLine)
	c.IdentLine = or(j.IdentLine, c.Line)
	c.EndLine = or(j.EndLine, c.IdentLine)
	if j.Parent != nil {
		c.Parent = *j.Parent
	}
	return c
}

// or returns *n, or other if n is nil.
func or(n *int32, other int32) int32 {
	if n == nil {
		return other
	}
	return *n
}
