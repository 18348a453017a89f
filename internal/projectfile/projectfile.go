// Package projectfile names the files in which the ready programs find settings that a project brings, and the places in a
// project at which they keep files of their own. The programs read their file of settings by its name here, and package
// security keeps all of them from being written by tools. It leaves the places of own files out of lists. Machine decides
// which directories are too wide for a project.
package projectfile

// The names of the files, relative to the project.
const (
	CursorCLI   = ".cursorcli-mcp/config.json"
	Kuromajutsu = "kuromajutsu.config.yaml"
	CQM         = "cqm-mcp.yaml"
	Gateway     = "mcp.json"
)

// Names returns all of them.
func Names() []string { return []string{CursorCLI, Kuromajutsu, CQM, Gateway} }
