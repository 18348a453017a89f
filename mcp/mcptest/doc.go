// Package mcptest helps to test servers and clients.
//
// [Connect] connects a client to a server in the test, through the complete protocol. [Transcripts]
// runs text files with the messages of a client and the expected messages of the server.
// [CheckReplay] runs a handler that asks questions, and compares its replays. [Bubble] runs a test
// with a fake clock. All functions fail the test on errors. [Connect], [Transcripts] and
// [CheckReplay] also fail it on results that do not match the output schema of their tool.
package mcptest
