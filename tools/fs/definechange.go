package fs

import "github.com/dougu-go/dougu/mcp"

// defineChange returns the tools that delete, move and create entries, and get_file_info.
func (f *Files) defineChange() []mcp.ServerTool {
	creates := mcp.Additive()
	creates.Idempotent = new(true)
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name:        "create_directory",
			Description: "Creates a directory, with those above it.",
			Annotations: creates,
		}, f.CreateDirectory),
		mcp.NewTool(mcp.Tool{
			Name:        "move_file",
			Description: "Moves or renames a file or directory. Overwritten files go to the trash.",
			Annotations: mcp.Destructive(),
		}, f.Move),
		mcp.NewTool(mcp.Tool{
			Name:        "delete_file",
			Description: "Moves a file or directory to the trash, from where move_file restores it.",
			Annotations: mcp.Destructive(),
		}, f.Delete),
		mcp.NewTool(mcp.Tool{
			Name:        "get_file_info",
			Description: "Describes a file or directory: size, times, permissions, encoding, line ends, sha256.",
			Annotations: mcp.ReadOnly(),
		}, f.Info),
	}
}
