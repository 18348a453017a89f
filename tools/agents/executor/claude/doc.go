// Package claude runs agents with Claude Code in headless mode. An [Executor] builds the
// command line, a [Decoder] converts the output format stream-json to events, and failures
// are classified by words of their messages. The program is "claude"; it must be installed
// and logged in.
//
// The program's permission mode limits the agent. A read-only agent has the mode plan,
// even if it is trusted. Another trusted agent has the mode acceptEdits if Spec.Tools names
// its permissions, and bypassPermissions otherwise. The program never asks the user.
// Spec.Servers are passed in a temporary file.
package claude
