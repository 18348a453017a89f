package cursorcli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// The profiles of tools.
const (
	profileFull         = "cursorcli"
	profileEditor       = "cursorcli-editor"
	profileStrict       = "cursorcli-strict"
	profileCoding       = "coding"
	profileOrchestrator = "orchestrator"
	profileAll          = "all"
)

func profiles() []string {
	return []string{profileFull, profileEditor, profileStrict, profileCoding, profileOrchestrator, profileAll}
}

// mostTools is how many tools of all its servers Cursor gives to a model.
const mostTools = 40

// strictTools are those of the CursorCLI specification.
func strictTools() []string {
	return append([]string{
		"read_file", "write_file", "list_directory", "get_project_info", "search_files", "get_workspace_structure",
		"get_current_model", "track_token_usage", "get_model_statistics", "get_server_stats",
	}, ideTools()...)
}

// ideTools are those of the specification that are there while an editor is.
func ideTools() []string {
	return []string{"open_file_in_editor", "get_active_file", "insert_text", "replace_text"}
}

// codeTools are those of package editor that the specification does not have.
func codeTools() []string {
	return []string{
		"insert_code", "delete_code", "replace_code", "format_document", "get_diagnostics", "get_quick_fixes", "apply_quick_fix",
		"find_definition", "find_references", "rename_symbol",
	}
}

// codingTools are what one agent needs to work on code: as many as clients take.
func codingTools() []string {
	return slices.Concat([]string{
		"read_file", "write_file", "edit_file", "list_directory", "search_files", "search_content", "get_project_info", "get_workspace_structure",
		"create_directory", "move_file", "delete_file",
		"execute_command", "execute_build", "read_process_output", "send_process_input", "list_processes", "kill_process",
		"list_functions_in_file", "find_function", "get_chunk", "replace_function_chunk", "search_symbols", "get_repo_map", "analyze_project",
		"searchDocuments", "findSimilarCode",
	}, codeTools(), ideTools())
}

// orchestratorTools are for one that has others do the work: it looks, and changes
// no file itself.
func orchestratorTools() []string {
	return []string{
		"list_roles", "create_group", "run_agent", "wait_agent", "list_agents", "get_agent_status", "get_agent_output", "send_followup", "cancel_agent",
		"report_result", "delete_group",
		"read_file", "list_directory", "search_files", "search_content", "get_project_info", "get_workspace_structure", "get_file_info",
		"getProjectContext", "searchDocuments", "findSimilarCode", "searchIssues", "createIssue", "get_index_status", "refresh_index",
		"get_server_stats",
	}
}

// allTools are those that the profile with every set lists: the settings can choose
// others.
func allTools() []string {
	return []string{
		"read_file", "write_file", "edit_file", "list_directory", "search_files", "search_content", "get_project_info", "move_file", "delete_file",
		"replace_code", "get_diagnostics", "get_quick_fixes", "apply_quick_fix", "format_document", "find_definition", "find_references", "rename_symbol",
		"execute_command", "execute_build", "read_process_output", "kill_process",
		"list_functions_in_file", "get_chunk", "replace_function_chunk", "search_symbols", "get_repo_map", "analyze_project",
		"getProjectContext", "searchDocuments", "searchIssues", "createIssue", "findSimilarCode",
		"list_roles", "create_group", "run_agent", "wait_agent", "get_agent_status", "cancel_agent", "report_result",
		"get_server_stats",
	}
}

// has tells whether a profile can have a tool of its sets.
func has(profile, tool string) bool {
	switch profile {
	case profileStrict:
		return slices.Contains(strictTools(), tool)
	case profileFull:
		return !slices.Contains(codeTools(), tool)
	case profileOrchestrator:
		return slices.Contains(orchestratorTools(), tool)
	}
	return true
}

// usual tells whether a profile has a tool unless the settings choose otherwise.
func usual(profile, tool string) bool {
	switch profile {
	case profileCoding:
		return slices.Contains(codingTools(), tool)
	case profileAll:
		return slices.Contains(allTools(), tool)
	}
	return true
}

// checkProfile refuses the name of a profile that is none.
func checkProfile(name string) error {
	if !slices.Contains(profiles(), name) {
		return fmt.Errorf("there is no profile %q; choose one of %s", name, strings.Join(profiles(), ", "))
	}
	return nil
}

// offered are the names of the tools of sets that a profile can have.
func offered(profile string, sets []tools.Set) []string {
	var names []string
	for _, set := range sets {
		for _, t := range set.Features().Tools {
			if name := t.Tool().Name; has(profile, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// offers reports whether a tool is listed.
func (v *service) offers(tool string) bool {
	allowed := v.allowed.Load()
	return allowed == nil || slices.Contains(*allowed, tool)
}

// shape is the profile of the installed tools.
func (v *service) shape(c Config, allowed []string) (tools.Profile, error) {
	if len(allowed) > mostTools {
		return tools.Profile{}, fmt.Errorf("%d tools are allowed; clients take at most %d: name fewer in tools.allowedTools", len(allowed), mostTools)
	}
	return tools.Profile{
		Allow:           allowed,
		ReadOnly:        v.options.readOnly,
		OtherSpelling:   true,
		NoOutputSchemas: !v.options.outputSchemas,
		Timeout:         time.Duration(c.Server.RequestTimeoutMs) * time.Millisecond,
		Concurrency:     c.Server.MaxConcurrentRequests,
		Wrap:            []mcp.ToolMiddleware{v.server.LogCalls, v.recorder.Middleware},
	}, nil
}

// identity is who the server says it is.
func identity(c Config) mcp.Implementation {
	return mcp.Implementation{
		Name: c.Server.Name, Title: "CursorCLI", Version: c.Server.Version,
		Description: "Reads, writes, searches and arranges the files of a project, confined to it.",
	}
}
