package chunking

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/textfile"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// source is a file as it is now.
type source struct {
	*index.File
	src []byte
	was *index.File // as it was indexed before, or nil
}

// open reads a file.
func (c *Chunks) open(ctx context.Context, path, language string) (*source, error) {
	lang, err := c.language(language)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, invalid("give the path of a source file", "filePath is empty")
	}
	was, _ := c.index.Lookup(path)
	file, src, err := c.index.Fresh(ctx, path, lang)
	if err != nil {
		return nil, notSource(path, c.options.Parsers.Languages(), err)
	}
	if was == nil && file.Path != path {
		was, _ = c.index.Lookup(file.Path)
	}
	return &source{file, src, was}, nil
}

// language reads the optional argument of this name; "" is that of the file's
// name.
func (c *Chunks) language(name string) (parse.Language, error) {
	if name == "" {
		return "", nil
	}
	lang, ok := parse.LanguageNamed(name)
	if !ok { // perhaps one that only these parsers know
		lang = parse.Language(name)
	}
	if !c.options.Parsers.Knows(lang) {
		known := c.options.Parsers.Languages()
		names := make([]string, len(known))
		for i := range known {
			names[i] = string(known[i])
		}
		return "", invalid("use one of "+strings.Join(names, ", ")+", or leave language out", "the language %s is not known", quote(name))
	}
	return lang, nil
}

// digest is the SHA-256 of the content, in hexadecimal.
func (s *source) digest() string { return hex.EncodeToString(s.Hash[:]) }

// text is a part of the file as characters.
func (s *source) text(start, end int32) string {
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
	*source
	n int
}

func (c chunk) get() *parse.Chunk { return &c.Chunks[c.n] }
func (c chunk) id() string        { return c.ID(c.n) }
func (c chunk) code() string      { return c.text(c.get().Start, c.get().End) }

// moved says that the chunk is not where the index had it, in a file that has
// changed.
func (c chunk) moved() bool {
	if c.was == nil || c.was.Hash == c.Hash {
		return false
	}
	id := c.id()
	at := slices.IndexFunc(c.was.Chunks, func(old parse.Chunk) bool { return old.Path() == c.get().Path() })
	for ; at >= 0 && at < len(c.was.Chunks); at++ {
		if c.was.Chunks[at].Path() == c.get().Path() && c.was.ID(at) == id {
			old := &c.was.Chunks[at]
			return old.StartLine != c.get().StartLine || old.EndLine != c.get().EndLine
		}
	}
	return true
}
