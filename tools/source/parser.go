package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Parser finds the declarations in a text. Implementations are safe for concurrent use.
type Parser interface {
	// Name returns the name that File.Parser contains: "outline".
	Name() string
	// Languages returns the languages that Parse accepts.
	Languages() []Language
	// Parse parses src. It neither keeps nor changes src. Parts of the text that cannot be parsed
	// are reported in File.Problems, and the remainder is parsed. An error means that there is no
	// useful result, with one exception: an *UnsureError may come with a File, the parser's best
	// guess.
	Parse(ctx context.Context, src []byte, lang Language, o Options) (*File, error)
}

// Options select what a parser finds beyond declarations and imports. The zero value selects
// nothing more.
type Options struct {
	// Calls selects File.Calls. The default is false.
	Calls bool
}

// Checker is a Parser that implements the complete grammar of its languages. Other parsers find
// declarations alone and miss errors in the bodies of functions.
type Checker interface {
	Parser
	// Check returns the syntax errors in src, at most MaxProblems. The line of a Problem is 0 if it
	// is unknown. Check neither keeps nor changes src, and is safe for concurrent use.
	Check(ctx context.Context, src []byte, lang Language) ([]Problem, error)
}

// UnsureError reports that a parser does not trust its own result. Parsers then calls the next
// parser of the language.
type UnsureError struct {
	Line   int    // the line of the doubtful text, from 1
	Reason string // for example "the brackets do not match"
}

