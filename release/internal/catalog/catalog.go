// Package catalog lists the programs of a release, with their descriptions.
package catalog

import "slices"

// Addresses of the project and its releases.
const (
	Repository = "https://github.com/dougu-go/dougu"
	Registry   = "ghcr.io/dougu-go" // registry of container images
	Namespace  = "io.github.dougu-go"
	License    = "Apache-2.0"
	Author     = "The Dougu authors"
)

// Program is a server that a release contains.
type Program struct {
	Name  string // name of the file, and of the directory below examples
	Title string
	About string // one sentence of at most 100 characters, the limit of the MCP registry
	// Setting is the value that the user must give before the server starts.
	Setting Setting
	// Contained is true if the server works in a container without other programs.
	Contained bool
}

// Setting is a flag and the question for its value.
type Setting struct {
	Flag  string // "-root"
	Key   string // "directory"
	Kind  string // type in MCP bundles: "directory" or "file"
	Title string
	About string
}

// Server returns the program's name in the MCP registry.
func (p Program) Server() string { return Namespace + "/" + p.Name }

// Image returns the name of the program's container image, without a version.
func (p Program) Image() string { return Registry + "/" + p.Name }

// All returns the programs, sorted by name.
func All() []Program {
	project := Setting{"-root", "directory", "directory", "Project directory", "The directory that the server works in. Nothing outside of it can be reached."}
	return []Program{
		{"chunks", "Dougu Chunks", "Functions instead of files: finds, reads and replaces single functions in fifteen languages.", project, true},
		{"cqm", "Dougu CQM", "One ranked search over code, documents, git and GitHub issues, without a database.", project, true},
		{"cursorcli", "Dougu CursorCLI", "The files of a project: reads, writes, edits and searches them in any encoding, confined.", project, true},
		{"editor", "Dougu Editor", "Edits, runs, builds, diagnoses and mends code, with language servers, VS Code or Neovim.", project, false},
		{"gateway", "Dougu Gateway", "One MCP server in front of many: prefixes, permissions, limits and a log of calls.",
			Setting{"-config", "config", "file", "File of servers", "The file that names the servers, as MCP clients have it: mcp.json."}, true},
		{"kuromajutsu", "Dougu Kuromajutsu", "Runs coding agents in parallel, with roles, results and a live dashboard.", project, false},
	}
}

// Named returns the programs with the given names, or all without names, and the unknown names.
func Named(names ...string) (programs []Program, unknown []string) {
	if len(names) == 0 {
		return All(), nil
	}
	for _, name := range names {
		i := slices.IndexFunc(All(), func(p Program) bool { return p.Name == name })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		programs = append(programs, All()[i])
	}
	return programs, unknown
}
