package similar

import "github.com/dougu-go/dougu/tools/source"

// rules are the lexical rules of a language.
type rules struct {
	words uint16 // bit of its keywords

	slash  bool // comments after // and between /* and */
	nested bool // /* */ comments nest
	hash   bool // comments after #
	dash   bool // comments after --
	triple bool // strings between three quotation marks
	single quote
	back   quote
	// prefixed reports that letters directly before a string belong to it: r"", b'', u8"".
	prefixed bool
	// raw selects the form of raw strings: '#' for Rust and Swift and '(' for C++, where
	// the delimiters at both ends must match; '@' for C#, without escapes.
	raw byte
	// insert is the delimiter that begins code in a string: "${", "\\(", "#{".
	insert string
	// signs are characters that may be part of an identifier or precede it.
	signs   string
	pattern bool   // regular expressions between slashes
	mark    string // delimiter before the name of a heredoc
	html    bool   // code is between <? and ?>, in HTML
	doc     bool   // a string as a statement is a comment
	begin   bool   // comments between =begin and =end, strings as %w[]

	keywords map[string]uint16 // codes of the keywords of an added language; nil for other languages
}

// quote is the meaning of a quotation mark.
type quote uint8

const (
	noQuote  quote = iota
	inLine         // string in one line
	lifetime       // string in one line, or a mark before a name
	manyLine       // string of several lines, with insertions
	rawLine        // the same without escapes
	naming         // around an identifier
)

// Bits of rules.words.
const (
	wordsGo = 1 << iota
	wordsScript
	wordsPython
	wordsJava
	wordsKotlin
	wordsScala
	wordsC
	wordsCPP
	wordsCSharp
	wordsRust
	wordsSwift
	wordsRuby
	wordsPHP
	wordsAny = 1<<iota - 1
)

// languages maps language names to their rules. The entry "" applies to all other
// languages.
var languages = map[string]*rules{
	"go":         {words: wordsGo, slash: true, single: inLine, back: rawLine},
	"typescript": &script, "tsx": &script, "javascript": &script,
	"python": {words: wordsPython, hash: true, triple: true, single: inLine, prefixed: true, doc: true},
	"java":   {words: wordsJava, slash: true, triple: true, single: inLine, signs: "$"},
	"kotlin": {words: wordsKotlin, slash: true, nested: true, triple: true, single: inLine, back: naming, insert: "${"},
	"scala":  {words: wordsScala, slash: true, nested: true, triple: true, single: lifetime, back: naming, prefixed: true, insert: "${", signs: "$"},
	"c":      {words: wordsC, slash: true, single: inLine, prefixed: true},
	"cpp":    {words: wordsC | wordsCPP, slash: true, single: inLine, prefixed: true, raw: '('},
	"csharp": {words: wordsCSharp, slash: true, triple: true, single: inLine, raw: '@'},
	"rust":   {words: wordsRust, slash: true, nested: true, single: lifetime, prefixed: true, raw: '#'},
	"swift":  {words: wordsSwift, slash: true, nested: true, triple: true, back: naming, raw: '#', insert: `\(`, signs: "$"},
	"ruby":   {words: wordsRuby, hash: true, single: manyLine, back: manyLine, insert: "#{", signs: "@$", pattern: true, mark: "<<", begin: true},
	"php":    {words: wordsPHP, slash: true, hash: true, single: manyLine, signs: "$", mark: "<<<", html: true},
	"":       {words: wordsAny, slash: true, hash: true, dash: true, single: inLine, back: inLine, signs: "$"},
}

var script = rules{words: wordsScript, slash: true, single: inLine, back: manyLine, insert: "${", signs: "$#", pattern: true}

// rulesOf returns the rules of a language, or those of the entry "".
func rulesOf(lang string) *rules {
	if r, ok := languages[lang]; ok {
		return r
	}
	return languages[""]
}

// dialect are the lexical rules of a language, and the syntax that a parser defines for it.
type dialect struct {
	*rules
	syntax *source.Syntax // nil for a language without a definition
}

// newDialect returns the dialect of a language.
func newDialect(lang string, parsers *source.Parsers) dialect {
	d, ok := parsers.Definition(source.Language(lang))
	if !ok {
		return dialect{rules: rulesOf(lang)}
	}
	r := rules{keywords: make(map[string]uint16, len(d.Syntax.Keywords))}
	for _, keyword := range d.Syntax.Keywords {
		code := words.code(hashOf([]byte(keyword)), []byte(keyword), wordsAny)
		if code == 0 { // the word has no number in the built-in languages
			code = addedWord + uint16(hashOf([]byte(keyword))%addedWords)
		}
		r.keywords[keyword] = code
	}
	return dialect{&r, &d.Syntax}
}

// defined appends the tokens of a language that a parser has added.
func (l *lexer) defined(d dialect) []token {
	whole := l.src
	for span := range d.syntax.Spans(whole) {
		for l.src = whole[:span.Start]; l.at < len(l.src); {
			l.next()
		}
		l.at = span.End
		if l.src = whole; !span.Comment {
			l.add(text, hashOf(whole[span.Start:span.End])|1, span.Start)
		}
	}
	for l.src = whole; l.at < len(l.src); {
		l.next()
	}
	return l.tokens
}
