package grep

import (
	"fmt"
	"regexp"
	"strings"
)

// unsupportedSyntax maps syntax of other engines to the reason and the next step.
var unsupportedSyntax = map[string][2]string{
	"(?=":  {"look-ahead is not supported", "search for the text itself, with the text after it"},
	"(?!":  {"look-ahead is not supported", "search without it, and leave out the lines that do not fit"},
	"(?<=": {"look-behind is not supported", "search for the text itself, with the text before it"},
	"(?<!": {"look-behind is not supported", "search without it, and leave out the lines that do not fit"},
	"(?>":  {"atomic groups are not supported", "use a plain group, (?:…); matching takes no longer for it"},
	"(?#":  {"comments are not supported", "leave the comment out"},
	"(?|":  {"branch reset is not supported", "use a plain group, (?:…)"},
	"(?(":  {"conditions are not supported", "write both cases as alternatives, a|b"},
	"(?R":  {"recursion is not supported", "search for the beginning of the nested text"},
	"(?&":  {"subroutines are not supported", "write the group out"},
	"(?P>": {"subroutines are not supported", "write the group out"},
	"(?P=": {"back-references are not supported", "write out the repeated text, or search for one occurrence"},
	"(?'":  {"groups are not named in this way", "write (?P<name>…)"},
	`\k`:   {"back-references are not supported", "write out the repeated text, or search for one occurrence"},
	`\g`:   {"back-references are not supported", "write out the repeated text, or search for one occurrence"},
	`\Z`:   {"there is no such escape", `use $, or \z for the very end`},
	`\h`:   {"there is no such escape", `use [ \t]`},
	`\R`:   {"there is no such escape", "use $ for the end of a line"},
	`\K`:   {"there is no such escape", "leave it out: the line matches without it as well"},
	`\G`:   {"there is no such escape", "leave it out"},
	`\X`:   {"there is no such escape", "use . for a character"},
	`\u`:   {"there is no such escape", `write \x{00e9} for U+00E9`},
	`\e`:   {"there is no such escape", `write \x1b for the escape character`},
	`\c`:   {"there is no such escape", `write \x01 for Ctrl-A, and so on`},
}

// unsupported returns the error for the first unsupported part of a pattern, or nil.
func unsupported(pattern string) error {
	for at, token := range tokens(pattern) {
		known, ok := unsupportedSyntax[token]
		if len(token) == 2 && token[0] == '\\' && '1' <= token[1] && token[1] <= '9' {
			known, ok = unsupportedSyntax[`\k`], true
		}
		if ok {
			return &Error{Column: columnOf(pattern, at), Part: token, Why: known[0], Next: known[1], Multiline: token == `\R`}
		}
	}
	return nil
}

// Hints for patterns with JavaScript slashes, with operators in literal mode, and with counts in grep syntax.
const (
	slashed       = `^/.+/[gimsuy]*$`
	looksRegular  = `\.[*+]|\\[bdswBDSW.(){}|\[\]]|\[[^\]]+\][*+]|^\^|\$$|\w\|\w`
	escapedCounts = `\\\{\d+(,\d*)?\\\}`
)

// hintFor returns advice for a valid pattern that probably has another meaning than intended; "" for other patterns.
func hintFor(pattern string, o Options) string {
	looks := func(like string) bool { return regexp.MustCompile(like).MatchString(pattern) }
	if o.Literal {
		if looks(looksRegular) {
			return "the pattern was searched for literally, with its special characters; unset literal to use it as a regular expression"
		}
		return ""
	}
	if looks(slashed) {
		return "the slashes around the pattern were searched for as well; leave them out"
	}
	if looks(escapedCounts) {
		return `\{ and \} are characters here; counts are written {2,3}`
	}
	return hintForOperators(pattern)
}

func hintForOperators(pattern string) string {
	bars, last := 0, ""
	for _, token := range tokens(pattern) {
		switch {
		case token == `\<` || token == `\>`:
			return fmt.Sprintf(`%s is the character %s here; \b is where a word begins or ends`, token, token[1:])
		case token == "|":
			bars = -1 << 20
		case token == `\|` && last != token:
			bars++
		case token == `\|`:
			bars -= 2 // the operator ||
		case last == "$" && !strings.Contains("|)", token):
			return `$ is the end of a line here; write \$ for the character`
		}
		last = token
	}
	if bars > 0 {
		return `\| is the character | here; alternatives are written a|b`
	}
	return ""
}
