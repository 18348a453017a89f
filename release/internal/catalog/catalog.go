// Package catalog says which programs a release has, and what is told of them.
package catalog

import "slices"

// Where the project is, and where what it releases is to be had.
const (
	Repository = "https://github.com/dougu-go/dougu"
	Registry   = "ghcr.io/dougu-go" // of container images
	Namespace  = "io.github.dougu-go"
	License    = "Apache-2.0"
	Author     = "The Dougu authors"
)

// Program is one of the servers.
type Program struct {
	Name  string // of the file, and of its directory below examples
	Title string
	About string // one sentence; the MCP registry takes 100 characters
	// Setting is what a user is asked for before the server can start.
	Setting Setting
	// Contained says that it does its work in a container that has nothing else: it
	// starts no other programs.
	Contained bool
}

// Setting is one flag and the question that leads to its value.
type Setting struct {
	Flag  string // "-root"
	Key   string // "directory"
	Kind  string // as MCP bundles call it: "directory" or "file"
	Title string
	About string
}

// Server is the program's name in the MCP registry.
func (p Program) Server() string { return Namespace + "/" + p.Name }

// Image is the name of the program's container image, without a version.
func (p Program) Image() string { return Registry + "/" + p.Name }

// All are the programs, by their names.
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

// Named are the programs of some names; none means all.
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
