// Package mcptest helps to test servers and clients.
//
// [Connect] connects a client to a server inside the test, through the whole
// protocol. [Transcripts] plays text files that hold what a client sends and
// what the server answers, line by line, and read like the specification that
// they prove. [CheckReplay] runs a handler that asks its user, round by round,
// and finds what it does differently when it is run again. [Bubble] runs a test
// on a fake clock.
package mcptest
