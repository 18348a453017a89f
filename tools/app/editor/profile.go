package editor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/editor"
)

// The profiles of tools.
const (
	profileFull   = "editor"
	profileStrict = "editor-strict"
)

// strictTools returns the tools of the editor specification.
func strictTools() []string {
	return []string{
		"read_file", "write_file", "insert_code", "delete_code", "replace_code", "execute_command", "execute_build",
		"get_diagnostics", "get_quick_fixes", "apply_quick_fix", "format_document",
	}
}

// fullTools returns strictTools and further tools for work on code. Their number leaves
// room for tools of other servers in clients.
func fullTools() []string {
	return append(strictTools(),
		"edit_file", "list_directory", "search_files", "search_content",
		"read_process_output", "send_process_input", "list_processes", "kill_process",
		"find_definition", "find_references", "rename_symbol",
		"list_refactorings", "extract_method", "apply_refactoring",
		"open_file_in_editor", "get_active_file", "insert_text", "replace_text",
	)
}

// debugTools returns the tools of the flag -debug.
func debugTools() []string {
	return []string{"debug_start", "debug_status", "debug_breakpoints", "debug_step", "debug_variables", "debug_evaluate", "debug_stop"}
}

// unityTools returns the tools for Unity.
func unityTools() []string { return []string{"read_console", "run_tests", "unity_refresh"} }

// gitTools returns the tools for the repository of the project.
func gitTools() []string {
	return []string{"git_status", "git_diff", "git_log", "git_blame", "git_commit", "git_branch", "git_pull", "git_push"}
}

// runsCommands are the tools that a read-only server does not have at all.
func runsCommands() []string {
	return []string{"execute_command", "execute_build", "read_process_output", "send_process_input", "list_processes", "kill_process"}
}

// checkProfile refuses the name of a profile that is none.
func checkProfile(name string) error {
	if name != profileFull && name != profileStrict {
		return fmt.Errorf("there is no profile %q; choose %s or %s", name, profileFull, profileStrict)
	}
	return nil
}

// offersSymbols reports whether a profile has the tools of the flag -symbols.
func (c Config) offersSymbols(profile string) bool {
	return c.Symbols.Enabled && profile != profileStrict
}

// shape is the profile of the installed tools.
func (o *options) shape(c Config, wrap ...mcp.ToolMiddleware) tools.Profile {
	allowed := fullTools()
	if o.profile == profileStrict {
		allowed = append(strictTools(), processTools()...)
	} else if c.Debug.Enabled && !o.readOnly {
		allowed = append(allowed, debugTools()...)
	}
	if c.offersSymbols(o.profile) {
		allowed = append(allowed, editor.SymbolTools()...)
	}
	if c.Git.Enabled {
		allowed = append(allowed, gitTools()...)
	}
	if c.Unity.Enabled && o.profile != profileStrict {
		allowed = append(allowed, unityTools()...)
	}
	p := tools.Profile{
		Allow: allowed, ReadOnly: o.readOnly, OtherSpelling: true, NoOutputSchemas: !o.outputSchemas, Concurrency: c.MaxConcurrentRequests,
		Wrap:     wrap,
		Defaults: map[string]map[string]any{"write_file": {"createDirectories": true, "createBackup": true}},
	}
	if o.profile == profileStrict {
		codes := strict.ErrorCodes(strictCode)
		p.Adapt = func(t mcp.ServerTool) mcp.ServerTool { return o.strict.Adapt(t).Wrap(codes) }
		if !o.readOnly {
			p.Defaults["execute_command"] = map[string]any{"timeout": c.DefaultTimeout}
		}
		p.Defaults["read_file"] = map[string]any{"maxSize": c.MaxFileSize}
	}
	for name := range strings.SplitSeq(config.Lookup(o.environ(), deniedVariable), ",") {
		if slices.Contains(allowed, name) {
			p.Deny = append(p.Deny, name)
		}
	}
	if o.readOnly {
		p.Allow = slices.DeleteFunc(allowed, func(name string) bool { return slices.Contains(runsCommands(), name) || slices.Contains(p.Deny, name) })
		p.Deny = nil
	}
	return p
}

// buildTool is the tool that builds the project, if this server offers it.
func (o *options) buildTool() string {
	const tool = "execute_build"
	if o.readOnly || slices.Contains(strings.Split(config.Lookup(o.environ(), deniedVariable), ","), tool) {
		return ""
	}
	return tool
}

// deniedVariable names tools that the extension of VS Code has been told to turn
// off, with commas between them.
const deniedVariable = "DOUGU_TOOLS_DENIED"
