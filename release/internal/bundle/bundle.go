// Package bundle writes MCP bundles, which clients install with a double click: manifest version 0.3 of
// https://github.com/modelcontextprotocol/mcpb.
package bundle

import (
	"encoding/json"
	"io"
	"time"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/pack"
)

// Manifest is the file manifest.json of a bundle, with the members that these programs need.
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

// Author is the author of a bundle.
type Author struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Repository is the address of the source.
type Repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Server describes the start of the server.
type Server struct {
	Type       string  `json:"type"`
	EntryPoint string  `json:"entry_point"`
	Config     Command `json:"mcp_config"`
}

// Command is a command line. ${__dirname} stands for the directory of the bundle and ${user_config.KEY} for a setting of the user.
type Command struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Compatibility lists the systems on which the bundle runs.
type Compatibility struct {
	Platforms []string `json:"platforms"`
}

// Setting is a value that the client asks the user for.
type Setting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// New returns the manifest of a program for a target. The format has no processors: the file name of a bundle contains the
// processor.
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

// Write writes a bundle. The program is stored under the path in the manifest.
func (m Manifest) Write(w io.Writer, at time.Time, program *pack.Compressed, files []pack.File) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files = append([]pack.File{pack.Text("manifest.json", append(text, '\n'))}, files...)
	return pack.Zip(w, at, files, program.Renamed(m.Server.EntryPoint))
}
