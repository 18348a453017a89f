// Package dougu is a library for MCP servers that give coding agents their
// tools. This page is its map; the code is in the packages.
//
// To write a server or a client of the Model Context Protocol:
//
//   - mcp: servers, clients; tools, resources, prompts; questions to the user
//   - mcp/protocol: messages, revisions; interfaces of transports and middleware
//   - mcp/schema: JSON Schema from Go types, and the checker made from it
//   - mcp/mcptest: servers tested by transcripts, and with a clock of their own
//   - transport: standard input and output, child processes, sockets, memory;
//     several of them at once
//   - transport/httpserver: Streamable HTTP, all revisions at one address, and
//     HTTP+SSE
//   - transport/httpclient: a client of both
//   - transport/websocket: WebSocket
//
// To give an agent tools, through a server or as plain Go calls:
//
//   - tools: sets of tools, shaped by profiles and installed in servers
//   - tools/fs: files, in any encoding, confined and never lost
//   - tools/editor: code by lines, text and meaning; its diagnostics. Below it:
//     adapter, headless for language servers, vscode, neovim, jetbrains, and unity, which
//     has tools of its own
//   - tools/debug: programs, run up to a breakpoint, stepped through and looked into,
//     by Delve, debugpy and other debuggers
//   - tools/git: the git repository of a project, without running its hooks and filters
//   - tools/source: languages, parsers and outlines of source text
//   - tools/chunking: single functions, found, read and replaced; symbols, a map.
//     Below it: index, which keeps the chunks of a project; repomap, graph and sqlite
//   - tools/agents: agents that run in parallel as processes of the Cursor CLI, with a
//     dashboard. Below it: executor, record, roles, health, dashboard
//   - tools/search: one ranked search over code and documents, similar code, issues.
//     Below it: index and segment, document, token, rank, similar, embed, and the
//     plugins filesystem and github
//   - tools/telemetry: clients, calls, models and their costs. Below it: prometheus, alert,
//     health
//   - security: the part of the file system that tools may use
//   - security/audit, security/redact: a record of changes; the redaction of secrets
//   - security/auth: bearer tokens
//   - security/access: the clients that may use a server, how many at once, and how much
//
// To make a program of a server:
//
//   - tools/app: flags, settings, HTTP with tokens, and the commands serve, tools, call,
//     config, install and doctor. Below it: the ready programs as packages
//   - tools/config: settings from files, the environment and flags
//
// The packages below tools and the programs below examples are modules of their own, so
// that a server has the requirements of mcp and transport alone. So are nats and postgres,
// for servers of several instances, and otel, for traces and metrics.
//
// To use a ready server, run examples/cursorcli for the files of a project,
// examples/chunks for its functions, examples/editor for its code,
// examples/kuromajutsu for agents that run in parallel, and examples/cqm to search.
// Examples hello and embed are the smallest server and an agent's loop without any
// protocol.
package dougu
