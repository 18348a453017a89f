// Package token cuts text into the words by which it is found: source code,
// documents and queries in the same way, so that a word of one fits that of the
// other byte for byte.
//
// # Words
//
// Letters are compared without case and in the form NFKC, so that full-width
// letters and half-width katakana are the usual ones. A name in code is found as a
// whole and by its parts: parseHTTPUrl, parse_http_url and ParseHTTPURL are the
// word parsehttpurl, and the words parse, http and url. Digits belong to the letters
// before them, which are a word without the digits as well: utf8 and utf. A word of
// one letter or digit is none, unless the Scanner is told to take it. Numbers with
// points are one word (1.26, 127.0.0.1). A word is cut to MaxWord bytes; what
// changes between letters and digits as encoded data does has no parts.
//
// Scripts that are written without spaces between words (Chinese, Japanese, and with
// them Korean, Thai, Lao, Khmer and Burmese) are cut into all pairs of neighbours: 検索語
// is 検索 and 索語. The last character of a run is a word by itself (語), so that every
// character begins some word, and 語 is found as "語*". Where the script changes between
// these and others a word ends.
//
// Words are not changed to their stems: Forms are the other forms in which a word of
// a query may stand in a text. So an index is exact, and what the forms are worth is
// for who ranks.
package token
