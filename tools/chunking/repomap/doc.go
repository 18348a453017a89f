// Package repomap finds out which declarations of a project matter most, and
// shows them within a budget of tokens.
//
// A file that uses a name gives importance to the files that declare it, as links
// do between pages (PageRank). Names that many files declare give little, long
// and composed names give more, and what is in focus gives most. What a file gets
// it shares out among its declarations, by who uses them. Names are compared, not
// types: no build is needed, and all languages take part.
//
// The outcome depends on nothing but the content of the files and the question.
package repomap