// Error returns the line and the reason.
func (e *UnsureError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// MaxSource is the length in bytes of the longest text that Parsers parses.
const MaxSource = 16 << 20

// Errors of Parsers.Parse and Parsers.Check.
var (
	// ErrLanguage reports a language that no parser supports.
	ErrLanguage = errors.New("no parser knows the language")
	// ErrUnchecked reports a language without a Checker: its parsers find declarations, but not all
	// syntax errors. Check appends the language to the text.
	ErrUnchecked = errors.New("no grammar for")
	// ErrTooLong reports a text of more than MaxSource bytes.
	ErrTooLong = fmt.Errorf("longer than the %d MiB that are parsed", MaxSource>>20)
	// ErrBinary reports a text with NUL bytes.
	ErrBinary = errors.New("not source text: it contains NUL bytes")
	// ErrTooComplex reports a text that needs more processor time or memory than a parser allows.
	// Only generated or malicious texts do.
	ErrTooComplex = errors.New("too complex to parse")
	// ErrBusy reports a parse that was stopped although it may not have used its processor time.
	// Another call with the same text can succeed.
	ErrBusy = errors.New("the parser did not end in time, the machine may be busy")
)

// Parsers holds the parsers of each language in the order of preference. The zero value supports no
// language. Parsers is safe for concurrent use if its parsers are. Close releases the resources of
// the parsers.
type Parsers struct {
	all  []Parser              // in order of preference
	lang map[Language][]Parser // the parsers of each language, in order

	// The languages that parsers define, and their names: see Definer.
	definitions                                  map[Language]Definition
	aliases, extensions, fileNames, interpreters map[string]Language
}

// NewParsers returns Parsers that prefer earlier parsers to later ones of the same language.
func NewParsers(parsers ...Parser) *Parsers {
	p := &Parsers{
		all: parsers, lang: map[Language][]Parser{}, definitions: map[Language]Definition{},
		aliases: map[string]Language{}, extensions: map[string]Language{}, fileNames: map[string]Language{}, interpreters: map[string]Language{},
	}
	for _, one := range parsers {
		p.define(one)
		for _, lang := range one.Languages() {
			p.lang[lang] = append(p.lang[lang], one)
		}
	}
	return p
}

// Languages returns the languages that a parser supports, sorted by name.
func (p *Parsers) Languages() []Language {
	var known []Language
	for lang := range p.lang {
		known = append(known, lang)
	}
	slices.Sort(known)
	return known
}

// Supports reports whether a parser supports the language.
func (p *Parsers) Supports(lang Language) bool { return len(p.lang[lang]) > 0 }

// Parse calls the parsers of the language in order until one is sure of its result. If none is,
// Parse returns the last guess, whose first problem is the reason for the doubt. A guess also takes
// precedence over a later result that has problems and fewer functions and types. A result that
// File.Check refuses counts as an error of its parser. The errors are
// ErrLanguage, ErrTooLong, ErrBinary, the error of ctx, or the error of the last parser, such as
// ErrTooComplex or ErrBusy.
//
// A text with problems and unmatched brackets is parsed once more, with the brackets that its
// indentation suggests, so that a missing bracket hides no other declaration. The offsets of the
// result refer to the original text.
func (p *Parsers) Parse(ctx context.Context, src []byte, lang Language, o Options) (*File, error) {
	switch {
	case len(p.lang[lang]) == 0:
		return nil, fmt.Errorf("%w %q", ErrLanguage, lang)
	case len(src) > MaxSource:
		return nil, ErrTooLong
	case bytes.IndexByte(src, 0) >= 0:
		return nil, ErrBinary
	}
	file, err := p.parseInOrder(ctx, src, lang, o)
	// Return this result if ctx has ended, or if the text was parsed without a problem. Otherwise a
	// bracket may be missing.
	if ctx.Err() != nil || err == nil && len(file.Problems) == 0 && !hasUnequalBrackets(src, lang) {
		return file, err
	}
	if repaired, clean := p.parseRepaired(ctx, src, lang, o); repaired != nil && (clean || file == nil || repaired.countDeclarations() >= file.countDeclarations()) {
		return repaired, nil
	}
	return file, err
}

// Check returns the syntax errors that the first Checker of the language finds, and the name of
// that Checker. The errors are ErrUnchecked if no parser of the language is a Checker, ErrTooLong,
// ErrBinary, the error of ctx, or the error of the Checker. Grammars of Dart and shell lack newer
// syntax. An error of theirs in a text of which an earlier parser is sure is therefore ErrUnchecked.
func (p *Parsers) Check(ctx context.Context, src []byte, lang Language) (problems []Problem, by string, err error) {
	switch {
	case len(src) > MaxSource:
		return nil, "", ErrTooLong
	case bytes.IndexByte(src, 0) >= 0:
		return nil, "", ErrBinary
	}
	for i, one := range p.lang[lang] {
		if checker, ok := one.(Checker); ok {
			problems, err := checker.Check(ctx, src, lang)
			if err == nil && len(problems) > 0 && hasOldGrammar(lang) && isSure(ctx, p.lang[lang][:i], src, lang) {
				return nil, "", fmt.Errorf("%w all syntax of %s", ErrUnchecked, lang)
			}
			return problems, one.Name(), err
		}
	}
	return nil, "", fmt.Errorf("%w %s", ErrUnchecked, lang)
}

// hasOldGrammar reports whether correct texts of a language have syntax that its grammar lacks:
// Dart 3, and the syntax of zsh and ksh.
func hasOldGrammar(lang Language) bool { return lang == "dart" || lang == "shell" }

// isSure reports whether one of the parsers reads a text without a doubt or a problem.
func isSure(ctx context.Context, parsers []Parser, src []byte, lang Language) bool {
	for _, one := range parsers {
		if file, err := one.Parse(ctx, src, lang, Options{}); err == nil && checkParsed(file, nil, len(src)) == nil && len(file.Problems) == 0 {
			return true
		}
	}
	return false
}

// parseInOrder calls the parsers of a language in order: see Parse. It does not repair brackets.
func (p *Parsers) parseInOrder(ctx context.Context, src []byte, lang Language, o Options) (*File, error) {
	var guess *File
	var last error
	for _, one := range p.lang[lang] {
		file, err := one.Parse(ctx, src, lang, o)
		if invalid := checkParsed(file, err, len(src)); invalid != nil {
			last = fmt.Errorf("the parser %s made a mistake: %w", one.Name(), invalid)
			continue
		}
		if err == nil {
			if guess != nil && len(file.Problems) > 0 && guess.countDeclarations() > file.countDeclarations() {
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

// checkParsed returns an error if the result of a parser is invalid: a parser of another package may return offsets and parents
// that no caller can use. A parser that returns an error need not return a File.
func checkParsed(file *File, err error, size int) error {
	switch {
	case file != nil:
		return file.Check(int64(size))
	case err == nil:
		return errors.New("it returned neither a result nor an error")
	}
	return nil
}

// parseRepaired parses a text with the brackets that its indentation suggests. It returns nil if
// the brackets match already, or if the repaired text cannot be parsed either. If that parse still
// has problems, parseRepaired parses the text again with the repaired lines replaced by blanks, and
// takes the result with more declarations. clean reports that the repaired text was parsed without
// problems.
func (p *Parsers) parseRepaired(ctx context.Context, src []byte, lang Language, o Options) (file *File, clean bool) {
	code, ok := readCodeLines(src, lang, true)
	if !ok {
		return nil, false
	}
	repairs := code.repairs()
	if len(repairs) == 0 {
		return nil, false
	}
	repaired := applyRepairs(src, repairs)
	file, err := p.parseInOrder(ctx, repaired, lang, o)
	clean = err == nil && len(file.Problems) == 0
	if ctx.Err() == nil && !clean && code.blankRepaired(repaired, repairs) {
		if rest, e := p.parseInOrder(ctx, repaired, lang, o); e == nil && (err != nil || rest.countDeclarations() > file.countDeclarations()) {
			file, err = rest, nil
		}
	}
	if err != nil {
		return nil, false
	}
	file.restoreOffsets(src, repairs)
	problems := repairProblems(src, repairs)
	file.Problems = append(problems, file.Problems[:min(len(file.Problems), MaxProblems-len(problems))]...)
	if file.Check(int64(len(src))) != nil {
		return nil, false
	}
	return file, clean
}

// hasUnequalBrackets reports whether the numbers of opening and closing brackets differ, in a
// language whose scanner reports no problem for that (lexicon.tolerant). The scanners of C and C++
// are tolerant, because each branch of an #if may open the same bracket. For other languages
// hasUnequalBrackets returns false.
func hasUnequalBrackets(src []byte, lang Language) bool {
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

// countDeclarations returns the number of functions and types.
func (f *File) countDeclarations() int {
	n := 0
	for i := range f.Chunks {
		if k := f.Chunks[i].Kind; k.IsCallable() || k.IsType() {
			n++
		}
	}
	return n
}

// Close closes the parsers that implement io.Closer and returns their joined errors. It does not
// wait for running calls of Parse.
func (p *Parsers) Close() error {
	var errs []error
	for _, one := range p.all {
		if closer, ok := one.(io.Closer); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}
