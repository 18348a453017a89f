package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

// scalaBody gives a type the body that begins in the line after its header: the
// grammar, which reads indentation, takes the bracket there for another statement.
func scalaBody(src []byte, c *source.Chunk) {
	if c.Body > 0 || c.Kind != source.Class && c.Kind != source.Interface && c.Kind != source.Object {
		return
	}
	at, feeds := int(c.End), 0
	for at < len(src) && feeds < 2 {
		switch {
		case src[at] == '\n':
			feeds++
			at++
		case src[at] == ' ' || src[at] == '\t' || src[at] == '\r':
			at++
		case bytes.HasPrefix(src[at:], []byte("//")), bytes.HasPrefix(src[at:], []byte("/*")):
			at = scalaSkip(src, at)
			feeds = 0
		case src[at] == '{':
			if end := scalaBlock(src, at); end > 0 {
				c.Body, c.End = int32(at), int32(end)
			}
			return
		default:
			return
		}
	}
}

// scalaBlock is the end of the block that begins at a bracket, -1 if it has none.
func scalaBlock(src []byte, at int) int {
	depth := 0
	for at < len(src) {
		switch src[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at = scalaSkip(src, at)
	}
	return -1
}

// scalaSkip returns the end of the comment, string or character at an offset, or the offset of the
// next byte.
func scalaSkip(src []byte, at int) int {
	rest := src[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return at + n
		}
		return len(src)
	case bytes.HasPrefix(rest, []byte("/*")):
		return scalaComment(src, at)
	case rest[0] == '"':
		return scalaString(src, at)
	case rest[0] == '`':
		if n := bytes.IndexAny(rest[1:], "`\n"); n >= 0 {
			return at + 1 + n + 1
		}
	case bytes.HasPrefix(rest, []byte(`'\`)):
		if n := bytes.IndexAny(rest[3:min(len(rest), 12)], "'\n"); len(rest) > 3 && n >= 0 {
			return at + 3 + n + 1
		}
	case rest[0] == '\'' && len(rest) > 2 && rest[2] == '\'':
		return at + 3
	}
	return at + 1
}

// scalaComment is the end of a comment, within which others may be.
func scalaComment(src []byte, at int) int {
	depth := 0
	for at+1 < len(src) {
		switch string(src[at : at+2]) {
		case "/*":
			depth++
			at += 2
		case "*/":
			depth--
			at += 2
			if depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	return len(src)
}

// scalaString returns the end of a string, including the brackets and nested strings of an
// interpolated one.
func scalaString(src []byte, at int) int {
	interpolated := at > 0 && isWord(src[at-1])
	quote := []byte(`"`)
	if bytes.HasPrefix(src[at:], []byte(`"""`)) {
		quote = src[at : at+3]
	}
	for at += len(quote); at < len(src); {
		switch c := src[at]; {
		case bytes.HasPrefix(src[at:], quote):
			at += len(quote)
			for len(quote) == 3 && at < len(src) && src[at] == '"' {
				at++
			}
			return at
		case c == '\n' && len(quote) == 1:
			return at
		case c == '\\' && len(quote) == 1:
			at += 2
		case c == '$' && interpolated && bytes.HasPrefix(src[at:], []byte("${")):
			end := scalaBlock(src, at+1)
			if end < 0 {
				return len(src)
			}
			at = end
		default:
			at++
		}
	}
	return len(src)
}
