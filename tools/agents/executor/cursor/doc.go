// Package cursor runs agents with the Cursor CLI in its headless mode. An [Executor] builds
// the command line, a [Decoder] converts the lines of output to events, and [ParseModels]
// reads the list of models. The program is "cursor-agent" or "agent". It must be installed
// and logged in, by "agent login" or the variable CURSOR_API_KEY.
//
// Each agent has its own directory of settings: a copy of the user's settings file, and
// links to all other entries of the user's directory. Agents that start at the same time
// would otherwise overwrite the settings of each other. Sessions are among the linked
// entries, so that Spec.Resume finds them.
//
// The program reads MCP servers from .cursor/mcp.json of the working directory, of its
// parent directories, and of the home directory. Such a server receives only the variables
// that its file names. A server that needs variables of Spec.Env must therefore be
// configured there by the user:
//
//	"env": {"TOKEN": "${env:TOKEN}"}
//
// If the user starts the Cursor CLI without the variable, the server may receive the literal
// text "${env:TOKEN}". This package writes the servers of Spec.Servers to a file in the
// agent's directory of settings. Only some builds of the program read this file.
package cursor
