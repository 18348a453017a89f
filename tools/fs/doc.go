// Package fs is the set of tools for the files of a project: read, write, edit, list, search, move and delete.
//
// The main type is [Files]. [New] makes it from a tools.Env. Every tool is also a method of Files, so a Go program can use the
// tools without the protocol:
//
//	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
//	got, err := files.Read(ctx, fs.ReadArgs{Path: "main.go"})
//
// All access goes through the security.Root of the environment, which enforces confinement and the rules for files. The package
// adds three guarantees:
//
//   - A write keeps the encoding, the byte-order mark, the line ends and the mode of a file. It happens completely or not at
//     all. A character that the encoding lacks is an error and is never replaced.
//
//   - A write does not destroy the work of another program. A read returns the sha256 of the file. A write whose
//     expectedSha256 differs is refused as STALE_FILE. A write without expectedSha256 is refused if the same peer has read the
//     file and it has changed since. write_file keeps a backup of an overwritten file that its caller has not read. Deleted
//     files, replaced files and backups go to security.TrashDir.
//
//   - An answer is never larger than its budget (tools.Limits.Answer, 32 KiB by default). A truncated answer names the
//     arguments of the next call.
//
// # Reading
//
// A file is read completely, by lines or by bytes. A file of at most maxSize bytes is held in memory, and its answer has totals
// and sha256. Of a larger file the tool reads only the range, and the lines before it, in bounded memory. A line ends at LF,
// CRLF or a lone CR.
//
// Truncated means that the answer has less than the call asked for. NextLine and NextOffset are set if the file continues after
// the answer. Repeated calls from there give the rest of the file without a gap or an overlap.
//
// Offsets count bytes of the file in its own encoding. A range that begins or ends inside a character is moved to the next
// character.
//
// One call reads several files with paths. They share the budget: small files are complete, large files are truncated.
//
// # Editing
//
// An edit consists of the present text and the new text. It is applied only if the present text is at one place, or at the
// number of places that the edit states. The place is searched first with the exact text and then with differences ignored, for
// example of line ends; see package tools/internal/edit. The answer names the ignored differences. A call applies all of its
// edits or none.
//
// # Searching
//
// A search skips .git, files that .gitignore excludes and directories whose names begin with a dot; includeIgnored searches all
// of these except .git. Results are ordered by modification time, newest first.
//
// # Deleting
//
// A deletion moves the entry to the trash and asks no question, because move_file restores it. A permanent deletion needs
// Options.AllowDestructive or the consent of the user; otherwise it fails with DESTRUCTIVE_NOT_ALLOWED.
//
// # Errors
//
// Errors of the file system have the codes of package security. This package adds INVALID_PARAMS for arguments that contradict
// each other, BAD_RANGE for lines or bytes that a file does not have, BINARY_FILE for text operations on a binary file, and
// INVALID_CURSOR. EDIT_NO_MATCH, EDIT_AMBIGUOUS and EDIT_COUNT_MISMATCH report an edit whose text is at no place, at several
// places, or at another number of places than expected. READ_REQUIRED reports a file that the caller must read before it
// overwrites it. INVALID_PATTERN reports an invalid regular expression. MALFORMED_TEXT reports a file that is not valid in its
// encoding, UNENCODABLE_CHARACTER a character that the encoding lacks, UNKNOWN_ENCODING and UNKNOWN_LINE_END_POLICY an unknown
// name.
package fs
