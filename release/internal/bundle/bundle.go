// Package bundle writes MCP bundles, which clients install by a double click:
// manifest version 0.3 of https://github.com/modelcontextprotocol/mcpb.
package bundle

import (
	"encoding/json"
	"io"
	"time"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/pack"
)

// Manifest is the file manifest.json of a bundle, as far as programs need it.
type Manifest struct {
	Version       string             `json:"manifest_version"`
	Name          string             `json:"name"`
	DisplayName   string             `json:"display_name"`
	Release       string             `json:"version"`
	Description   string             `json:"description"`
	Author        Author             `json:"author"`
	Repository    Repository         `json:"repository"`
	Homepage      string             `json:"homepage"`
	Documentation string             `json:"documentation"`
	Server        Server             `json:"server"`
	ToolsChange   bool               `json:"tools_generated"`
	License       string             `json:"license"`
	Compatibility Compatibility      `json:"compatibility"`
	UserConfig    map[string]Setting `json:"user_config"`
}

// Author is who has made the bundle.
type Author struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Repository is where the source is.
type Repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Server says how the server is started.
type Server struct {
	Type       string  `json:"type"`
	EntryPoint string  `json:"entry_point"`
	Config     Command `json:"mcp_config"`
}

// Command is a command line, with ${__dirname} for the place of the bundle and
// ${user_config.KEY} for what the user has said.
type Command struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Compatibility is where the bundle works.
type Compatibility struct {
	Platforms []string `json:"platforms"`
}

// Setting is what the user is asked for.
type Setting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// New is the manifest of a program for a target. The form knows systems, not
// processors: which one a bundle is for is in the name of its file.
func New(p catalog.Program, version string, target gobuild.Target) Manifest {
	file := "server/" + target.Exe(p.Name)
	system := target.OS
	if system == "windows" {
		system = "win32"
	}
	return Manifest{
		Version: "0.3", Name: p.Name, DisplayName: p.Title, Release: version, Description: p.About,
		Author:     Author{catalog.Author, catalog.Repository},
		Repository: Repository{"git", catalog.Repository + ".git"},
		Homepage:   catalog.Repository, Documentation: catalog.Repository + "/blob/main/docs/install.md",
		Server: Server{Type: "binary", EntryPoint: file, Config: Command{
			Command: "${__dirname}/" + file, Args: []string{p.Setting.Flag, "${user_config." + p.Setting.Key + "}"}, Env: map[string]string{},
		}},
		ToolsChange: true, License: catalog.License, Compatibility: Compatibility{[]string{system}},
		UserConfig: map[string]Setting{p.Setting.Key: {p.Setting.Kind, p.Setting.Title, p.Setting.About, true}},
	}
}

// Write writes the bundle of a program. The program goes to the place that the
// manifest names.
func (m Manifest) Write(w io.Writer, at time.Time, program *pack.Compressed, files []pack.File) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files = append([]pack.File{pack.Text("manifest.json", append(text, '\n'))}, files...)
	return pack.Zip(w, at, files, program.Renamed(m.Server.EntryPoint))
}
