package treesitter

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func sqlGrammar() grammar {
	return grammar{language: "sql", mask: sqlMask(), added: &source.Definition{
		Aliases: []string{"psql", "mysql", "plpgsql"}, Extensions: []string{".sql", ".ddl"},
		Signs: []string{"SELECT ", "FROM ", "WHERE ", "CREATE TABLE", "INSERT INTO", "select ", "from ", "create table", "JOIN ", "PRIMARY KEY"},
		Syntax: source.Syntax{
			LineComments:  []string{"--"},
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings:       []source.Delimiters{{Open: "'", Close: "'", Raw: true}},
			Keywords: []string{
				"alter", "and", "as", "by", "create", "delete", "drop", "from", "function", "group", "index", "insert", "into", "join", "not",
				"null", "on", "or", "order", "primary", "select", "set", "table", "trigger", "type", "update", "values", "view", "where",
			},
		},
	}}
}

// sqlShort is the beginning of a function, behind its name, that the grammar always knows. Its body follows.
const sqlShort = "()RETURNS int "

// sqlMask returns a function that blanks the commands of psql, the parameters of functions, and what the grammar does not know of
// the rest. Functions without dollar quotes and procedures become functions whose body is a string.
func sqlMask() func(src []byte) []byte {
	meta := regexp.MustCompile(`(?m)^\\[a-z].*$|(?mi)^[ \t]*delimiter[ \t]+\S+[ \t]*\r?$`)
	head := regexp.MustCompile("(?i)\\bcreate\\s+(?:or\\s+replace\\s+)?(function|procedure)\\s+(?:(?:[\\w$]+|\"[^\"\\n]*\"|`[^`\\n]*`)\\.)?(?:[\\w$]+|\"[^\"\\n]*\"|`[^`\\n]*`)\\s*(\\()")
	return func(src []byte) []byte {
		var out []byte
		for _, at := range meta.FindAllIndex(src, -1) {
			if out == nil {
				out = bytes.Clone(src)
			}
			blank(out[at[0]:at[1]])
		}
		budget := 4*len(src) + maxMasked // bytes that may be read, as statements without an end are read several times
		for end := 0; end < len(src) && budget > 0; {
			at := head.FindSubmatchIndex(src[end:])
			if at == nil {
				break
			}
			if out == nil {
				out = bytes.Clone(src)
			}
			isFunction := at[3]-at[2] == len("function")
			next, read := sqlFunction(out[end+at[2]:], at[4]-at[2], isFunction)
			end, budget = end+at[2]+next, budget-read
		}
		if out == nil {
			return src
		}
		return out
	}
}

// sqlFunction changes the text of a function in place. The text begins with the word "function" or "procedure"; its parameters begin
// at open. sqlFunction returns the offset at which the next one is looked for,
// and the number of bytes that it has read.
func sqlFunction(text []byte, open int, isFunction bool) (next, read int) {
	r := sqlReader{text: text[:min(len(text), maxMasked)], at: open}
	r.read()
	if r.parameters == 0 || r.end == 0 {
		return open, r.at
	}
	if isFunction && r.dollar {
		blank(text[open+1 : r.parameters-1])
		return r.end, r.at
	}
	body := max(r.body, open+len(sqlShort))
	if body+len("AS ''") > r.end || !r.closed {
		return open, r.at
	}
	if !isFunction {
		copy(text, "function ")
	}
	blank(text[open:r.end])
	copy(text[open:], sqlShort)
	copy(text[body:], "AS '")
	text[r.end-1] = '\''
	if rest := bytes.TrimLeft(text[r.end:], " \t"); len(rest) > 0 && rest[0] != ';' { // a delimiter of MySQL
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		blank(line)
		rest[0] = ';'
	}
	return r.end, r.at
}

// isSQLWord reports whether a byte belongs to a word. The dollar sign begins a quote.
func isSQLWord(c byte) bool { return isWord(c) || c >= 0x80 }

// sqlReader reads the statement of a function.
type sqlReader struct {
	text []byte
	at   int

	parameters int  // the offset behind the parameters
	body       int  // the offset of the word that begins the body
	end        int  // the offset behind the statement, without its semicolon
	dollar     bool // the body is in dollar quotes
	closed     bool // a semicolon or a delimiter follows the end
}

// read finds the parts of the statement. end is 0 if the text has no end of it.
func (r *sqlReader) read() {
	depth, blocks, last := 0, 0, ""
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '(':
			depth++
			r.at++
		case c == ')':
			r.at++
			if depth--; depth == 0 && r.parameters == 0 {
				r.parameters = r.at
			}
		case c == ';' && depth <= 0 && blocks == 0:
			r.end, r.closed = r.at, true
			return
		case isSQLWord(c):
			from := r.at
			for r.at < len(r.text) && isSQLWord(r.text[r.at]) {
				r.at++
			}
			word := strings.ToLower(string(r.text[from:r.at]))
			if depth == 0 && r.body == 0 && r.parameters > 0 && (word == "as" || word == "is" || word == "begin") {
				r.body = from
			}
			switch {
			case (word == "begin" || word == "case") && last != "end":
				blocks++
			case word == "end" && !r.endsOther() && blocks > 0:
				if blocks--; blocks == 0 {
					rest := strings.TrimLeft(string(r.text[r.at:min(len(r.text), r.at+80)]), " \t")
					if !strings.HasPrefix(rest, ";") {
						r.end = r.at
						r.closed = strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "$$") || strings.HasPrefix(rest, ";;")
						return
					}
				}
			}
			last = word
		default:
			r.skip()
		}
	}
}

// endsOther reports whether the word behind "end" is that of a statement without "begin".
func (r *sqlReader) endsOther() bool {
	rest := strings.ToLower(strings.TrimLeft(string(r.text[r.at:min(len(r.text), r.at+20)]), " \t"))
	for _, word := range []string{"if", "loop", "while", "repeat", "for"} {
		if after, ok := strings.CutPrefix(rest, word); ok && (after == "" || !isSQLWord(after[0])) {
			return true
		}
	}
	return false
}

// skip passes over a string, a comment or one byte.
func (r *sqlReader) skip() {
	rest := r.text[r.at:]
	closing := ""
	switch {
	case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
		closing = string(rest[0])
	case bytes.HasPrefix(rest, []byte("--")):
		closing = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		closing = "*/"
	case rest[0] == '$':
		if n := bytes.IndexByte(rest[1:], '$'); n >= 0 && (n == 0 || !bytes.ContainsAny(rest[1:n+1], " \t\r\n';,")) {
			closing, r.dollar = string(rest[:n+2]), true
		}
	}
	if closing == "" {
		r.at++
		return
	}
	n := bytes.Index(rest[min(len(closing), len(rest)):], []byte(closing))
	if n < 0 {
		r.at = len(r.text)
		return
	}
	r.at += min(len(closing), len(rest)) + n + len(closing)
}
