// Package cursor runs agents with the Cursor CLI in its headless mode: it knows how
// that is called, what each line of its output says, which rules that output
// follows, and how the program fails. The program is "cursor-agent" or "agent"; it
// must be installed and logged in, by "agent login" or the variable CURSOR_API_KEY.
//
// Each agent has a directory of settings of its own, with a copy of the user's
// settings and links to all else that lies beside them: agents that begin at once
// overwrite each other's settings otherwise. Sessions are among what is linked, so
// that Spec.Resume finds them.
//
// MCP servers the program reads from .cursor/mcp.json of the working directory, of
// the directories above it, and of the home directory, and it gives them no more of
// its environment than such a file names. A server that is to know which agent it
// serves is therefore best entered there by the user, once, with the variables of
// Spec.Env that it needs:
//
//	"env": {"TOKEN": "${env:TOKEN}"}
//
// Outside of agents such a variable may reach the server as it stands, "${env:TOKEN}".
// Spec.Servers are written beside the settings of the agent, where only builds that
// look there find them.
package cursor
