package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Parser finds the declarations of a text.
type Parser interface {
	// Name names the parser in answers: "outline".
	Name() string
	// Languages are those that Parse takes.
	Languages() []Language
	// Parse reads src, which it neither keeps nor changes. It is safe for
	// concurrent use. What cannot be read is named in File.Problems and the rest
	// is read all the same; an error means that nothing useful came of it, except
	// *UnsureError, which may come with a File: the parser's best guess.
	Parse(ctx context.Context, src []byte, lang Language, o Options) (*File, error)
}

// Options say what a parser finds beyond declarations and imports.
type Options struct {
	// Calls asks for File.Calls.
	Calls bool
}

// Checker is a Parser that knows the whole grammar of its languages. Other parsers look at declarations
// alone, and do not see an error in the body of a function.
type Checker interface {
	Parser
	// Check returns the places of src that the language does not allow, at most MaxProblems. The line of a Problem is 0 if it
	// is not known. It neither keeps nor changes src, and is safe for concurrent use.
	Check(ctx context.Context, src []byte, lang Language) ([]Problem, error)
}

// UnsureError says that a parser does not trust its own reading, so that
// another one should have the word.
type UnsureError struct {
	Line   int    // where the doubt arose, from 1
	Reason string // "the brackets do not match"
}

func (e *UnsureError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// MaxSource is the length in bytes of the longest text that Parsers reads.
const MaxSource = 16 << 20

// Errors for what is not source text that can be parsed.
var (
	ErrLanguage = errors.New("no parser knows the language")
	// ErrUnchecked is that of a language whose parsers find declarations, but not all syntax errors.
	ErrUnchecked = errors.New("no grammar for")
	ErrTooLong   = fmt.Errorf("longer than the %d MiB that are parsed", MaxSource>>20)
	ErrBinary    = errors.New("not source text: it contains NUL bytes")
	// ErrTooComplex is that of a text which takes more time or memory than code needs.
	ErrTooComplex = errors.New("nothing that a person has written is so hard to parse")
)

// Parsers hold the parsers of each language in the order in which they are
// asked. The zero value knows no language. They are safe for concurrent use.
type Parsers struct {
	all        []Parser
	lang       map[Language][]Parser
	extensions map[string]Language
}

// NewParsers puts parsers in order: for each language that several know, the
// earlier one is asked first.
func NewParsers(parsers ...Parser) *Parsers {
	p := &Parsers{all: parsers, lang: map[Language][]Parser{}, extensions: map[string]Language{}}
	for _, one := range parsers {
		p.extend(one)
		for _, lang := range one.Languages() {
			p.lang[lang] = append(p.lang[lang], one)
		}
	}
	return p
}

// Languages are the languages that some parser knows, sorted.
func (p *Parsers) Languages() []Language {
	var known []Language
	for lang := range p.lang {
		known = append(known, lang)
	}
	slices.Sort(known)
	return known
}

// Knows says that some parser reads the language.
func (p *Parsers) Knows(lang Language) bool { return len(p.lang[lang]) > 0 }

// Parse asks the parsers of the language in order until one is sure. If none is,
// the answer is the guess of the last that made one, and its first problem says
// why it is in doubt. So it is if one is sure of a text with problems, and finds
// fewer declarations than the guess before it. The errors are ErrLanguage, ErrTooLong, ErrBinary, that of
// ctx, or that of the last parser.
//
// A text with problems whose brackets do not match is read once more with the
// brackets that its layout suggests, so that one missing bracket hides no other
// declaration. The positions are positions in the text as it is.
func (p *Parsers) Parse(ctx context.Context, src []byte, lang Language, o Options) (*File, error) {
	switch {
	case len(p.lang[lang]) == 0:
		return nil, fmt.Errorf("%w %q", ErrLanguage, lang)
	case len(src) > MaxSource:
		return nil, ErrTooLong
	case bytes.IndexByte(src, 0) >= 0:
		return nil, ErrBinary
	}
	file, err := p.read(ctx, src, lang, o)
	if ctx.Err() != nil || err == nil && len(file.Problems) == 0 && !suspicious(src, lang) {
		return file, err
	}
	if repaired, clean := p.readRepaired(ctx, src, lang, o); repaired != nil && (clean || file == nil || repaired.declares() >= file.declares()) {
		return repaired, nil
	}
	return file, err
}

// Check asks the first Checker of the language for the syntax errors of a text, and returns its name. The errors are
// ErrUnchecked if no parser of the language is a Checker, ErrTooLong, ErrBinary, that of ctx, or that of the Checker.
func (p *Parsers) Check(ctx context.Context, src []byte, lang Language) (problems []Problem, by string, err error) {
	switch {
	case len(src) > MaxSource:
		return nil, "", ErrTooLong
	case bytes.IndexByte(src, 0) >= 0:
		return nil, "", ErrBinary
	}
	for _, one := range p.lang[lang] {
		if checker, ok := one.(Checker); ok {
			problems, err := checker.Check(ctx, src, lang)
			return problems, one.Name(), err
		}
	}
	return nil, "", fmt.Errorf("%w %s", ErrUnchecked, lang)
}

// read asks the parsers of a language in order.
func (p *Parsers) read(ctx context.Context, src []byte, lang Language, o Options) (*File, error) {
	var guess *File
	var last error
	for _, one := range p.lang[lang] {
		file, err := one.Parse(ctx, src, lang, o)
		if err == nil {
			if guess != nil && len(file.Problems) > 0 && guess.declares() > file.declares() {
				return guess, nil
			}
			return file, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		last = fmt.Errorf("%s: %w", one.Name(), err)
		var unsure *UnsureError
		if file != nil && errors.As(err, &unsure) {
			doubt := Problem{Line: int32(unsure.Line), Message: unsure.Reason}
			file.Problems = append([]Problem{doubt}, file.Problems[:min(len(file.Problems), MaxProblems-1)]...)
			guess = file
		}
	}
	if guess != nil {
		return guess, nil
	}
	return nil, last
}

// readRepaired reads a text with the brackets that its layout suggests. It returns
// nil if the brackets match, or if the text cannot be read then either. Where the
// repaired lines still make no sense, they are left out if more is found then.
// clean says that the parser had no problem with the repaired text.
func (p *Parsers) readRepaired(ctx context.Context, src []byte, lang Language, o Options) (file *File, clean bool) {
	code, ok := readCodeLines(src, lang)
	if !ok {
		return nil, false
	}
	repairs := code.repairs()
	if len(repairs) == 0 {
		return nil, false
	}
	repaired := applyRepairs(src, repairs)
	file, err := p.read(ctx, repaired, lang, o)
	clean = err == nil && len(file.Problems) == 0
	if ctx.Err() == nil && !clean && code.blankRepaired(repaired, repairs) {
		if rest, e := p.read(ctx, repaired, lang, o); e == nil && (err != nil || rest.declares() > file.declares()) {
			file, err = rest, nil
		}
	}
	if err != nil {
		return nil, false
	}
	file.restore(repairs)
	problems := repairProblems(src, repairs)
	file.Problems = append(problems, file.Problems[:min(len(file.Problems), MaxProblems-len(problems))]...)
	if file.Check(int64(len(src))) != nil {
		return nil, false
	}
	return file, clean
}

// suspicious says that a text has not as many opening as closing brackets, in a
// language whose scanner accepts that: the branches of conditionals in C need not
// fit together.
func suspicious(src []byte, lang Language) bool {
	if words, ok := lexiconOf(lang); !ok || !words.tolerant {
		return false
	}
	for _, pair := range []string{"{}", "()", "[]"} {
		if bytes.Count(src, []byte(pair[:1])) != bytes.Count(src, []byte(pair[1:])) {
			return true
		}
	}
	return false
}

// declares counts the functions and types of a File.
func (f *File) declares() int {
	n := 0
	for i := range f.Chunks {
		if k := f.Chunks[i].Kind; k.Callable() || k.Type() {
			n++
		}
	}
	return n
}

// Close releases what the parsers hold: grammars, processes. It waits for none
// of the running calls of Parse.
func (p *Parsers) Close() error {
	var errs []error
	for _, one := range p.all {
		if closer, ok := one.(io.Closer); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}
