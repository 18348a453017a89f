// Package app turns an MCP server into a program. An [App] has a Build function, which makes the server; from it come the commands serve,
// tools, call, install, doctor and completion, serving over standard input and output, HTTP and WebSocket, and the authentication of
// clients over the network.
//
// The packages below it are the programs of this module; their main functions are in the module examples.
package app
