// Package jsonx reads and writes JSON at the level of bytes: it finds the
// extent of values, members and elements in one pass without allocating, and
// quotes strings. With it, a message is split into envelope, parameters and
// arguments without decoding any of them.
//
// The scanner accepts exactly the grammar of RFC 8259 with nesting limited to
// [MaxDepth]. Text that a decoder would silently repair is reported as [Flags], so
// that the caller decides: LoneSurrogate, and InvalidUTF8. The flag Escaped reports
// a backslash escape.
package jsonx
