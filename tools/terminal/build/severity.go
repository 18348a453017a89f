package build

import "strings"

// finding is the message of a tool about a location.
type finding struct {
	note     bool // about the problem before it
	severity Severity
	code     string
	message  string
}

// severityWords are the severity words of tools, longer ones first. The Japanese words are those of the translations of GCC and
// the JDK.
var severityWords = []struct {
	word     string
	severity Severity
	note     bool
}{
	{"fatal error", Error, false}, {"internal compiler error", Error, false}, {"error", Error, false}, {"fatal", Error, false},
	{"warning", Warning, false}, {"note", "", true}, {"remark", "", true}, {"info", "", true}, {"hint", "", true},
	{"致命的エラー", Error, false}, {"エラー", Error, false}, {"警告", Warning, false}, {"備考", "", true}, {"ノート", "", true},
}

// cutSeverity takes "error: ", "warning CS0168: ", "error[E0425]: " and the like off
// the beginning of a text.
func cutSeverity(s string) (f finding, ok bool) {
	s = strings.TrimLeft(s, " ")
	for _, w := range severityWords {
		if len(s) < len(w.word) || !strings.EqualFold(s[:len(w.word)], w.word) {
			continue
		}
		f.severity, f.note = w.severity, w.note
		rest := s[len(w.word):]
		if inner, after, found := bracket(rest); found {
			f.code, rest = inner, after
		}
		rest = strings.TrimLeft(rest, " ")
		if code, after, found := strings.Cut(rest, ":"); found && f.code == "" && codelike(code) {
			f.code, rest = strings.TrimSpace(code), ":"+after
		}
		if !strings.HasPrefix(rest, ":") {
			return finding{}, false
		}
		f.message = strings.TrimSpace(rest[1:])
		return f, true
	}
	return finding{}, false
}

// cutMark removes the mark of errors or warnings from a line. The severity of other lines is "".
func cutMark(s, ofErrors, ofWarnings string) (Severity, string) {
	if rest, ok := strings.CutPrefix(s, ofErrors); ok {
		return Error, rest
	}
	if rest, ok := strings.CutPrefix(s, ofWarnings); ok {
		return Warning, rest
	}
	return "", s
}

// bracket reads [inner] at the beginning of a text.
func bracket(s string) (inner, rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", s, false
	}
	inner, rest, ok = strings.Cut(s[1:], "]")
	return inner, rest, ok && len(inner) <= 60
}

// codelike reports whether a text has the form of a code such as TS2322: letters and then digits.
func codelike(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > 40 || !letters(s[:1]) {
		return false
	}
	digits := false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '-', c == '.', c == '/':
		default:
			return false
		}
	}
	return digits
}

// tail removes a code in brackets at the end of a message, for example [-Wunused].
func tail(message string) (rest, code string) {
	if !strings.HasSuffix(message, "]") {
		return message, ""
	}
	at := strings.LastIndexByte(message, '[')
	if at <= 0 || message[at-1] != ' ' {
		return message, ""
	}
	code = message[at+1 : len(message)-1]
	if code == "" || len(code) > 100 || strings.ContainsAny(code, " /\\\"'`") {
		return message, ""
	}
	return strings.TrimSpace(message[:at]), code
}
