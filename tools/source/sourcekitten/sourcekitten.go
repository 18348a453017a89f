package sourcekitten

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// Options say which program is run, and for how long.
type Options struct {
	// Program is the path of SourceKitten, or its name on the PATH; "sourcekitten"
	// if it is empty.
	Program string
	// Timeout bounds the time for one text; 20 s if it is 0.
	Timeout time.Duration
}

const (
	name           = "sourcekitten"
	defaultTimeout = 20 * time.Second
	maxOutput      = 128 << 20 // bytes of JSON
)

// ErrNotInstalled says that the program was not found.
var ErrNotInstalled = errors.New("SourceKitten is not installed: `brew install sourcekitten` installs it, " +
	"or build it from https://github.com/jpsim/SourceKitten and name its path; it needs Xcode or a Swift toolchain")

// Parser is a source.Parser for Swift. It holds nothing between calls. The zero
// value is that of the zero Options.
type Parser struct{ o Options }

// New makes a Parser. The program is looked for when a text is parsed.
func New(o Options) *Parser { return &Parser{o} }

// Name is "sourcekitten".
func (p *Parser) Name() string { return name }

// Languages is Swift.
func (p *Parser) Languages() []source.Language { return []source.Language{source.Swift} }

// Available says whether the program is there: nil or an error that wraps
// ErrNotInstalled.
func (p *Parser) Available() error {
	_, err := p.program()
	return err
}

func (p *Parser) program() (string, error) {
	path, err := exec.LookPath(cmp.Or(p.o.Program, name))
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNotInstalled, err)
	}
	return path, nil
}

// Parse implements source.Parser. The program receives the text in a temporary file. The errors are
// source.ErrLanguage, ErrNotInstalled, the error of ctx, an error that wraps
// context.DeadlineExceeded after the timeout, or a failure of the program.
func (p *Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if lang != source.Swift {
		return nil, fmt.Errorf("%w %q", source.ErrLanguage, lang)
	}
	if !utf8.Valid(src) {
		return nil, errors.New("SourceKitten reads UTF-8 only, and the text is not")
	}
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	path, err := temporary(src)
	if err != nil {
		return nil, fmt.Errorf("writing the text for SourceKitten: %w", err)
	}
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.o.Timeout, defaultTimeout))
	defer cancel()
	out, err := run(ctx, exec.Command(program, "structure", "--file", path))
	if err != nil {
		return nil, fmt.Errorf("%s structure: %w", program, err)
	}
	return structure(out, src, o)
}

// temporary writes the text to a temporary file that only the user can read.
func temporary(src []byte) (string, error) {
	f, err := os.CreateTemp("", "dougu-*.swift")
	if err != nil {
		return "", err
	}
	_, err = f.Write(src)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
