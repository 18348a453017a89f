// Package dougu is a library for MCP servers that give coding agents their
// tools. This page is its map; the code is in the packages.
//
// To write a server or a client of the Model Context Protocol:
//
//   - mcp: servers, clients; tools, resources, prompts; questions to the user
//   - mcp/schema: JSON Schema from Go types, and the checker made from it
//   - mcp/mcptest: servers tested by transcripts, and with a clock of their own
//   - transport: standard input and output, child processes, sockets, memory;
//     several of them at once
//   - transport/streamhttp: Streamable HTTP, all revisions at one address, and
//     HTTP+SSE
//   - transport/websocket: WebSocket
//
// To give an agent tools, through a server or as plain Go calls:
//
//   - tools: sets of tools, shaped by profiles and installed in servers
//   - tools/fs: files, in any encoding, confined and never lost
//   - tools/chunking: single functions, found, read and replaced; symbols, a map.
//     Below it: parse, with the parsers; index, which keeps what they find; repomap,
//     graph and sqlite
//   - security: the part of the file system that tools may use, a record of
//     what they changed, and the redaction of secrets
//   - security/auth: bearer tokens
//
// To use what is ready, run examples/cursorcli for the files of a project, and
// examples/chunks for its functions. Examples hello and embed are the
// smallest server and an agent's loop without any protocol.
package dougu
