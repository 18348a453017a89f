package grep

// Case is the treatment of upper and lower case. The zero value is Smart.
type Case uint8

// Values of Case.
const (
	Smart       Case = iota // insensitive, unless the pattern names an upper-case letter
	Sensitive               // letters match only themselves
	Insensitive             // letters match their other case, by simple Unicode folding
)

// Options configure Compile. The zero value is a regular expression, in smart case, matched line by line.
type Options struct {
	Literal   bool // the pattern is a text, not a regular expression
	Case      Case
	Multiline bool // the pattern matches the complete text: ^ and $ are the ends of lines, . matches line ends
}
