// Package app turns an MCP server into a command-line program.
//
// An [App] describes the program: its name, its flags, and a Build function that makes the
// server. [App.Main] parses the command line and runs one command: serve, tools, call,
// install, doctor, completion, version, or a command of the program. Every command that
// needs the server calls Build once and releases the [Program] when it ends.
//
// The command serve speaks MCP over standard input and output, Streamable HTTP or
// WebSocket. An address that other machines can reach needs an [Authenticator]: bearer
// tokens of a file, or access tokens of an authorization server. [Settings] reads files,
// environment variables and flags, and follows changes of the file. [Check] is one result
// of the command doctor.
//
// An App runs one command line and is not safe for concurrent use. Packages below this one
// are the programs of the module; their main functions are in the module examples.
package app
