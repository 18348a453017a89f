// Package component finds the declarations in the scripts of Vue, Svelte and Astro components.
//
// The text outside of the scripts is replaced by blanks, so that a parser of TypeScript or JavaScript reads the scripts of a file
// together, at their own offsets. Templates and styles are not read.
package component

import (
	"bytes"
	"context"
	"regexp"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// Parser implements source.Parser, source.Checker and source.Definer. New makes it.
type Parser struct {
	scripts *source.Parsers
	tag     *regexp.Regexp // the opening tag of a script, with its attributes
	lang    *regexp.Regexp // the attribute with the language of a script
	kind    *regexp.Regexp // the attribute with the media type of a script
	comment *regexp.Regexp // a comment of HTML
}

// New returns a Parser that reads the scripts with the parsers of TypeScript, TSX and JavaScript. It does not close them.
func New(scripts *source.Parsers) *Parser {
	return &Parser{
		scripts: scripts,
		tag:     regexp.MustCompile(`(?i)<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>`),
		lang:    regexp.MustCompile(`(?i)(?:^|\s)lang\s*=\s*["']?(\w+)`),
		kind:    regexp.MustCompile(`(?i)(?:^|\s)type\s*=\s*["']?([^"'\s>]*)`),
		comment: regexp.MustCompile(`(?s)<!--.*?-->`),
	}
}

// Name returns "component".
func (*Parser) Name() string { return "component" }

// Languages returns vue, svelte and astro.
func (*Parser) Languages() []source.Language { return []source.Language{"vue", "svelte", "astro"} }

// Definitions implements source.Definer.
func (*Parser) Definitions() []source.Definition {
	syntax := source.Syntax{
		LineComments:  []string{"//"},
		BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}, {Open: "<!--", Close: "-->"}},
		Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}, {Open: "`", Close: "`", Raw: true}},
		Keywords: []string{
			"async", "await", "break", "case", "catch", "class", "const", "continue", "default", "delete", "do", "else", "export", "extends",
			"false", "finally", "for", "function", "if", "import", "in", "instanceof", "let", "new", "null", "of", "return", "super",
			"switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while", "yield",
		},
	}
	return []source.Definition{
		{Language: "vue", Extensions: []string{".vue"}, Signs: []string{}, Syntax: syntax},
		{Language: "svelte", Extensions: []string{".svelte"}, Signs: []string{}, Syntax: syntax},
		{Language: "astro", Extensions: []string{".astro"}, Signs: []string{}, Syntax: syntax},
	}
}

// Parse implements source.Parser. Its errors are source.ErrLanguage and the errors of the parser of the scripts.
func (p *Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if !slices.Contains(p.Languages(), lang) {
		return nil, source.ErrLanguage
	}
	masked, script := p.mask(src, lang)
	file, err := p.scripts.Parse(ctx, masked, script, o)
	if file == nil {
		return nil, err
	}
	file.Language, file.Parser = lang, p.Name()
	return file, err
}

// Check implements source.Checker for the scripts. Templates and styles are not checked.
func (p *Parser) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	if !slices.Contains(p.Languages(), lang) {
		return nil, source.ErrLanguage
	}
	masked, script := p.mask(src, lang)
	problems, _, err := p.scripts.Check(ctx, masked, script)
	return problems, err
}

// mask returns the text with blanks in place of all bytes but line feeds outside of the scripts, and the language of the scripts.
func (p *Parser) mask(src []byte, lang source.Language) ([]byte, source.Language) {
	script := source.JavaScript
	masked := make([]byte, len(src))
	for i, b := range src {
		if masked[i] = ' '; b == '\n' || b == '\r' {
			masked[i] = b
		}
	}
	if lang == "astro" {
		script = source.TypeScript
		if start, end := frontMatter(src); end > start {
			copy(masked[start:end], src[start:end])
		}
	}
	scripts := src
	if comments := p.comment.FindAllIndex(src, -1); len(comments) > 0 {
		scripts = bytes.Clone(src)
		for _, c := range comments {
			copy(scripts[c[0]:c[1]], bytes.Repeat([]byte{' '}, c[1]-c[0]))
		}
	}
	for at := 0; at < len(src); {
		m := p.tag.FindSubmatchIndex(scripts[at:])
		if m == nil {
			break
		}
		start := at + m[1]
		end := len(src)
		if closing := indexFold(src[start:], "</script"); closing >= 0 {
			end = start + closing
		}
		attributes := src[at+m[2] : at+m[3]]
		at = end
		if bytes.HasSuffix(bytes.TrimSpace(attributes), []byte("/")) {
			at = start
			continue
		}
		if kind := p.kind.FindSubmatch(attributes); kind != nil && !isScript(kind[1]) {
			continue
		}
		if named := p.lang.FindSubmatch(attributes); named != nil {
			switch string(bytes.ToLower(named[1])) {
			case "ts", "typescript":
				script = source.TypeScript
			case "tsx":
				script = source.TSX
			case "js", "javascript", "jsx":
			default:
				continue // another language, or data
			}
		}
		copy(masked[start:end], src[start:end])
	}
	return masked, script
}

// isScript reports whether a media type is that of JavaScript or TypeScript, or "module".
func isScript(kind []byte) bool {
	kind = bytes.ToLower(kind)
	return len(kind) == 0 || bytes.Equal(kind, []byte("module")) || bytes.Contains(kind, []byte("javascript")) ||
		bytes.Contains(kind, []byte("typescript")) || bytes.Contains(kind, []byte("ecmascript")) || bytes.Contains(kind, []byte("jsx"))
}

// frontMatter returns the offsets of the script of an Astro component, between lines of three hyphens.
func frontMatter(src []byte) (start, end int) {
	blanks := len(src) - len(bytes.TrimLeft(bytes.TrimPrefix(src, []byte("\ufeff")), " \t\r\n"))
	if !bytes.HasPrefix(src[blanks:], []byte("---")) {
		return 0, 0
	}
	start = blanks + 3
	if end := bytes.Index(src[start:], []byte("\n---")); end >= 0 {
		return start, start + end + 1
	}
	return 0, 0
}

// indexFold returns the first offset of a text in lower case, regardless of the case in src, or -1.
func indexFold(src []byte, text string) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(src[at:], text[0])
		if next < 0 {
			return -1
		}
		at += next
		if len(src)-at < len(text) {
			return -1
		}
		if bytes.EqualFold(src[at:at+len(text)], []byte(text)) {
			return at
		}
	}
}
