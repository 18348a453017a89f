package fs

import (
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// toolTimeout is the timeout of every call. It is shorter than the usual request timeout of clients.
const toolTimeout = 45 * time.Second

// define returns the definitions of all tools of the set, in the order in which clients list them.
func (f *Files) define() ([]mcp.ServerTool, error) {
	read, err := f.defineRead()
	if err != nil {
		return nil, err
	}
	write := mcp.NewTool(mcp.Tool{
		Name:        "write_file",
		Description: "Writes a whole file, or appends to one; keeps its encoding and line ends.",
		Annotations: mcp.Destructive(),
	}, f.Write).With(mcp.ToolOptions{Defaults: map[string]any{
		"createDirectories": f.options.CreateDirectories,
		"createBackup":      f.options.CreateBackup,
	}})
	list := mcp.NewTool(mcp.Tool{
		Name:        "list_directory",
		Description: "Lists a directory. Use recursive and pattern to find files.",
		Annotations: mcp.ReadOnly(),
	}, f.List)

	defined := slices.Concat([]mcp.ServerTool{read, write}, f.defineEdit(), []mcp.ServerTool{list}, f.defineSearch(), f.defineChange())
	return tools.Define(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: f.limits.MaxResult() + 2*maxImage}, defined...)
}
