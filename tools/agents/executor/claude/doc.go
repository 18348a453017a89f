// Package claude runs agents with Claude Code in its headless mode: it knows how that
// is called, what each line of its output says, and how the program fails. The
// program is "claude"; it must be installed and logged in.
package claude
