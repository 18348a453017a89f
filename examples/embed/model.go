package main

import (
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// readmeModel is the fake of a language model. It lists the directory, reads the first lines of a README, and returns them.
func readmeModel(_ []mcp.Tool, history []message) (*call, string) {
	last := history[len(history)-1]
	switch {
	case last.Role == "user":
		return &call{Tool: "list_directory", Args: map[string]any{"path": ".", "pattern": "README*"}}, ""
	case len(history) == 2 && strings.Contains(last.Text, "README.md"):
		return &call{Tool: "read_file", Args: map[string]any{"path": "README.md", "startLine": 1, "endLine": 5, "lineNumbers": false}}, ""
	case len(history) == 2:
		return nil, "It has no README."
	}
	return nil, "Its README begins:\n" + last.Text
}
