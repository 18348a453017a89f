// Package textdiff formats the differences between two texts as a unified diff, in bounded time,
// memory and size.
//
// [Unified] compares two texts. [Edits] formats edits that the caller already has: it compares only
// the lines that they touch. Unified is Edits with one edit of the entire text. [Compare] compares
// two lists. The functions first remove the common beginning and end, and compare the lines in
// between with github.com/aymanbagabas/go-udiff. If a comparison would take too long, the diff shows
// all lines of one side as replaced by the lines of the other.
//
// The lines of a diff are the bytes of the texts, including a CR before the LF, so patch(1) can
// apply a diff that was not cut. After a last line without LF stands the line "\ No newline at end
// of file". Options.MaxBytes and Options.MaxLine limit diffs for readers; a cut is marked in the
// diff.
package textdiff
