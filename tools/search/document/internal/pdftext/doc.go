// Package pdftext reads the text of PDF files, to find them by it: the words in the
// order in which the file has them, not how they look.
//
// It reads what ISO 32000-1 says of objects (7.3), streams (7.4: Flate, ASCII85,
// ASCIIHex), pages (7.7.3), content (7.8) and text (9), with the encodings that are
// common: ToUnicode, names of glyphs, and the predefined ones of Japanese in Unicode,
// Shift-JIS and EUC. The table of references is not used: objects are found where they
// stand, so that damaged files are read as well. Encrypted files are not read.
//
// A file may be hostile: time, depth and what is unpacked are bounded.
package pdftext
