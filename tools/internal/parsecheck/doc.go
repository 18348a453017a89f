// Package parsecheck compares the declarations that the parsers of tools/source find with the
// results of independent programs on the same files. The programs, called oracles, are compilers,
// interpreters and ctags. The corpora are published code of other projects.
//
// [Parse] runs a parser on files, an oracle of a test returns its own [Found], and Compare counts
// matches in a [Score] of recall and precision per kind. [Tables] compares files of testdata with
// tables checked by hand. Package parsertest checks the properties that every File has.
//
// Half of each corpus is held out. A parser is improved by means of the other half alone, and the
// tests require their score on the held-out half.
package parsecheck
