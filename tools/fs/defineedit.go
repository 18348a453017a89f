package fs

import "github.com/dougu-go/dougu/mcp"

// defineEdit makes edit_file.
func (f *Files) defineEdit() []mcp.ServerTool { return nil }
