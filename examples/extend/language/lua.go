// Package language adds Lua to the tools that read source code: a parser finds the functions of a text, and a definition names the
// files, the comments and the strings of the language.
//
// Copy it to add another language. The tests run the conformance kit of parsers, and call the tools with the new language.
package language

import (
	"bytes"
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// Language is the name of Lua in the parameters of tools.
const Language source.Language = "lua"

// Parser reads Lua. It reports unclosed blocks and strings, and ignores other errors.
type Parser struct{}

var (
	_ source.Checker = Parser{}
	_ source.Definer = Parser{}
)

// Name returns the name that results contain.
func (Parser) Name() string { return "lua" }

// Languages returns Lua.
func (Parser) Languages() []source.Language { return []source.Language{Language} }

// Definitions returns the definition of Lua.
func (Parser) Definitions() []source.Definition {
	return []source.Definition{{
		Language: Language, Aliases: []string{"luajit"}, Extensions: []string{".lua", ".rockspec"}, FileNames: []string{".luacheckrc"},
		Interpreters: []string{"lua", "luajit"},
		Syntax: source.Syntax{
			LineComments:  []string{"--"},
			BlockComments: []source.Delimiters{{Open: "--[[", Close: "]]"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}, {Open: "[[", Close: "]]", Raw: true}},
			Keywords:      keywords,
		},
	}}
}

// keywords are the reserved words of Lua.
var keywords = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
	"repeat", "return", "then", "true", "until", "while",
}

// maxNesting is the number of open blocks that a text may have, as in Lua itself.
const maxNesting = 200

// Parse finds the functions with a name, the modules that the text requires, and on request the calls.
func (p Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	r := reader{scanner: scanner{src: src}, builder: source.NewBuilder(src, lang), calls: o.Calls}
	for token := r.next(); token.kind != eof; token = r.next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.read(token); len(r.blocks) > maxNesting {
			return nil, source.ErrTooComplex
		}
	}
	for _, open := range r.blocks {
		r.builder.Problem(open.keyword+" without end", open.at)
	}
	return r.builder.File(p.Name()), nil
}

// Check returns the problems that Parse finds.
func (p Parser) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	file, err := p.Parse(ctx, src, lang, source.Options{})
	if err != nil {
		return nil, err
	}
	return file.Problems, nil
}

// block is an open block.
type block struct {
	keyword string // if, do, repeat or function
	at      int
	chunk   int // of a function with a name; otherwise that of the function around it, or -1
	named   bool
}

// reader finds the functions of a text.
type reader struct {
	scanner
	builder  *source.Builder
	calls    bool
	blocks   []block
	previous token
}

// read processes one token.
func (r *reader) read(t token) {
	text := r.text(t)
	switch {
	case t.kind == unclosed:
		r.builder.Problem("a string or comment without an end", t.start)
	case t.kind != word:
	case text == "function":
		r.function(t)
	case text == "if" || text == "do" || text == "repeat":
		r.blocks = append(r.blocks, block{text, t.start, r.chunk(), false})
	case text == "end" || text == "until":
		r.close(text, t)
	case !slices.Contains(keywords, text):
		r.call(text, t)
	}
	r.previous = t
}

// chunk returns the chunk of the innermost function with a name, or -1.
func (r *reader) chunk() int {
	if n := len(r.blocks); n > 0 {
		return r.blocks[n-1].chunk
	}
	return -1
}

// function opens a function: "function name(…)", "function Type:name(…)" or "function(…)".
func (r *reader) function(t token) {
	open := block{keyword: "function", at: t.start, chunk: r.chunk()}
	var container []byte
	kind, name := source.Function, r.peek()
	if name.kind == word && !slices.Contains(keywords, r.text(name)) {
		r.next()
		for sign := r.peek(); r.text(sign) == "." || r.text(sign) == ":"; sign = r.peek() {
			r.next()
			member := r.peek()
			if member.kind != word {
				break
			}
			if container = append(container, r.text(name)...); r.text(sign) == ":" {
				kind = source.Method
			} else if next := r.after(member); next == '.' || next == ':' {
				container = append(container, '.')
			}
			name = r.next()
		}
		decl := t.start
		if r.text(r.previous) == "local" {
			decl = r.previous.start
		}
		doc, docEnd := r.comment(decl)
		open.named = true
		open.chunk = r.builder.Add(source.Chunk{
			Kind: kind, Name: r.text(name), Container: string(container), Parent: int32(open.chunk),
			Doc: int32(doc), DocEnd: int32(docEnd), Decl: int32(decl), Ident: int32(name.start), Body: int32(r.body()),
		})
	}
	r.blocks = append(r.blocks, open)
}

// after returns the character after a token.
func (r *reader) after(t token) byte {
	if t.end < len(r.src) {
		return r.src[t.end]
	}
	return 0
}

// body skips the parameters of a function and returns the offset after them, or 0 if they have no end.
func (r *reader) body() int {
	if r.text(r.peek()) != "(" {
		return 0
	}
	for t := r.next(); t.kind != eof && (t.kind != word || !slices.Contains(keywords, r.text(t))); t = r.next() {
		if r.text(t) == ")" {
			return t.end
		}
		if next := r.peek(); next.kind == word && slices.Contains(keywords, r.text(next)) {
			break
		}
	}
	return 0
}

// comment returns the range of the comment lines directly above a declaration, or zeros.
func (r *reader) comment(decl int) (start, end int) {
	line := bytes.LastIndexByte(r.src[:decl], '\n') + 1
	if len(bytes.TrimSpace(r.src[line:decl])) > 0 {
		return 0, 0
	}
	for start = line; start > 0; {
		above := bytes.LastIndexByte(r.src[:start-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(r.src[above:start], " \t"), []byte("--")) {
			break
		}
		start = above
	}
	if start == line {
		return 0, 0
	}
	start += len(r.src[start:line]) - len(bytes.TrimLeft(r.src[start:line], " \t"))
	return start, start + len(bytes.TrimRight(r.src[start:line], " \t\r\n"))
}

// close closes the innermost block.
func (r *reader) close(text string, t token) {
	n := len(r.blocks) - 1
	if n < 0 || (text == "until") != (r.blocks[n].keyword == "repeat") {
		r.builder.Problem(text+" closes no block", t.start)
		return
	}
	if open := r.blocks[n]; open.named {
		r.builder.Close(open.chunk, t.end)
	}
	r.blocks = r.blocks[:n]
}

// call adds a call, or the module of require.
func (r *reader) call(name string, t token) {
	switch next := r.peek(); {
	case next.kind != literal && r.text(next) != "(":
	case name == "require":
		if next.kind != literal {
			r.next()
			next = r.peek()
		}
		if next.kind == literal {
			r.builder.Import(string(bytes.Trim(r.src[next.start:next.end], `"'[]`)), next.start)
		}
	case r.calls:
		r.builder.Call(name, t.start, r.chunk())
	}
}
