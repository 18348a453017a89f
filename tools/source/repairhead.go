package source

import "bytes"

// receiverEnd returns the end of the receiver of a Go method whose bracket is not closed, or 0.
func (r *repairer) receiverEnd(open int32, line *codeLine) int32 {
	if r.lang != Go || !bytes.HasPrefix(r.src[line.start:], []byte("func (")) || open != line.start+int32(len("func ")) {
		return 0
	}
	at := r.wordEnd(open + 1)
	for at < line.end && (r.src[at] == ' ' || r.src[at] == '*') {
		at++
	}
	end := r.wordEnd(at)
	if end < line.end && r.src[end] == '[' {
		if n := bytes.IndexByte(r.src[end:line.end], ']'); n > 0 {
			end += int32(n) + 1
		}
	}
	if end > line.end || end == at {
		return 0
	}
	return end
}

// matchesComment reports whether b may close the bracket open, by the comment after b. In C++, a
// comment with the word "namespace" excludes other blocks.
func (r *repairer) matchesComment(b bracket, open *openBracket) bool {
	if r.lang != CPP {
		return true
	}
	end := endOfLine(r.src, int(b.at))
	_, comment, _ := bytes.Cut(r.src[b.at:end], []byte("//"))
	head := r.lines[open.line]
	namespace := bytes.Contains(r.src[head.start:head.end], []byte("namespace")) || bytes.HasPrefix(r.src[head.start:], []byte("extern"))
	return namespace || !bytes.Contains(comment, []byte("namespace"))
}

// resultStart returns the offset of the result type after parameters whose closing bracket is
// missing, or end.
func (r *repairer) resultStart(from, end int32) int32 {
	text := r.src[from:end]
	if i := bytes.LastIndex(text, []byte(" ->")); i >= 0 {
		return from + int32(i)
	}
	switch r.lang {
	case PHP, TypeScript, TSX, Kotlin, Scala:
	default:
		return end
	}
	last := text[bytes.LastIndexByte(text, ',')+1:]
	i := bytes.LastIndex(last, []byte(": "))
	if i < 0 || r.lang != PHP && bytes.Count(last, []byte(": ")) < 2 {
		return end
	}
	return end - int32(len(last)-i)
}

// wordBytes are the ASCII characters of identifiers.
const wordBytes = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// maxHead is the maximum number of lines in a function head that are examined.
const maxHead = 10

// insertParameters inserts the missing parenthesis before the parameters of a function, in
// languages with a keyword for functions. It returns false if line b.line is no function head.
func (r *repairer) insertParameters(b bracket) bool {
	first := int(b.line)
	for first > 0 && first > int(b.line)-maxHead && r.continues(first) {
		first--
	}
	for i := int(b.line); i >= first; i-- {
		for at := r.lines[i].start; at < min(b.at, r.lines[i].end); {
			end := r.wordEnd(at)
			switch string(r.src[at:end]) {
			case "func", "def", "function", "fun", "fn":
				return r.insertAfterName(end, b)
			}
			at = max(end, at+1)
		}
	}
	return r.insertMethodParameters(b)
}

// insertMethodParameters inserts the missing parenthesis in the head of a method without a keyword:
// before the last word that may be a parameter.
func (r *repairer) insertMethodParameters(b bracket) bool {
	l := &r.lines[b.line]
	switch r.word(int(b.line)) {
	case "", "if", "else", "for", "while", "switch", "catch", "return", "do", "try", "case", "new", "throw", "await", "go", "defer", "match", "using", "foreach":
		return false
	}
	next := int(b.line) + 1
	body := r.src[l.end-1] == '{' || next < len(r.lines) && r.src[r.lines[next].start] == '{' && r.lines[next].indent == l.indent
	if !body || r.words.offside || bytes.ContainsAny(r.src[l.start:b.at], "(=;{") || bytes.Contains(r.src[b.at:l.end], []byte("=>")) {
		return false
	}
	first := r.src[l.start:b.at]
	if i := bytes.IndexAny(first, ",:"); i >= 0 {
		first = first[:i]
	}
	words := bytes.Fields(first)
	if len(words) == 0 {
		return false
	}
	at := l.start + int32(len(first))
	if len(words) > 1 {
		last := bytes.LastIndex(first, words[len(words)-1])
		at = l.start + int32(last)
	}
	r.insert(at, b.at, '(')
	if r.src[at] == ':' { // before the type of the first parameter, whose name is part of the word
		r.found = append(r.found, repair{at: at, cause: b.at})
	}
	return true
}

// wordEnd returns the end of the word at an offset.
func (r *repairer) wordEnd(at int32) int32 {
	for int(at) < len(r.src) && isWordByte(r.src[at]) {
		at++
	}
	return at
}

// insertAfterName inserts the missing parenthesis after the name that follows a keyword, or before
// the receiver of a Go method.
func (r *repairer) insertAfterName(at int32, b bracket) bool {
	for at < b.at && r.src[at] == ' ' {
		at++
	}
	name := at
	if r.lang == Go && r.src[at] == '(' {
		if n := bytes.IndexByte(r.src[at:b.at], ')'); n >= 0 {
			at += int32(n) + 1
		}
		for at < b.at && r.src[at] == ' ' {
			at++
		}
	}
	end := r.wordEnd(at)
	if end == at || end < b.at && r.src[end] == '(' {
		return false
	}
	rest := r.src[b.at+1 : max(b.at+1, r.lines[b.line].end)]
	if r.lang == Go && name == at && len(rest) > 1 && rest[0] == ' ' {
		if method := bytes.TrimLeft(rest[1:], wordBytes); len(method) < len(rest)-1 && bytes.HasPrefix(bytes.TrimLeft(method, " "), []byte("(")) {
			end = name // the receiver's parenthesis is missing
		}
	}
	r.insert(end, b.at, '(')
	return true
}
