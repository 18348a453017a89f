// Package command holds what agent programs on this machine have in common: a
// Runner starts one as a child process, gives it the prompt, cuts what it prints
// into lines, watches over its silence and its end, and leaves nothing of it
// behind. What differs between programs is a Program: how it is called, how its
// lines are read, and what its failures mean. Packages cursor, claude, codex and
// gemini are such. One that is talked with, as in package acp, has a Dialogue.
//
// A Runner keeps the rules that such programs need. Standard error is never
// read as events. An agent that has told its end is given some seconds to exit,
// then asked, then killed: what it told is what counts, not how its process ended.
// An agent that says nothing for long while no tool is at work is reported as
// silent, never ended for it. One that does not begin its session in time is.
//
// Whatever an agent prints, a run needs less than a megabyte: long lines are
// read as they come and long strings in them are shortened on the way. Messages of a
// Dialogue are not shortened, and bounded.
package command
