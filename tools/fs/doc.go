// Package fs is the set of tools that work on the files of a project: reading, writing, editing, listing, searching by name
// and by content, moving and deleting, as the CursorCLI specification and the one of the editor server describe them together.
//
// Every tool is also a method of [Files], for programs that need no protocol:
//
//	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
//	got, err := files.Read(ctx, fs.ReadArgs{Path: "main.go"})
//
// What the tools may touch is the business of the security.Root in the environment. Beyond that they keep three promises:
//
//   - Nothing changes that was not asked for. Encoding, byte-order mark, line ends and mode of a file survive its being
//     written, and a write happens as a whole or not at all. No byte is replaced by a similar one or left out silently.
//   - Nobody's work is lost. Each read of a file that is held as a whole tells its sha256; a write that names it as
//     expectedSha256 is refused as STALE_FILE when somebody else was faster. So is one that names none, if the same peer has
//     read the file before and it has changed since. What is deleted or overwritten by a move goes to security.TrashDir.
//   - No answer is larger than its budget (tools.Limits.Answer, 32 KiB by default), however large the file or the
//     directory is, and an answer that was cut says how to go on.
//
// # Reading
//
// A file is read whole, by lines or by bytes. One that is no larger than maxSize is held in memory, so its answer has
// totals and sha256. Of a larger one only the range is read, and of lines what must be passed over to find them, in
// bounded memory. Lines end at LF, CRLF or a lone CR.
//
// Truncated means that the answer has less than was asked for. NextLine and NextOffset are there whenever the file goes
// on behind the answer: reading from there, again and again, gives the rest of the file without a gap or an overlap.
//
// Offsets count bytes of the file, in whatever encoding it is. A range that begins or ends inside a character is moved
// to the next one.
//
// Several files are read in one call by their paths, with the budget shared among them: what fits is whole, the rest is cut.
//
// # Editing
//
// An edit names the text that stands in a file and the text that is to stand there. It is made only at the one place that can be
// meant, or at as many as it says: see package tools/internal/edit for the steps by which places are found. The answer tells which
// step it was. Of several edits all are made or none.
//
// # Searching
//
// Walks leave out what .gitignore files leave out, and .git, unless includeIgnored is set; directories whose names begin
// with a dot are left out, too. What was found is told newest first, so that an answer that was cut has what was
// worked on last.
//
// # Deleting
//
// Recoverable changes need no question. Deleted and overwritten entries go to the trash, from where move_file brings them back;
// write_file keeps a backup of a file that its caller has not read. A permanent deletion needs Options.AllowDestructive or the user's
// consent, and is DESTRUCTIVE_NOT_ALLOWED without both.
//
// # Errors
//
// Errors of the files themselves are those of package security, with their codes. This package adds INVALID_PARAMS for
// arguments that contradict each other, BAD_RANGE for lines or bytes that a file does not have, BINARY_FILE for text
// operations on what is no text, and INVALID_CURSOR. EDIT_NO_MATCH, EDIT_AMBIGUOUS and EDIT_COUNT_MISMATCH are edits whose
// text stands nowhere, or at other places than one or the expected number. READ_REQUIRED is a file that must be read before
// it is overwritten, INVALID_PATTERN a search that is no regular expression. MALFORMED_TEXT is a file that is not in the encoding that it is
// read in, UNENCODABLE_CHARACTER a character that the encoding of a file lacks, UNKNOWN_ENCODING and
// UNKNOWN_LINE_END_POLICY a name that is none.
package fs
