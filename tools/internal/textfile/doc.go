// Package textfile reads text files in the encodings of Japanese and Western projects and writes them back
// without changing a byte that was not edited.
//
// [Detect] names the encoding of a file, [Decode] gives its characters as a [Text], and [Text.Apply] turns edits of
// these characters into the bytes of the new file. Bytes outside the edits are copied and never encoded again. That matters, because several Japanese codes have two spellings (髙 is FB FC to Windows and EE E0 to
// other programs) and ISO-2022-JP has many ways to switch between its character sets: decoding and encoding a
// complete file would change unedited lines.
//
// No character is replaced silently. Bytes that are not a character of the encoding cause a [DecodeError] with offset and line.
// Characters that the encoding lacks cause an [EncodeError] with line, column and the next step.
//
// Files too large to hold are read in pieces: [ReadRange] decodes the characters of a byte range and finds their
// borders by itself, and a [Decoder] decodes a stream in bounded memory.
//
// A line ends at LF, CRLF or a lone CR, as it does in the Language Server Protocol. [Lines] numbers lines, and
// [Text.Fit] gives new content the line ends of the place that it goes to.
//
// # Encodings
//
// Shift_JIS is code page 932: with the NEC and IBM extensions, and with the user-defined area as U+E000 to U+E757. New
// text gets the codes that Windows would write. EUC-JP includes JIS X 0212 (three bytes). ISO-2022-JP reads JIS X 0212
// and half-width katakana as well, and takes JIS X 0201 Roman for ASCII; new text is never put into JIS X 0212 there,
// since most readers lack it. In all three, 5C is the backslash and 7E the tilde. Windows-1252 covers Latin-1 and maps
// each of the 256 bytes to one character, the five undefined bytes to the C1 controls of the same number.
//
// # Detection
//
// Bytes that are valid UTF-8 are UTF-8. The order is: byte-order mark, zero bytes (UTF-16 or binary), escapes of
// ISO-2022-JP, UTF-8, and then the better reading of Shift_JIS, EUC-JP and Windows-1252. Other bytes are
// binary, including most text in Cyrillic, Korean or Chinese encodings; the caller can name their encoding. Kana or a few kanji settle Japanese. If the only Japanese in a file is one word of two kanji or of half-width
// katakana, another of these encodings can be the result. A few malformed bytes do not prevent the detection of a
// long file; decoding then reports the first malformed byte.
package textfile
