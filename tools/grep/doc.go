// Package grep finds the lines of a text that match a pattern, about as fast as memory is read.
//
// [Compile] prepares a pattern in the syntax of RE2. [Matcher.Lines] finds the lines of a text that match, and
// [Matcher.Count] only counts them. In multiline mode a pattern sees the whole text, and what is found are the lines that
// matches lie in.
//
// # What matches
//
// A line matches if package regexp finds the pattern in it, without its end: ^ and \A are where the line begins, $ and \z
// where it ends. Lines end at LF, CRLF or a lone CR, so that they have the numbers that package textfile gives them. A byte
// that is no UTF-8 is read as U+FFFD, as package regexp does. Other than there, \w, \d, \s, their complements, \b and \B are those
// of Unicode, as in ripgrep; [0-9A-Za-z_] and [0-9] are for ASCII alone.
//
// In multiline mode ^ and $ are the ends of lines, . matches line ends, and the matches are those of
// [regexp.Regexp.FindAllIndex]. All line ends are LF for the pattern, also where the text has CRLF or CR, unless the
// pattern names a carriage return: then it sees the text as it is. Lines that several matches lie in are told once, in one
// block with the other lines of these matches.
//
// # How it is done
//
// The pattern is analysed for literals that every match has in it: words, words in either case, sets of words, and short
// classes beside them. The set that is cheapest to look for, by how frequent bytes are in source code, is looked for
// first: a rare byte by package bytes, a literal by two of its bytes, eight places at a time in the words of the
// processor, a set of literals by a table of pairs of bytes. If nothing is found, nothing matches. What is found is the
// match itself, if the pattern is nothing but literals; otherwise its line is read by an automaton.
//
// The automaton is deterministic, made of the pattern as far as the texts need it, and bounded: it begins anew when it
// grows too large, and where that is in vain, the states of the pattern are gone through one by one. It takes one look-up a
// byte, and reads four parts of the text side by side, since the processor can do other look-ups while it waits for one.
// It reads the whole text by itself where the pattern has no literals, or where they turn out to be frequent.
//
// The automaton of a pattern with such classes or conditions reads ASCII alone, so that they cost nothing there. Lines with other
// characters are read by an automaton with the whole classes, which takes word boundaries to be everywhere, and where there are
// such by the states of the pattern, one character after the other.
//
// So in line mode the time is at most proportional to the length of the text, and to the size of the pattern. In multiline
// mode package regexp finds the matches one after the other, and that is true of each match.
package grep
