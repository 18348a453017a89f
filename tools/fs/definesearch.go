package fs

import "github.com/dougu-go/dougu/mcp"

// defineSearch returns the search tools, get_workspace_structure and get_project_info.
func (f *Files) defineSearch() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name:        "search_content",
			Description: "Searches the lines of files, newest files first.",
			Annotations: mcp.ReadOnly(),
		}, f.SearchContent),
		mcp.NewTool(mcp.Tool{
			Name:        "search_files",
			Description: "Finds files and directories by name or path, newest first.",
			Annotations: mcp.ReadOnly(),
		}, f.SearchFiles),
		mcp.NewTool(mcp.Tool{
			Name:        "get_workspace_structure",
			Description: "Shows the directory tree; folds large directories so that it fits.",
			Annotations: mcp.ReadOnly(),
		}, f.WorkspaceStructure),
		mcp.NewTool(mcp.Tool{
			Name:        "get_project_info",
			Description: "Shows the project's root, language, framework, git branch, and the limits of the tools.",
			Annotations: mcp.ReadOnly(),
		}, f.ProjectInfo),
	}
}
