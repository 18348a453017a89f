// Package codex runs agents with the Codex CLI in its headless mode, "codex exec
// --json": it knows how that is called, what each line of its output says, and how
// the program fails. The program is "codex"; it must be installed and logged in, by
// "codex login" or the variable CODEX_API_KEY.
//
// What an agent may do is Codex's own sandbox: one that is to read only has the
// sandbox read-only, one that is trusted that of Options.Sandbox, by default
// workspace-write: it writes in its directory, not to the repository's .git, and
// has no network. Nobody is ever asked.
//
// Spec.Servers are given to the agent on its command line, without the values of
// their variables, which other users of the machine could read there: those are in
// the environment of the program, which hands them on by their names.
package codex
