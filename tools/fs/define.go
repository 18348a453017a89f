package fs

import (
	"errors"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// toolTimeout ends a call before clients give it up.
	toolTimeout = 45 * time.Second
	// spareResult is how much larger than its text a result may be: it holds the content twice, and JSON may escape it.
	spareResult = 8
)

// define makes the tools as models see them.
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
	var faults []error
	for i := range defined {
		defined[i] = defined[i].With(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: spareResult*f.limits.MaxAnswer + 2*maxImage})
		faults = append(faults, defined[i].Err())
	}
	return defined, errors.Join(faults...)
}
