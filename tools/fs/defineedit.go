package fs

import "github.com/dougu-go/dougu/mcp"

// defineEdit returns edit_file.
func (f *Files) defineEdit() []mcp.ServerTool {
	return []mcp.ServerTool{mcp.NewTool(mcp.Tool{
		Name: "edit_file",
		Description: "Replaces each oldText, which must be at one place of the file, by its newText: all edits in order, or none." +
			" Wrong indentation and trailing blanks are overlooked.",
		Annotations: mcp.Destructive(),
	}, f.Edit)}
}
