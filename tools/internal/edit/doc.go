// Package edit decides which place of a text an edit means.
//
// A model that edits a file says what stands there, [Edit.Old], and what is to stand there, [Edit.New]. It says so from
// memory: with other line ends, without the blanks at the end of a line, with the wrong indentation, with quotes escaped
// once too often. [Plan] finds the place all the same, if there is only one that can be meant, and refuses otherwise.
// It never guesses between two places.
//
// # Steps
//
// Old is looked for in several ways, one after the other. The first way that finds anything decides: if it does not find
// just what the edit allows, the edit fails, and no other way is tried.
//
//  1. [Exact]: byte for byte.
//  2. [LineEnds]: LF, CRLF and CR are the same, and so is the end of a file without a final line end.
//  3. [TrailingSpace]: spaces and tabs at the end of lines do not count.
//  4. [Indentation]: all lines are indented more, or less, by the same amount; or in another unit, such as four spaces for
//     each tab. The first line of Old and New may lack its blanks. New is indented in the same way, unless it is indented
//     like the text already.
//  5. [Escapes]: \n, \t, \" and \\ stand for the characters, or the characters for them, together with the steps before.
//     New is treated likewise; an edit whose New has escapes of a kind that Old does not explain is refused.
//  6. [Punctuation]: typographic quotes, dashes, spaces and the ellipsis are the same as their ASCII counterparts, and
//     composed characters the same as decomposed ones; also with other indentation.
//  7. [LineNumbers]: the steps 1 to 4 and 6 again, without the line numbers in front of each line of Old, if they are
//     consecutive. The text must begin at the beginning of a line.
//
// From step 3 on a place must not begin or end inside a word, must not be much longer than Old, and Old must hold
// something beside white space; from step 4 on at least two letters or digits. A step is left out if it would ignore the
// very difference between Old and New. Whether a place is what Old says never depends on New: where New cannot be fitted
// in, the edit is refused, and no other place is taken instead.
//
// # Which of several places
//
// An edit changes one place. ReplaceAll and an ExpectedCount above one change all places that the deciding step finds, and
// to them line ends never matter; places that only a later step would find make the edit fail, because some of what was
// meant would be left out. NearLine chooses among several places the one that it is in; or else the nearest, if that is at
// most 25 lines away and any other at least three times as far. The first line number of Old, see step 7, does the same.
// Places that overlap each other count as several.
//
// # What is changed
//
// Whatever a step ignored is left as it is, unless it stands in a line that New changes: lines that Old and New share keep
// their bytes, and in step 6 so do characters. New lines get the line ends of their neighbours, see textfile.Text.Fit.
//
// Several edits are applied in order, each to the result of those before; the [Result] has changes of the original content.
//
// # Bounds
//
// All work is proportional to the length of the content, times the number of edits. No input makes it quadratic.
package edit
