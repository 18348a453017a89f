// Package fs is the set of tools that work on files: read_file, write_file and list_directory, as the CursorCLI
// specification and the one of the editor server describe them together.
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
//     expectedSha256 is refused as STALE_FILE when somebody else was faster.
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
// # Errors
//
// Errors of the files themselves are those of package security, with their codes. This package adds INVALID_PARAMS for
// arguments that contradict each other, BAD_RANGE for lines or bytes that a file does not have, BINARY_FILE for text
// operations on what is no text, and INVALID_CURSOR. MALFORMED_TEXT is a file that is not in the encoding that it is
// read in, UNENCODABLE_CHARACTER a character that the encoding of a file lacks, UNKNOWN_ENCODING and
// UNKNOWN_LINE_END_POLICY a name that is none.
package fs
