// Package edit decides which place of a text an edit means.
//
// An [Edit] has the present text [Edit.Old] and the replacement [Edit.New]. Models write Old from memory: with other line ends,
// without blanks at the ends of lines, with wrong indentation, with quotes escaped once too often. [Plan] finds the place if
// exactly one place is possible. Otherwise it returns an error. It never selects one of two possible places.
//
// # Steps
//
// The search for Old has seven steps. The first step with a match decides. If its matches are not allowed by the edit, the edit
// fails and no further step runs.
//
//   - [Exact] compares bytes.
//
//   - [LineEnds] treats LF, CRLF and CR as equal, also at the end of a file without a final line end.
//
//   - [TrailingSpace] ignores spaces and tabs at the ends of lines.
//
//   - [Indentation] allows all lines to be indented more or less by the same amount, or in another unit, for example four
//     spaces for each tab. The first line of Old and New may lack its blanks. New gets the same change of indentation, unless
//     it is already indented like the text.
//
//   - [Escapes] treats \n, \t, \" and \\ as equal to their characters, together with the previous steps. New gets the same
//     change. An edit is refused if New has kinds of escapes that Old does not have.
//
//   - [Punctuation] treats typographic quotes, dashes, spaces and the ellipsis as equal to ASCII, and composed characters as
//     equal to decomposed ones, also with other indentation.
//
//   - [LineNumbers] repeats all steps except Escapes without consecutive line numbers before the lines of Old. The match must
//     begin at the beginning of a line.
//
// From TrailingSpace on, a match must not begin or end inside a word and must not be much longer than Old, and Old must contain
// more than white space. From Indentation on, Old must contain at least two letters or digits. A step that would ignore the
// difference between Old and New is skipped. A match never depends on New: if New does not fit there, the edit is refused.
//
// # Several matches
//
// An edit changes one place. ReplaceAll, or an ExpectedCount above one, changes all places that the deciding step finds; line
// ends never matter then. If only a later step finds further places, the edit fails, because it would be incomplete. NearLine
// selects the match that contains the line, or the nearest one if it is at most 25 lines away and every other match is at least
// three times as far. The first line number of Old (LineNumbers) has the same effect. Overlapping matches count as several.
//
// # Changes
//
// Ignored differences stay unchanged, except in lines that New changes. Lines that Old and New share keep their bytes; for
// Punctuation, shared characters keep them too. New lines get the line ends of their neighbours; see textfile.Text.Fit.
//
// [PlanPart] limits the search to a part of the content.
//
// Several edits are applied in order, each to the result of the previous ones. The [Result] has changes of the original
// content.
//
// # Limits
//
// The time is proportional to the length of the content times the number of edits, for every input.
package edit
