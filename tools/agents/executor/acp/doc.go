// Package acp runs agents with any program that speaks the Agent Client Protocol
// (https://agentclientprotocol.com), version 1, over its standard streams. The package is
// the protocol's client and decides all requests without a user.
//
// An agent that is read-only or not trusted may read, search, fetch and use its MCP
// servers; other requests are refused. A trusted agent may do everything. Spec.Tools
// restricts it to the kinds of tools in the list, or excludes a kind with "!": "edit",
// "execute", "!delete". The protocol defines the kinds. A call with a file change counts as an edit, whatever kind it declares. If
// the program has a mode for reading only ("plan", "read-only", "ask"), read-only agents
// use it. These rules bind only programs that ask: the protocol cannot prevent other
// actions of the program.
//
// Files that the program reads and writes through the client go through a security.Root of
// the agent's directory, with its rules for secrets and protected files, locks and atomic
// writes. The encoding is kept, and a file that has changed since the agent read it is not
// overwritten. Terminals are not offered.
//
// The program is not trusted: its messages are limited in size, responses and sessions with
// unknown IDs are ignored, and a program that does not respond is ended at the timeout of
// the run.
package acp
