package engine

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. A closing bracket is three kinds after its opening one.
const (
	End Kind = iota // of the text
	Word
	Value // a number, a regular expression, a string or a part of one
	Hash  // #name
	At
	Dot // and other signs that a name follows: ?. ::
	Comma
	Colon
	Semicolon
	Assign
	Arrow
	Infix
	Prefix
	Postfix
	LeftParen
	LeftBracket
	LeftBrace
	RightParen
	RightBracket
	RightBrace
)

const closes = RightParen - LeftParen

// Opens reports whether a token is an opening bracket.
func (k Kind) Opens() bool { return k-LeftParen < closes }

// Closes reports whether a token is a closing bracket.
func (k Kind) Closes() bool { return k >= RightParen }

// Flag is a property of a token.
type Flag uint8

// The flags of tokens.
const (
	Newline    Flag = 1 << iota // a line feed stands before it
	Spaced                      // blanks or a comment stand before it, or nothing
	Quoted                      // a name in back-quotes
	Documented                  // a documentation comment stands before it
	Code                        // a bracket of code in a string
)

// Token is a token of a text.
type Token struct {
	Kind       Kind
	Word       uint8 // the keyword by the language's table, 0 for other names
	Flags      Flag
	Start, End int32
	// Match is the index of the bracket that closes an opening one, or of the token
	// before which its content ends if nothing closes it; for a closing bracket the
	// index of its opening one, or -1.
	Match int32
}

// Has reports whether a token has a flag.
func (t *Token) Has(f Flag) bool { return t.Flags&f != 0 }
