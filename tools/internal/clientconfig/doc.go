// Package clientconfig knows where MCP clients keep their configuration, and enters
// a server there.
//
// The files belong to people: they have comments, secrets, other servers and a
// formatting of their own, some are links into a repository of dotfiles, and
// one of them, Claude Code's, is also where that program keeps its state. So an
// edit is a few bytes put into the text at places that a parser has found, in
// the indentation of what stands beside it, and every other byte stays as it
// is. What cannot be understood is refused and not touched.
//
// Every change is recorded with the bytes from before it, so that it can be
// undone: exactly while nobody else has changed the file, and else by taking out
// nothing but what was put in.
package clientconfig
