// Package acp runs agents by any program that speaks the Agent Client Protocol
// (https://agentclientprotocol.com), version 1, over its standard streams: it is the
// protocol's client, without a person.
//
// What an agent asks for is decided by what its run may do, at once. One that is to
// read only is allowed to read, to search, to fetch and to use the MCP servers that
// it was given, and refused all else; so is one that is not trusted. One that is
// trusted is allowed everything, or, with Spec.Tools, the kinds of tools that those
// name ("edit", "execute", "!delete"; the kinds are the protocol's). A call that
// comes with a change of a file is one that edits, whatever it says of itself. Where
// the program has a mode for reading only ("plan", "read-only", "ask"), it is set for
// agents that are to read only. All this binds programs that ask: the protocol leaves
// it to them, and what they do by themselves nobody sees.
//
// Files that the program reads and writes through its client go through a
// security.Root of the agent's directory, with its rules about secrets and protected
// files, its locks and its atomic writes; an encoding is kept, and what has changed
// since the agent has read it is not written over. Terminals are not offered: the
// program runs commands by itself, and ends with all that it has started.
//
// The program is hostile as far as it can be: its messages are bounded, answers and
// sessions that it makes up are not taken, and who does not answer is ended when the
// time of the run is over.
package acp
