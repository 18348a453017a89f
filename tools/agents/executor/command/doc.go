// Package command contains the shared code of executors that run a program on this machine.
//
// A [Runner] starts the program as a child process, writes the prompt, splits the output
// into lines, and supervises silence and end. A [Program] supplies the parts that differ:
// the command line, a [Decoder] for the output, and the classification of failures.
// Packages cursor, claude, codex and gemini implement it. A [Dialogue] is the decoder of a
// program that exchanges messages, as in package acp.
//
// Standard error is never parsed as events. After the agent has reported its end, the
// program has some seconds to exit, then it is terminated, then killed; the report counts,
// not the exit code. A silent agent without a running tool is reported as silent and not
// ended. An agent that does not begin its session in time is ended. No process of a run
// survives it.
//
// A run needs less than a megabyte of memory for any output: long strings in long lines are
// shortened while they are read. Messages of a Dialogue are limited in size and not
// shortened.
package command
