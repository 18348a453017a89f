// Package grep finds the lines of a text that match a pattern, about as fast as memory is read.
//
// [Compile] prepares a pattern in RE2 syntax and returns a [Matcher], which is safe for concurrent use. [Matcher.Lines] finds
// the matching lines of a text, and [Matcher.Count] counts them. In multiline mode the pattern matches the complete text, and
// the results are the lines that contain the matches.
//
// [Literals] returns the literals of a pattern for an index. [Matcher.Candidate] excludes files before their encoding is known.
//
// Matching: a line matches if package regexp finds the pattern in the line without its end: ^ and \A match at its start, $ and
// \z at its end. Lines end at LF, CRLF or a lone CR, as in package textfile. Invalid UTF-8 is read as U+FFFD. Unlike in package
// regexp, \w, \d, \s, their complements, \b and \B follow Unicode, as in ripgrep; use [0-9A-Za-z_] and [0-9] for ASCII.
//
// Multiline mode: ^ and $ match at line ends, . matches line ends, and the matches are those of [regexp.Regexp.FindAllIndex].
// The pattern sees all line ends as LF, unless it names a carriage return; then it sees the unchanged text. Lines with several
// matches are returned once, in one block with the other lines of these matches.
//
// Implementation: the pattern is analyzed for literals that each match contains. The set that is cheapest to find, by the
// frequency of bytes in source code, is searched first: a rare byte with package bytes, a literal by two of its bytes in eight
// positions at a time, a set of literals with a table of byte pairs. If the pattern consists of literals, each hit is a match;
// otherwise an automaton reads the line of the hit.
//
// The automaton is deterministic. Its states are computed on demand and kept in a cache of limited size. A full cache is emptied.
// If a text fills the cache too fast to save time, the pattern is simulated without the cache for the next MiB of text.
// The automaton reads four parts of the text alternately, because the processor performs independent memory accesses in parallel.
// Without literals, or with frequent ones, it reads the complete text.
//
// For patterns with Unicode classes or \b and \B this automaton reads ASCII only. A second automaton with the complete classes
// reads lines with other characters. It ignores \b and \B, so it finds lines that may match. If the pattern has \b or \B, a
// simulation of the pattern then decides whether the line matches.
//
// Time: in line mode it is at most proportional to the length of the text times the size of the pattern. In multiline mode
// package regexp finds each match, so this holds per match.
package grep
