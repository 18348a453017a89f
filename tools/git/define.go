package git

import (
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// toolTimeout is the timeout of every call. It is shorter than the usual request timeout of clients.
const toolTimeout = 50 * time.Second

// define returns the definitions of all tools of the set.
func (g *Git) define() ([]mcp.ServerTool, error) {
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "git_status", Annotations: mcp.ReadOnly(),
			Description: "Shows the branch, the changed, staged and conflicting files, and an operation in progress.",
		}, g.Status),
		mcp.NewTool(mcp.Tool{
			Name: "git_diff", Annotations: mcp.ReadOnly(),
			Description: "Shows changes: of the work tree, staged, or between commits. A list of files first, then the hunks.",
		}, g.Diff),
		mcp.NewTool(mcp.Tool{
			Name: "git_log", Annotations: mcp.ReadOnly(),
			Description: "Lists commits, the newest first.",
		}, g.Log),
		mcp.NewTool(mcp.Tool{
			Name: "git_blame", Annotations: mcp.ReadOnly(),
			Description: "Shows which commit last changed each line of a file.",
		}, g.Blame),
		mcp.NewTool(mcp.Tool{
			Name: "git_commit", Annotations: mcp.Destructive(),
			Description: "Commits paths, all tracked changes, or the staged changes.",
		}, g.Commit),
		mcp.NewTool(mcp.Tool{
			Name: "git_branch", Annotations: mcp.Destructive(),
			Description: "Lists, creates, switches to or deletes branches. Loses no change.",
		}, g.Branch),
		mcp.NewTool(mcp.Tool{
			Name: "git_pull", Annotations: mcp.Unconfined(),
			Description: "Fetches the upstream branch and integrates it: fast-forward only, unless mode is rebase or merge. Reports conflicts; continues or aborts.",
		}, g.Pull),
		mcp.NewTool(mcp.Tool{
			Name: "git_push", Annotations: mcp.Unconfined(),
			Description: "Sends the current branch to its upstream.",
		}, g.Push),
	}
	return tools.Define(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: g.limits.MaxResult()}, defined...)
}
