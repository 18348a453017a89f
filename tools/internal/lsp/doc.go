// Package lsp speaks to language servers (Language Server Protocol 3.17, https://microsoft.github.io/language-server-protocol).
//
// A [Session] is one life of one server: a child process that was started, initialized, and is asked. A [Server] keeps a session
// alive: it starts one when it is asked for, starts another after a failure, and stops trying when failures come close
// together.
//
// A server is a foreign program that reads foreign code. Whatever it does costs the one who asked an error, and nobody else
// anything: messages, their headers and what is kept of them are bounded; a server that is silent for long while it owes
// answers, that sends more than anybody can want, that does not read, or that says what is no message is ended with its
// children.
//
// Positions are those of the protocol: lines and columns from 0, columns in UTF-16 code units. No other encoding is negotiated.
package lsp
