package tools

import (
	"errors"

	"github.com/dougu-go/dougu/mcp"
)

// MaxResult is the length of the longest result of a tool, in bytes: a result has its text twice, and JSON may escape it.
func (l Limits) MaxResult() int { return 8 * l.MaxAnswer }

// Define gives the tools of a set the options that all of them have in common, and joins the errors of the definitions.
func Define(common mcp.ToolOptions, defined ...mcp.ServerTool) ([]mcp.ServerTool, error) {
	faults := make([]error, len(defined))
	for i := range defined {
		defined[i] = defined[i].With(common)
		faults[i] = defined[i].Err()
	}
	return defined, errors.Join(faults...)
}
