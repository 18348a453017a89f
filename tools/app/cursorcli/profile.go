package cursorcli

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
	"github.com/dougu-go/dougu/tools/editor"
)

// The profiles of tools.
const (
	profileFull         = "cursorcli"
	profileEditor       = "cursorcli-editor"
	profileStrict       = "cursorcli-strict"
	profileCoding       = "coding"
	profileBeside       = "beside"
	profileOrchestrator = "orchestrator"
	profileAll          = "all"
)

func profiles() []string {
	return []string{profileFull, profileEditor, profileStrict, profileCoding, profileBeside, profileOrchestrator, profileAll}
}

// maxTools is the number of tools that Cursor passes to a model, over all servers.
const maxTools = 40

// strictTools returns the tools of the CursorCLI specification.
func strictTools() []string {
	return append([]string{
		"read_file", "write_file", "list_directory", "get_project_info", "search_files", "get_workspace_structure",
		"get_current_model", "track_token_usage", "get_model_statistics", "get_server_stats",
	}, ideTools()...)
}

// ideTools returns the tools of the specification that are listed only while an editor is
// connected.
func ideTools() []string {
	return []string{"open_file_in_editor", "get_active_file", "insert_text", "replace_text"}
}

// codeTools returns the tools of package editor that are not in the specification.
func codeTools() []string {
	return []string{
		"insert_code", "delete_code", "replace_code", "format_document", "get_diagnostics", "get_quick_fixes", "apply_quick_fix",
		"find_definition", "find_references", "rename_symbol",
	}
}

// replacedBySymbols reports whether the tools of the flag -symbols replace a tool in the default of a profile, so that the profile
// has at most maxTools.
func replacedBySymbols(profile, tool string) bool {
	switch tool {
	case "find_function", "list_functions_in_file", "get_chunk", "replace_function_chunk", "edit_chunk":
		return true
	case "search_symbols", "find_hierarchy":
		return profile == profileAll
	}
	return false
}

// otherEdits returns the tools that change text in another way than edit_file, or code in another way than
// replace_function_chunk. A profile with both of these offers one way for each.
func otherEdits() []string { return []string{"insert_code", "delete_code", "replace_code"} }

// codingTools returns the default tools of the profile coding, at most maxTools.
func codingTools() []string {
	return slices.Concat([]string{
		"read_file", "write_file", "edit_file", "list_directory", "search_files", "search_content", "get_project_info", "get_workspace_structure",
		"create_directory", "move_file", "delete_file",
		"execute_command", "execute_build", "read_process_output", "send_process_input", "list_processes", "kill_process",
		"list_functions_in_file", "find_function", "get_chunk", "edit_chunk", "replace_function_chunk", "search_symbols", "get_repo_map", "analyze_project",
		"searchDocuments", "findSimilarCode",
	}, slices.DeleteFunc(codeTools(), func(tool string) bool { return slices.Contains(otherEdits(), tool) }), ideTools())
}

// besideTools returns the default tools of the profile beside, for clients that read, edit and search files and run commands by
// themselves: ranked search, symbols and maps, edits of whole functions, diagnostics and refactorings.
func besideTools() []string {
	return []string{
		"searchDocuments", "findSimilarCode", "search_symbols", "get_repo_map", "list_functions_in_file", "get_chunk", "replace_function_chunk",
		"get_diagnostics", "find_definition", "find_references", "rename_symbol",
	}
}

