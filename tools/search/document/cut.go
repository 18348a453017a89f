package document

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
)

// MaxText is the default of Options.MaxText, in bytes.
const MaxText = 2 << 20

// Errors of Cut for files without pieces. Reason returns a short text for each.
var (
	// ErrBinary is the error of a binary file, including PDF.
	ErrBinary = errors.New("no text: it is binary")
	// ErrTooLarge is the error of a file that is longer than Options.MaxText.
	ErrTooLarge = errors.New("more text than is indexed")
	// ErrDamaged is the error of a text that cannot be decoded.
	ErrDamaged = errors.New("its format cannot be read")
)

// Options configure Cut. The zero value splits all files without parsers.
type Options struct {
	// Parsers parse code. nil means that all languages are treated as languages without a parser.
	Parsers *source.Parsers
	// MaxText is the maximum length of a file in bytes. 0 means the constant MaxText.
	MaxText int
	// Language is the language or format of the content. Empty means that Cut determines it from path and content.
	Language string
}

// Cut returns the pieces of a file. Path and content determine its language, unless Options.Language is set. The returned File has no Hash, Size and ModTime;
// the caller sets them. Text shares memory with content if content is UTF-8, so content must not be modified afterwards.
// Errors: ErrBinary, ErrTooLarge, ErrDamaged, and that of ctx.
func Cut(ctx context.Context, path string, content []byte, o Options) (index.File, error) {
	if err := ctx.Err(); err != nil {
		return index.File{}, err
	}
	f := index.File{Path: path, Language: o.Language}
	if f.Language == "" {
		f.Language = Language(path, content, o.Parsers)
	}
	f.Version = Version(f.Language, o.Parsers) // changes if the rules of this package or a parser change
	most := o.MaxText
	if most <= 0 {
		most = MaxText
	}
	if len(content) > most {
		return index.File{}, ErrTooLarge
	}
	var err error
	if f.Text, f.Verbatim, err = decode(content); err != nil {
		return index.File{}, err
	}
	f.Pieces, err = pieces(ctx, &f, o)
	return f, err
}

// pieces splits the text of f by its language. For converted formats (HTML, notebooks) it replaces f.Text by the extracted text
// and sets f.Verbatim to false. Offsets of pieces are then not offsets in the file. The function similar.WithPrints adds the
// fingerprints by which similar pieces are found.
func pieces(ctx context.Context, f *index.File, o Options) ([]index.Piece, error) {
	lang := f.Language
	if o.Parsers != nil && o.Parsers.Supports(source.Language(lang)) && !o.Parsers.IsData(source.Language(lang)) && !isMinified(f.Text) {
		read, err := o.Parsers.Parse(ctx, f.Text, source.Language(lang), source.Options{})
		if err == nil {
			return similar.WithPrints(codePieces(f.Text, read, o.Parsers), f.Text, lang, o.Parsers), nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	switch lang {
	case "html":
		p := htmlText(f.Text)
		f.Text, f.Verbatim = p.text, false
		return sections(p.text, fixedHeadings(string(p.title), p.headings)), nil
	case "notebook":
		if text, all := notebookText(f.Text); text != nil {
			f.Text, f.Verbatim = text, false
			return sections(text, fixedHeadings("", all)), nil
		}
	}
	return cutUnparsed(f.Text, lang), ctx.Err()
}

// Reason returns a short text for an error of Cut: "binary", "too large" or "not readable".
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrBinary):
		return "binary"
	case errors.Is(err, ErrTooLarge):
		return "too large"
	}
	return "not readable"
}
