package build

// verdict is the result of a parser for a line.
type verdict uint8

const (
	// the line is not for this parser, or not part of the present block: other parsers try it, and then this parser again
	pass  verdict = iota
	taken         // it is, and is done with
	more          // it is, and the next may belong to it: the parser sees that first
)

// parser parses the output of a family of tools. It receives the lines of one stream that no earlier parser has taken, in order
// and without escapes.
type parser interface {
	line(r *report, s string) verdict
	// end ends the block that a verdict of more began, also at the end of the stream. It can be called several times.
	end(r *report)
}

// parsers are new parsers for a stream, the particular before the general.
func parsers() []parser {
	return []parser{
		makeParser{}, &cmakeParser{}, &jvmTestParser{}, &mavenParser{}, &gradleParser{}, &scalaParser{},
		&rustParser{}, &rustTestParser{}, &goParser{}, &goTestParser{}, &goPanicParser{}, &pythonParser{}, &dotnetTestParser{}, swiftTestParser{},
		&eslintParser{}, &esbuildParser{}, &managerParser{}, &webpackParser{}, &viteParser{}, &jestParser{}, &mochaParser{}, &nodeTestParser{}, &nodeParser{},
		&linkerParser{}, &compilerParser{},
	}
}

// block is a problem whose lines are still arriving.
type block struct {
	Problem
	consequence bool
	open        bool
	lines       int
}

// begin opens a block; one that was open must have been ended.
func (b *block) begin(p Problem) { *b = block{Problem: p, open: true} }

// maxBlock bounds how many lines a block may have.
const maxBlock = 200

// tick counts a line and says whether there may be more.
func (b *block) tick() bool { b.lines++; return b.lines < maxBlock }

// add puts a line to the message.
func (b *block) add(text string) { b.Message = extend(b.Message, text) }

// at sets where the problem is, unless that is known.
func (b *block) at(p place) {
	if b.File == "" {
		b.File, b.Line, b.Column, b.EndLine, b.EndColumn = p.file, p.line, p.column, p.endLine, p.endColumn
	}
}

// end files the problem.
func (b *block) end(r *report) {
	if b.open {
		b.open = false
		r.add(b.Problem, b.consequence)
	}
}
