package chunking

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// parsedFile is the current content of a file with its chunks.
type parsedFile struct {
	*index.File
	chunks  []source.Chunk
	imports []source.Import
	src     []byte      // its text as UTF-8, to which the positions of chunks refer; see index.Text
	was     *index.File // indexed version, or nil
}

// newParsedFile returns a file with the chunks of a parse result.
func newParsedFile(file *index.File, parsed *source.File, src []byte) *parsedFile {
	return &parsedFile{File: file, chunks: parsed.Chunks, imports: parsed.Imports, src: src}
}

// open reads and parses a file.
func (c *Chunks) open(ctx context.Context, path, language string) (*parsedFile, error) {
	lang, err := c.language(language)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, invalid("Give the path of a source file.", "the path is empty")
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

// language parses the optional argument language; "" selects the language of the file name.
func (c *Chunks) language(name string) (source.Language, error) {
	if name == "" {
		return "", nil
	}
	lang, ok := c.options.Parsers.LanguageNamed(name)
	if !ok {
		return "", invalid("Use one of "+source.LanguageNames(c.options.Parsers.Languages())+", or leave language out.", "the language %s is not known", quote(name))
	}
	return lang, nil
}

// digest returns the SHA-256 digest of the content in hexadecimal form.
func (s *parsedFile) digest() string { return hex.EncodeToString(s.Hash[:]) }

// text returns a part of the text. Bytes that are no characters are replaced by U+FFFD.
func (s *parsedFile) text(start, end int32) string {
	return strings.ToValidUTF8(string(s.src[start:end]), "\uFFFD")
}

// chunk is one chunk of a file.
type chunk struct {
	*parsedFile
	n int
}

func (c chunk) get() *source.Chunk { return &c.chunks[c.n] }
func (c chunk) id() string         { return c.ID(c.n) }
func (c chunk) code() string       { return c.text(c.get().Start, c.get().End) }

// moved reports whether the file has changed and the chunk is not at its indexed position.
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
		return true // the indexed position is unknown
	}
	old := &before.Chunks[i]
	return old.StartLine != c.get().StartLine || old.EndLine != c.get().EndLine
}
