package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// The profiles of tools.
const (
	profileFull   = "cursorcli"
	profileStrict = "cursorcli-strict"
)

// mostTools is how many tools of all its servers Cursor gives to a model.
const mostTools = 40

// strictTools are those of the CursorCLI specification.
func strictTools() []string {
	return []string{
		"read_file", "write_file", "list_directory", "get_project_info", "search_files", "get_workspace_structure",
		"get_current_model", "track_token_usage", "get_model_statistics", "get_server_stats",
	}
}

// checkProfile refuses the name of a profile that is none.
func checkProfile(name string) error {
	if name != profileFull && name != profileStrict {
		return fmt.Errorf("there is no profile %q; choose %s or %s", name, profileFull, profileStrict)
	}
	return nil
}

// offered are the names of the tools of sets that a profile has.
func offered(profile string, sets []tools.Set) []string {
	var names []string
	for _, set := range sets {
		for _, t := range set.Features().Tools {
			if name := t.Tool().Name; profile != profileStrict || slices.Contains(strictTools(), name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// shape is the profile of the installed tools.
func (s *service) shape(c Config, allowed []string) (tools.Profile, error) {
	if len(allowed) > mostTools {
		return tools.Profile{}, fmt.Errorf("%d tools are allowed; clients take at most %d", len(allowed), mostTools)
	}
	return tools.Profile{
		Allow:           allowed,
		ReadOnly:        s.options.readOnly,
		OtherSpelling:   true,
		NoOutputSchemas: !s.options.outputSchemas,
		Timeout:         time.Duration(c.Server.RequestTimeoutMs) * time.Millisecond,
		Concurrency:     c.Server.MaxConcurrentRequests,
		Wrap:            []mcp.ToolMiddleware{s.calls.Tools, s.recorder.Middleware},
	}, nil
}

// identity is who the server says it is.
func identity(c Config) mcp.Implementation {
	return mcp.Implementation{
		Name: c.Server.Name, Title: "CursorCLI", Version: c.Server.Version,
		Description: "Reads, writes, searches and arranges the files of a project, confined to it.",
	}
}