// besideClients are the names of clients that get the profile beside unless the command line has another one: they have tools of
// their own for files, lines, edits and commands (docs/clients.md).
func besideClients() []string {
	return []string{"claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "opencode", "qwen-cli-mcp-client", "copilot-cli", "crush"}
}

// clientFlags returns the flags for a client. Qwen Code adds the name of the server's entry to its own: qwen-cli-mcp-client-cursorcli.
func clientFlags(client mcp.Implementation) []string {
	if slices.Contains(besideClients(), client.Name) || strings.HasPrefix(client.Name, "qwen-cli-mcp-client-") {
		return []string{"-profile", profileBeside}
	}
	return nil
}

// orchestratorTools returns the tools of an agent that delegates: it reads files and runs
// agents, and changes no file itself.
func orchestratorTools() []string {
	return []string{
		"list_roles", "create_group", "run_agent", "wait_agent", "list_agents", "get_agent_status", "get_agent_output", "send_followup", "cancel_agent",
		"report_result", "delete_group",
		"read_file", "list_directory", "search_files", "search_content", "get_project_info", "get_workspace_structure", "get_file_info",
		"getProjectContext", "searchDocuments", "findSimilarCode", "searchIssues", "createIssue", "get_index_status", "refresh_index",
		"get_server_stats",
	}
}

// allTools returns the default tools of the profile all. The settings can choose others.
func allTools() []string {
	return []string{
		"read_file", "write_file", "edit_file", "list_directory", "search_files", "search_content", "get_project_info", "move_file", "delete_file",
		"get_diagnostics", "get_quick_fixes", "apply_quick_fix", "format_document", "find_definition", "find_references", "rename_symbol",
		"execute_command", "execute_build", "read_process_output", "kill_process",
		"list_functions_in_file", "get_chunk", "replace_function_chunk", "search_symbols", "get_repo_map", "analyze_project",
		"getProjectContext", "searchDocuments", "searchIssues", "createIssue", "findSimilarCode",
		"list_roles", "create_group", "run_agent", "wait_agent", "get_agent_status", "cancel_agent", "report_result",
		"get_server_stats",
	}
}

// canOffer reports whether a profile can offer a tool of its sets.
func canOffer(profile, tool string) bool {
	switch profile {
	case profileStrict:
		return slices.Contains(strictTools(), tool)
	case profileFull:
		return !slices.Contains(codeTools(), tool) && !slices.Contains(editor.SymbolTools(), tool)
	case profileOrchestrator:
		return slices.Contains(orchestratorTools(), tool)
	}
	return true
}

// isDefault reports whether a profile offers a tool by default.
func isDefault(profile, tool string) bool {
	if slices.Contains(editor.SymbolTools(), tool) {
		return true // it is offered only with the flag -symbols
	}
	switch profile {
	case profileCoding:
		return slices.Contains(codingTools(), tool)
	case profileBeside:
		return slices.Contains(besideTools(), tool)
	case profileAll:
		return slices.Contains(allTools(), tool)
	}
	return true
}

// checkProfile returns an error for an unknown profile.
func checkProfile(name string) error {
	if !slices.Contains(profiles(), name) {
		return fmt.Errorf("there is no profile %q; choose one of %s", name, strings.Join(profiles(), ", "))
	}
	return nil
}

// offered returns the names of the tools of sets that a profile can offer.
func offered(profile string, sets []tools.Set) []string {
	var names []string
	for _, set := range sets {
		for _, t := range set.Features().Tools {
			if name := t.Tool().Name; canOffer(profile, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// argumentNames returns the names of arguments that have other names in the specifications of the joined sets, by those names: the
// same thing has one name in all tools of a profile. cursorcli-strict keeps the names of its specification.
func argumentNames() map[string]string {
	return map[string]string{
		"filePath": "path", "projectPath": "path", "functionQuery": "query", "maxResults": "limit",
		"workingDirectory": "cwd", "timeout_ms": "timeout", "preview": "dryRun",
	}
}

// offers reports whether a tool is listed.
func (v *service) offers(tool string) bool {
	allowed := v.allowed.Load()
	return allowed == nil || slices.Contains(*allowed, tool)
}

// toolProfile returns the tools.Profile for the installed tools. More than maxTools tools are an
// error.
func (v *service) toolProfile(c Config, allowed []string) (tools.Profile, error) {
	if len(allowed) > maxTools {
		return tools.Profile{}, fmt.Errorf("%d tools are allowed; clients take at most %d: name fewer in tools.allowedTools", len(allowed), maxTools)
	}
	p := tools.Profile{
		Allow:           allowed,
		ReadOnly:        v.options.readOnly,
		OtherSpelling:   true,
		ArgumentNames:   argumentNames(),
		NoOutputSchemas: !v.options.outputSchemas,
		Timeout:         time.Duration(c.Server.RequestTimeoutMs) * time.Millisecond,
		Concurrency:     c.Server.MaxConcurrentRequests,
		Wrap:            []mcp.ToolMiddleware{v.server.LogCalls, v.recorder.Middleware},
	}
	if isJoint(v.options.profile) {
		p.Adapt = compactTool
	}
	if v.options.profile == profileStrict {
		own, err := strict.Parse(strictDocument)
		if err != nil {
			return tools.Profile{}, err
		}
		p.ArgumentNames, p.Adapt, p.Wrap = nil, own.Adapt, append(p.Wrap, v.logToolExecution)
	}
	return p, nil
}

// strictDocument has the interfaces of strictTools.
//
//go:embed strict.json
var strictDocument []byte

// identity returns the name and the version of the server, from the settings.
func identity(c Config) mcp.Implementation {
	return mcp.Implementation{
		Name: c.Server.Name, Title: "CursorCLI", Version: c.Server.Version,
		Description: "Reads, writes, searches and arranges the files of a project, confined to it.",
	}
}
