package cursorcli

import (
	"slices"

	"github.com/dougu-go/dougu/mcp"
)

// isJoint reports whether a profile has tools of several specifications. Their lists are compact.
func isJoint(profile string) bool {
	return slices.Contains([]string{profileCoding, profileBeside, profileOrchestrator, profileAll}, profile)
}

// compactTool returns a tool whose listed schema lacks bounds and rarely useful arguments, which calls can still have. It
// is the tools.Profile.Adapt of the joint profiles: a model reads the list of all tools in every session.
func compactTool(t mcp.ServerTool) mcp.ServerTool {
	name := t.Tool().Name
	return t.With(mcp.ToolOptions{Description: shortDescriptions()[name], CompactInput: true, UnlistedArguments: unlistedArguments()[name]})
}

// shortDescriptions returns descriptions for the joint profiles, by tool, where the specification of a tool has a longer one.
func shortDescriptions() map[string]string {
	return map[string]string{
		"searchDocuments": "Searches code and documents, best first.",
		"findSimilarCode": "Finds similar code, ignoring names and comments.",
	}
}

// unlistedArguments returns the optional arguments that the joint profiles do not list, by tool. The results of a tool
// name those that matter after a call, for example since.
func unlistedArguments() map[string][]string {
	return map[string][]string{
		"searchDocuments":        {"filters.fileTypes", "filters.modifiedAfter", "limit", "includeContent", "mode", "maxBytes"},
		"findSimilarCode":        {"language", "similarity", "limit"},
		"search_symbols":         {"language", "maxResults"},
		"get_chunk":              {"full"},
		"get_repo_map":           {"focusIdentifiers"},
		"list_functions_in_file": {"language"},
		"find_function":          {"language", "maxResults"},
		"replace_function_chunk": {"filePath", "functionSignature", "language", "expectedSha256", "dryRun"},
		"edit_chunk":             {"expectedSha256", "dryRun"},
		"get_diagnostics":        {"paths", "severity", "since", "waitMs", "maxResults"},
	}
}
