package grep

// Case says whether upper and lower case letters are the same. The zero value is Smart.
type Case uint8

// The ways to look at case.
const (
	Smart       Case = iota // insensitive, unless the pattern itself names an upper-case letter
	Sensitive               // letters are what they are
	Insensitive             // a letter stands for its other case too, by the simple folding of Unicode
)

// Options say how a pattern is meant. The zero value is a regular expression, in smart case, line by line.
type Options struct {
	Literal   bool // the pattern is text, not a regular expression
	Case      Case
	Multiline bool // the pattern sees the whole text: ^ and $ are the ends of lines, . matches line ends too
}
