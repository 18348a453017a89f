// Package plugin writes a marketplace of plugins for Claude Code, https://code.claude.com/docs/en/plugin-marketplaces: one plugin for
// each program, which starts it as an MCP server. The plugins contain no programs: they start the ones in PATH.
package plugin

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/pack"
)

// Name is the name of the marketplace, as in "claude plugin install cursorcli@dougu".
const Name = "dougu"

// Author is a person or group.
type Author struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// Marketplace is the file .claude-plugin/marketplace.json.
type Marketplace struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Version     string  `json:"version"`
	Owner       Author  `json:"owner"`
	Plugins     []Entry `json:"plugins"`
}

// Entry is a plugin of a marketplace.
type Entry struct {
	Name        string `json:"name"`
	Source      string `json:"source"` // its directory, relative to that of the marketplace
	Description string `json:"description"`
	Version     string `json:"version"`
}

// Plugin is the file .claude-plugin/plugin.json.
type Plugin struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Author      Author            `json:"author"`
	Homepage    string            `json:"homepage"`
	Repository  string            `json:"repository"`
	License     string            `json:"license"`
	Servers     map[string]Server `json:"mcpServers"`
}

// Server is the command line of a program. Claude Code starts it in the directory of the project.
type Server struct {
	Command string `json:"command"`
}

// Files returns the files of the marketplace. Programs with a required file, for example the gateway, have no plugin.
func Files(programs []catalog.Program, version string) ([]pack.File, error) {
	author := Author{catalog.Author, catalog.Repository}
	market := Marketplace{Name: Name, Description: "MCP servers that give coding agents their tools.", Version: version, Owner: author, Plugins: []Entry{}}
	var files []pack.File
	add := func(name string, value any) error {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, pack.Text(name, append(text, '\n')))
		return nil
	}
	for _, p := range programs {
		if p.Setting.Kind == "file" {
			continue
		}
		market.Plugins = append(market.Plugins, Entry{p.Name, "./" + p.Name, p.About, version})
		if err := add(p.Name+"/.claude-plugin/plugin.json", Plugin{
			Name: p.Name, Version: version, Description: p.About, Author: author, Homepage: catalog.Repository, Repository: catalog.Repository,
			License: catalog.License, Servers: map[string]Server{p.Name: {p.Name}},
		}); err != nil {
			return nil, err
		}
		files = append(files, pack.Text(p.Name+"/README.md", readme(p)))
	}
	if err := add(".claude-plugin/marketplace.json", market); err != nil {
		return nil, err
	}
	return files, nil
}

// readme returns the description of a plugin and of its requirements.
func readme(p catalog.Program) []byte {
	return fmt.Appendf(nil, `# %[1]s

%[2]s

This plugin starts the program %[3]s as an MCP server, in the directory of the project. The program is not part of the
plugin: put it into a directory of your PATH first, and "%[3]s doctor" says whether all is well. Archives for Linux, macOS and
Windows, and everything else: %[4]s/blob/main/docs/install.md
`, p.Title, p.About, p.Name, catalog.Repository)
}
