package textfile

import (
	"slices"
	"strings"
)

// Encoding says how a file's bytes stand for characters. The zero value is Auto.
type Encoding uint8

// The encodings, in the order in which messages list them.
const (
	Auto        Encoding = iota // found by Detect when reading
	UTF8                        // also plain ASCII
	UTF16                       // the byte-order mark decides, little-endian without one; only ever a request
	UTF16LE                     // little-endian
	UTF16BE                     // big-endian
	ShiftJIS                    // code page 932
	EUCJP                       // with JIS X 0212
	ISO2022JP                   // with JIS X 0212 and half-width katakana when reading
	Windows1252                 // also ISO-8859-1; every byte is a character
	Binary                      // not text; has no characters
)

// encodingNames holds the name of each encoding at its number.
var encodingNames = [...]string{
	"auto", "utf-8", "utf-16", "utf-16le", "utf-16be", "shift-jis", "euc-jp", "iso-2022-jp", "windows-1252", "binary",
}

// encodingAliases has further spellings, lower-case and without hyphens, underscores and spaces.
var encodingAliases = map[string]Encoding{
	"unicode": UTF16, "ucs2": UTF16,
	"sjis": ShiftJIS, "mskanji": ShiftJIS, "cp932": ShiftJIS, "ms932": ShiftJIS, "932": ShiftJIS,
	"windows932": ShiftJIS, "windows31j": ShiftJIS, "xsjis": ShiftJIS, "cswindows31j": ShiftJIS,
	"ujis": EUCJP, "xeucjp": EUCJP, "eucjpms": EUCJP, "cp51932": EUCJP,
	"jis": ISO2022JP, "iso2022": ISO2022JP, "csiso2022jp": ISO2022JP, "cp50221": ISO2022JP,
	"latin1": Windows1252, "l1": Windows1252, "iso88591": Windows1252, "cp1252": Windows1252, "1252": Windows1252,
	"ansi": Windows1252, "ascii": UTF8, "usascii": UTF8,
}

// Names lists the name of every encoding, Auto first.
func Names() []string { return slices.Clone(encodingNames[:]) }

// Parse reads the name of an encoding in any case, with or without hyphens, underscores and spaces, and the usual
// other names (sjis, cp932, windows-31j, eucjp, jis, latin1 …). The empty name is Auto. The error is a *NameError.
func Parse(name string) (Encoding, error) {
	folded := foldName(name)
	if folded == "" && strings.TrimSpace(name) == "" {
		return Auto, nil
	}
	for i, n := range encodingNames {
		if foldName(n) == folded {
			return Encoding(i), nil
		}
	}
	if e, ok := encodingAliases[folded]; ok {
		return e, nil
	}
	return Auto, &NameError{What: "encoding", Name: name, Legal: Names()}
}

func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', ' ':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// String is the name of the encoding as Parse reads it.
func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return "unknown"
}

// MarshalText gives the name, so that an Encoding is a string in JSON.
func (e Encoding) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText parses a name as Parse does.
func (e *Encoding) UnmarshalText(text []byte) (err error) {
	*e, err = Parse(string(text))
	return err
}
