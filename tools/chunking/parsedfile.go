package chunking

import (
	"context"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// parsedFile is a file as it is now.
type parsedFile struct {
	*index.File
	chunks  []source.Chunk
	imports []source.Import
	src     []byte
	was     *index.File // as it was indexed before, or nil
}

// newParsedFile returns a text with the chunks that a parser found in it.
func newParsedFile(file *index.File, parsed *source.File, src []byte) *parsedFile {
	return &parsedFile{File: file, chunks: parsed.Chunks, imports: parsed.Imports, src: src}
}

// open reads a file.
func (c *Chunks) open(ctx context.Context, path, language string) (*parsedFile, error) {
	lang, err := c.language(language)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, invalid("give the path of a source file", "filePath is empty")
	}
	before := c.index.Snapshot()
	file, src, err := c.index.ReadFile(ctx, path, lang)
	if err != nil {
		return nil, notSource(path, c.options.Parsers.Languages(), err)
	}
	parsed, err := file.Parsed()
	if err != nil {
		return nil, err
	}
	s := newParsedFile(file, parsed, src)
	s.was, _ = before.Lookup(file.Path)
	return s, nil
}

// language reads the optional argument of this name; "" is that of the file's
// name.
func (c *Chunks) language(name string) (source.Language, error) {
	if name == "" {
		return "", nil
	}
	lang, ok := c.options.Parsers.LanguageNamed(name)
	if !ok {
		return "", invalid("use one of "+source.LanguageNames(c.options.Parsers.Languages())+", or leave language out", "the language %s is not known", quote(name))
	}
	return lang, nil
}

// digest is the SHA-256 of the content, in hexadecimal.
func (s *parsedFile) digest() string { return hex.EncodeToString(s.Hash[:]) }

// text is a part of the file as characters.
func (s *parsedFile) text(start, end int32) string {
	part := s.src[start:end]
	if utf8.Valid(part) {
		return string(part)
	}
	if whole, err := textfile.Decode(s.src, textfile.Auto); err == nil {
		if text, err := textfile.Decode(part, whole.Encoding); err == nil {
			return text.Content
		}
	}
	return strings.ToValidUTF8(string(part), "\uFFFD")
}

// chunk is one chunk of a source.
type chunk struct {
	*parsedFile
	n int
}

func (c chunk) get() *source.Chunk { return &c.chunks[c.n] }
func (c chunk) id() string         { return c.ID(c.n) }
func (c chunk) code() string       { return c.text(c.get().Start, c.get().End) }

// moved says that the chunk is not where the index had it, in a file that has
// changed.
func (c chunk) moved() bool {
	if c.was == nil || c.was.Hash == c.Hash {
		return false
	}
	i, ok := c.was.Named(strings.TrimPrefix(c.id(), c.Path+"#"))
	if !ok {
		return true
	}
	before, err := c.was.Parsed()
	if err != nil {
		return true // where it was is not known any more
	}
	old := &before.Chunks[i]
	return old.StartLine != c.get().StartLine || old.EndLine != c.get().EndLine
}
