// Package mcptest tests servers by transcripts: text files that hold what a
// client sends and what the server answers, line by line, and read like the
// specification that they prove.
package mcptest
