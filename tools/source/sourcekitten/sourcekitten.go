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

// Options configure the program and its timeout.
type Options struct {
	// Program is the path of SourceKitten, or its name in PATH. The default is "sourcekitten".
	Program string
	// Timeout is the maximum time for one text; 0 means 20 s.
	Timeout time.Duration
}

const (
	name           = "sourcekitten"
	defaultTimeout = 20 * time.Second
	maxOutput      = 128 << 20 // bytes of JSON
)

// ErrNotInstalled reports that the program was not found.
var ErrNotInstalled = errors.New("SourceKitten is not installed: `brew install sourcekitten` installs it, " +
	"or build it from https://github.com/jpsim/SourceKitten and name its path; it needs Xcode or a Swift toolchain")

// Parser is a source.Parser for Swift. It has no state between calls and is safe for concurrent
// use. The zero value uses the zero Options.
type Parser struct{ o Options }

// New returns a Parser. Parse searches for the program, New does not.
func New(o Options) *Parser { return &Parser{o} }

// Name returns "sourcekitten".
func (p *Parser) Name() string { return name }

// Languages returns Swift.
func (p *Parser) Languages() []source.Language { return []source.Language{source.Swift} }

// Available returns nil if the program is installed, otherwise an error that wraps ErrNotInstalled.
func (p *Parser) Available() error {
	_, err := p.program()
	return err
}

// program returns the path of the program.
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
