package document

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
)

// MaxText is the length in bytes of the longest text that is cut, unless Options say
// otherwise.
const MaxText = 2 << 20

// Errors for what cannot be cut. Reason says them in two words.
var (
	ErrBinary   = errors.New("no text: it is binary")
	ErrTooLarge = errors.New("more text than is indexed")
	ErrDamaged  = errors.New("its format cannot be read")
)

// Options say how files are cut.
type Options struct {
	// Parsers read code. Nil: what is code is cut as if no parser knew it.
	Parsers *source.Parsers
	// MaxText is the length in bytes of the longest text that is cut. 0: the constant MaxText.
	MaxText int
}

// Cut makes the pieces of a file, whose path tells with its content what it is. The
// File has no Hash, Size and ModTime. Its Text is content where that is UTF-8, and
// must not change then. The errors are ErrBinary, ErrTooLarge, ErrDamaged, and that of
// ctx.
func Cut(ctx context.Context, path string, content []byte, o Options) (index.File, error) {
	if err := ctx.Err(); err != nil {
		return index.File{}, err
	}
	f := index.File{Path: path, Language: Language(path, content, o.Parsers)}
	f.Version = Version(f.Language, o.Parsers)
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

// pieces cuts the text of a file by what it is.
func pieces(ctx context.Context, f *index.File, o Options) ([]index.Piece, error) {
	lang := f.Language
	if o.Parsers != nil && o.Parsers.Knows(source.Language(lang)) && !minified(f.Text) {
		read, err := o.Parsers.Parse(ctx, f.Text, source.Language(lang), source.Options{})
		if err == nil {
			return similar.WithPrints(code(f.Text, read), f.Text, lang), nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	switch lang {
	case "html":
		p := extract(f.Text)
		f.Text, f.Verbatim = p.text, false
		return sections(p.text, known(string(p.title), p.headings)), nil
	case "notebook":
		if text, all := notebook(f.Text); text != nil {
			f.Text, f.Verbatim = text, false
			return sections(text, known("", all)), nil
		}
	case "vue", "svelte", "astro":
		if read := component(ctx, f.Text, o.Parsers); read != nil {
			return similar.WithPrints(code(f.Text, read), f.Text, lang), nil
		}
	}
	return other(f.Text, lang), ctx.Err()
}

// Reason says in two words why a file was not cut, from the error of Cut: "binary",
// "too large", "not readable".
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrBinary):
		return "binary"
	case errors.Is(err, ErrTooLarge):
		return "too large"
	}
	return "not readable"
}
