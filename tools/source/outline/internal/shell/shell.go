// Package shell finds the functions and variables of shell scripts: of the POSIX shell, bash and ksh.
//
// The scanner reads a text once, command by command. It follows compound commands by their reserved words, and words with their
// quotes, expansions and substitutions, so that a bracket or a word in a string ends nothing. It reads the bodies of here-documents
// as text.
//
// A function is a Function with its body and the redirections behind it. Assignments outside of functions and compound commands are
// Variables, those of "readonly" Constants. A text whose quotes or compound commands are not closed is read once more, from one
// function at the margin to the next, and is an UnsureError of package source.
package shell

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

const (
	// maxDepth limits the nesting of compound commands and substitutions.
	maxDepth = 200
	// checkEvery is the number of bytes between two checks of the context.
	checkEvery = 1 << 20
)

// Parse finds the declarations of a script.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := newScanner(ctx, src, lang, o)
	s.list(none)
	if s.err == nil && s.doubt != nil {
		doubt := s.doubt
		s = newScanner(ctx, src, lang, o)
		s.doubt = doubt
		s.segments()
	}
	if s.err != nil {
		return nil, s.err
	}
	file := s.b.File("outline")
	if s.doubt != nil {
		return file, s.doubt
	}
	return file, nil
}

func newScanner(ctx context.Context, src []byte, lang source.Language, o source.Options) *scanner {
	s := &scanner{src: src, at: lex.Begin(src), b: source.NewBuilder(src, lang), calls: o.Calls, ctx: ctx, check: checkEvery, callable: -1, owner: -1}
	if bytes.HasPrefix(src[s.at:], []byte("#!")) {
		s.at = lex.Line(src, s.at)
	}
	return s
}

// scanner is the state of one Parse.
type scanner struct {
	src   []byte // up to the end of the segment that is read
	at    int    // the text before this offset has been read
	b     *source.Builder
	docs  lex.Docs
	calls bool // calls are wanted

	frames    []frame
	functions []int      // the chunks of all functions
	callable  int        // the chunk of the innermost function, or -1
	owner     int        // the function whose redirections may follow, or -1
	documents []document // here-documents whose bodies begin in the next line
	nested    int        // the depth of substitutions

	ctx   context.Context
	check int // the offset at which ctx is checked next
	err   error
	doubt *source.UnsureError // the first doubt

	damaged bool // the segment that is read has a doubt
}

// frame is an open compound command.
type frame struct {
	kind     compound
	start    int
	function int // the chunk whose body this is, or -1
	callable int // the value of scanner.callable around it
}

// compound is the kind of a compound command.
type compound uint8

const (
	none compound = iota
	group
	subshell
	conditional
	loop
	choice
)

// document is a here-document.
type document struct {
	word  string
	tabs  bool // leading tabs of its last line count for nothing
	owner int  // the function that it is a redirection of, or -1
}

// unsure records the first doubt.
func (s *scanner) unsure(at int, reason string) {
	s.damaged = true
	if s.doubt == nil {
		at = min(at, len(s.src))
		s.doubt = &source.UnsureError{Line: 1 + bytes.Count(s.src[:at], []byte("\n")), Reason: reason}
	}
}

// stop ends the scan.
func (s *scanner) stop() { s.at = len(s.src) }

// cancelled reports whether ctx has ended, and then ends the scan.
func (s *scanner) cancelled() bool {
	if s.at < s.check {
		return false
	}
	s.check = s.at + checkEvery
	if s.err = s.ctx.Err(); s.err != nil {
		s.stop()
	}
	return s.err != nil
}

// byteAt returns the byte at an offset, or 0 at the end.
func (s *scanner) byteAt(at int) byte {
	if at < len(s.src) {
		return s.src[at]
	}
	return 0
}

// open begins a compound command. function is the chunk whose body it is, or -1.
func (s *scanner) open(kind compound, function int) {
	if len(s.frames) >= maxDepth {
		s.unsure(s.at, "commands are nested too deeply")
		s.stop()
		return
	}
	s.frames = append(s.frames, frame{kind, s.at, function, s.callable})
	if function >= 0 {
		s.callable = function
		s.b.Chunk(function).Body = int32(s.at)
	}
}

// close ends the innermost compound command of a kind, from the frame with the index base on. The word that closes it ends at end.
func (s *scanner) close(kind compound, base, end int) {
	n := len(s.frames) - 1
	for n >= base && s.frames[n].kind != kind {
		n--
	}
	if n < base {
		s.unsure(s.at, "a word or bracket closes nothing")
		return
	}
	if n < len(s.frames)-1 {
		s.unsure(s.frames[len(s.frames)-1].start, "a command is not closed")
	}
	s.unwind(n, end)
}

// unwind ends the compound commands from a number on.
func (s *scanner) unwind(n, end int) {
	for len(s.frames) > n {
		f := s.frames[len(s.frames)-1]
		s.frames = s.frames[:len(s.frames)-1]
		s.callable = f.callable
		if f.function >= 0 {
			s.b.Close(f.function, end)
			s.owner = f.function
		}
	}
}
