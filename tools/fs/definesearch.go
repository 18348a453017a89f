package fs

import "github.com/dougu-go/dougu/mcp"

// defineSearch makes the tools that find things.
func (f *Files) defineSearch() []mcp.ServerTool { return nil }
