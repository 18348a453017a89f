// Package parsecheck compares what the parsers of source text find with what
// independent programs find in the same files: compilers, interpreters, ctags,
// over code that nobody here wrote.
//
// Half of each corpus is held out: a parser is mended by looking at the other
// half alone, and the half that was never looked at decides.
package parsecheck
