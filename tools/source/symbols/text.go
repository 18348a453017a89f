package symbols

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// hashes reports whether comments begin with "#".
func (r *reader) hashes() bool { return r.lang == source.Python || r.lang == source.Ruby }

// skip is the first byte from at on that is neither white space nor in a comment.
func (r *reader) skip(at, end int) int {
	for at < end {
		next := at
		if isBlank(r.src[at]) {
			next = at + 1
		} else if next = r.comment(at, end); next == at {
			if !bytes.HasPrefix(r.src[at:end], []byte("\uFEFF")) {
				return at
			}
			next = at + len("\uFEFF")
		}
		at = next
	}
	return end
}

// comment is the end of a comment, or at if there is none.
func (r *reader) comment(at, end int) int {
	text := r.src[at:end]
	switch {
	case r.hashes() && text[0] == '#', !r.hashes() && bytes.HasPrefix(text, []byte("//")):
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			return at + n
		}
		return end
	case !r.hashes() && bytes.HasPrefix(text, []byte("/*")):
		if n := bytes.Index(text[2:], []byte("*/")); n >= 0 {
			return at + n + 4
		}
		return end
	}
	return at
}

// quoted is the end of a string that begins at a position, or at if none does.
func (r *reader) quoted(at, end int) int {
	quote := r.src[at]
	switch {
	case quote == '"', quote == '`' && r.lang != source.Swift && r.lang != source.Kotlin && r.lang != source.Scala:
	case quote == '\'' && (r.hashes() || r.lang == source.PHP || r.lang.Family() == source.TypeScript):
	default:
		return at
	}
	if mark := bytes.Repeat([]byte{quote}, 3); bytes.HasPrefix(r.src[at:end], mark) {
		if n := bytes.Index(r.src[at+3:end], mark); n >= 0 {
			return at + n + 6
		}
		return end
	}
	for at++; at < end; at++ {
		switch {
		case r.src[at] == '\\':
			at++
		case r.src[at] == quote:
			return at + 1
		case r.src[at] == '\n' && quote != '`':
			return at
		}
	}
	return end
}

// over returns the offset after the comment, string or brackets at an offset, or the next offset.
func (r *reader) over(at, end int) int {
	depth := 0
	for at < end {
		next := r.comment(at, end)
		if next == at {
			next = r.quoted(at, end)
		}
		if next == at {
			switch r.src[at] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			next = at + 1
		}
		if at = next; depth <= 0 {
			break
		}
	}
	return min(at, end)
}

// attributes is where a signature begins: behind the attributes that lead it.
func (r *reader) attributes(at, end int) int {
	for at < end {
		c := r.src[at]
		switch text := r.src[at:end]; {
		case c == '@' && !bytes.HasPrefix(text, []byte("@interface")) && (r.lang != source.Go && r.lang != source.C):
			for at++; at < end && (isWord(r.src[at]) || r.src[at] == '.' || r.src[at] == ':'); at++ {
			}
			if at < end && r.src[at] == '(' {
				at = r.over(at, end)
			}
		case c == '#' && len(text) > 1 && text[1] == '[' && (r.lang == source.Rust || r.lang == source.PHP):
			at = r.over(at+1, end)
		case c == '[' && r.lang == source.CSharp:
			at = r.over(at, end)
		default:
			return at
		}
		at = r.skip(at, end)
	}
	return at
}

// keyword is the first word of a declaration that is no modifier.
func (r *reader) keyword(at, end int) string {
	kind := ""
	for at < end {
		from := at
		for at < end && isWord(r.src[at]) {
			at++
		}
		word := string(r.src[from:at])
		switch {
		case word == "":
			return kind
		case kind != "": // of "class func" the second counts
			if word == "func" || word == "var" || word == "let" || word == "subscript" {
				return word
			}
			if !modifiers[word] {
				return kind
			}
		case word == "class":
			kind = word
		case !modifiers[word]:
			return word
		}
		if at < end && r.src[at] == '(' { // private(set)
			at = r.over(at, end)
		}
		at = r.skip(at, end)
	}
	return kind
}

// documentation is the comment on the lines right before a declaration.
func (r *reader) documentation(decl int) (start, end int) {
	at := r.lineBegin(decl)
	if len(bytes.TrimSpace(r.src[at:decl])) > 0 {
		return 0, 0
	}
	for at > 0 {
		line := r.lineBegin(at - 1)
		text := bytes.TrimSpace(r.src[line:at])
		from := -1
		switch {
		case r.hashes() && bytes.HasPrefix(text, []byte("#")) && !bytes.HasPrefix(text, []byte("#!")), !r.hashes() && bytes.HasPrefix(text, []byte("//")):
			from = line + bytes.Index(r.src[line:at], text[:1])
		case !r.hashes() && bytes.HasSuffix(text, []byte("*/")):
			if from = bytes.LastIndex(r.src[:at], []byte("/*")); from < 0 || len(bytes.TrimSpace(r.src[r.lineBegin(from):from])) > 0 {
				return start, end
			}
			line = r.lineBegin(from)
		}
		if from < 0 {
			break
		}
		if start = from; end == 0 {
			end = from + len(bytes.TrimRight(r.src[from:at], " \t\r\n"))
		}
		at = line
	}
	return start, end
}

// lineBegin is where the line of a byte begins.
func (r *reader) lineBegin(at int) int { return bytes.LastIndexByte(r.src[:at], '\n') + 1 }
