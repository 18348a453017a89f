// Package replay plays recorded streams of agents as the Cursor CLI prints them, so
// that what runs agents can be tried, tested and shown without one: Main is the
// whole program, and the command fakeagent beneath calls it.
//
// Which recording is played says the prompt, by "[fake:NAME]" in it, or else the
// variable FAKEAGENT; README.md lists them. FAKEAGENT_SPEED is how many times faster
// than recorded it is played, and 0 does without all pauses. FAKEAGENT_LOGIN=no
// plays a program that nobody has logged in, FAKEAGENT_MODELS has its models,
// separated by commas.
package replay
