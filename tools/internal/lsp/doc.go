// Package lsp is a client of language servers (Language Server Protocol 3.17,
// https://microsoft.github.io/language-server-protocol).
//
// A [Session] is one run of one server: a child process that is started, initialized and called. A [Server] keeps a session
// alive: it starts one on demand, starts another after a failure, and stops after frequent failures.
//
// A server is untrusted code that reads untrusted code. Its faults cause errors of the calls and nothing else. Messages,
// headers and stored data are limited. A server and its children are ended if it stays silent while it owes answers, sends too
// much, does not read, or sends invalid messages.
//
// Positions are those of the protocol: lines and columns from 0, columns in UTF-16 code units. No other encoding is negotiated.
package lsp
