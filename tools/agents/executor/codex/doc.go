// Package codex runs agents with the Codex CLI in headless mode, "codex exec --json". It
// builds the command line, parses the output, and classifies failures. The program is
// "codex"; it must be installed and logged in, by "codex login" or the variable
// CODEX_API_KEY.
//
// Codex's own sandbox limits the agent. A read-only agent has the sandbox read-only. A
// trusted agent has Options.Sandbox, by default workspace-write: it writes in its
// directory, not to .git, and has no network. Codex never asks the user.
//
// Spec.Servers are passed on the command line, without the values of their variables,
// because other users of the machine can read command lines. The values are in the
// environment of the program, which passes them by name.
package codex
