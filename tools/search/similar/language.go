package similar

// rules are the lexical rules of a language.
type rules struct {
	words uint16 // which words are its keywords

	slash  bool // comments from // and between /* and */
	nested bool // /* within /*
	hash   bool // comments from #
	dash   bool // comments from --
	triple bool // strings between three quotes
	single quote
	back   quote
	// prefixed says that letters before a string belong to it: r"", b'', u8"".
	prefixed bool
	// raw is the byte that makes a string end only where it has begun: '#' of Rust
	// and Swift, '(' of C++; '@' of C# leaves the backslash alone.
	raw byte
	// insert begins code in a string: "${", "\\(", "#{".
	insert string
	// signs may stand in, or before, an identifier.
	signs   string
	pattern bool   // /regular expressions/
	mark    string // before the name of a text that begins with the next line
	html    bool   // code is between <? and ?>
	doc     bool   // a string that is a statement is a comment
	begin   bool   // comments between =begin and =end, strings as %w[]
}

// quote is the meaning of a quotation mark.
type quote uint8

const (
	noQuote  quote = iota
	inLine         // a string in one line
	lifetime       // a string in one line, or a mark before a name
	manyLine       // a string of several lines, with insertions
	rawLine        // the same without backslashes
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
