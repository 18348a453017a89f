// Package token splits source code, documents and queries into words for a search
// index. Equal words are equal byte for byte.
//
// # Words
//
// Words are lower case and in the normalization form NFKC, so that full-width letters
// and half-width katakana match their usual forms. A [Scanner] returns a name in code
// as a whole and in parts: parseHTTPUrl, parse_http_url and ParseHTTPURL give
// parsehttpurl, parse, http and url. Digits belong to the preceding letters, which are
// also a word alone: utf8 and utf. Single letters and digits are omitted, unless the
// Scanner includes them. Numbers with points are one word (1.26, 127.0.0.1). Words are
// cut to MaxWord bytes. Names that alternate between letters and digits like encoded
// data are not split.
//
// Scripts without spaces between words (Chinese, Japanese, and with them Korean, Thai,
// Lao, Khmer and Burmese) are split into overlapping pairs: 検索語 gives 検索 and 索語. The
// last character of a run is also a word (語), so the prefix query "語*" finds every 語. A
// word ends where such a script meets another one.
//
// Words are not stemmed. [Forms] returns the other forms of a query word. The index
// thus stays exact, and the ranking decides the value of the forms.
package token
