// Package textdiff shows what differs between two texts as a unified diff, in bounded time, memory and size.
//
// [Unified] compares two texts. [Edits] shows edits that are known already, so that nothing has to be found out that the
// caller knows better. Both first set aside what is equal at the beginning and at the end, compare the lines in between
// with github.com/aymanbagabas/go-udiff, and give up on finding what is shared where a comparison would take too long:
// then all lines of one side are shown as replaced by those of the other.
//
// The lines of a diff are those of the texts, byte for byte, a CR before the LF included, so that a diff that was not cut
// can be applied by patch(1). Options.MaxBytes and Options.MaxLine cut diffs for readers; what was cut says so.
package textdiff
