// Package repomap finds out which declarations of a project matter most, and
// shows them within a budget of tokens.
//
// A file that uses a name gives importance to the files that declare it, as links
// do between pages (PageRank). Words in comments and strings are not uses. Names
// that are declared in many places and ordinary words give little, those of types
// and long ones more, and what is in focus gives most. What a file gets it shares
// out among its declarations, by who uses them; methods count as much as their
// types let them. Tests, copies of others' code and what programs wrote count
// little. Names are compared, not types, among languages that can call each other: no
// build is needed.
//
// The outcome depends on nothing but the content of the files and the question.
package repomap
