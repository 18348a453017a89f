package fs

import (
	"context"

	"github.com/dougu-go/dougu/mcp"
)

// codeDestructive refuses what only the user could allow, where the user cannot be asked.
const codeDestructive = "DESTRUCTIVE_NOT_ALLOWED"

// consent asks the user, unless that is not necessary. It must come before any effect: the call may be run again with the answer.
func (f *Files) consent(ctx context.Context, key, question string) error {
	if !mcp.Supports(ctx, mcp.CapElicitForm) {
		return &mcp.ToolError{Code: codeDestructive, Message: "this needs the consent of the user, whom this client cannot ask",
			Next: "tell the user what you want to do; they can do it, or set security.allowDestructiveOperations in the settings of the server"}
	}
	return mcp.Confirm(ctx, key, question)
}
