// Package claude runs agents with Claude Code in headless mode. It builds the command line,
// parses the output format stream-json, and classifies failures. The program is "claude";
// it must be installed and logged in.
package claude
