package agents

import (
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// spareTime is the time that a call may take beyond the longest wait.
const spareTime = 15 * time.Second

// managing returns the options of a tool that needs the permission to run agents.
func managing() mcp.ToolOptions {
	return mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}}
}

// define makes the tools as models see them.
func (a *Agents) define() ([]mcp.ServerTool, error) {
	common := mcp.ToolOptions{Timeout: a.options.Patience + spareTime, MaxResult: a.limits.MaxResult()}
	return tools.Define(common,
		mcp.NewTool(mcp.Tool{
			Name: "create_group", Annotations: mcp.Additive(),
			Description: "Makes a group, which every agent needs.",
		}, a.CreateGroup).With(managing()),
		mcp.NewTool(mcp.Tool{
			Name: "delete_group", Annotations: mcp.Destructive(),
			Description: "Deletes a group whose agents have ended.",
		}, a.DeleteGroup).With(managing()),
		mcp.NewTool(mcp.Tool{
			Name: "run_agent", Annotations: mcp.Unconfined(),
			Description: "Starts an agent in the background; answers with its agentId at once. Several run in parallel.",
		}, a.Run).With(mcp.ToolOptions{Task: mcp.TaskOptional, DeferTask: true}),
		mcp.NewTool(mcp.Tool{
			Name: "list_agents", Annotations: mcp.ReadOnly(),
			Description: "Lists agents, the newest first.",
		}, a.List),
		mcp.NewTool(mcp.Tool{
			Name: "get_agent_status", Annotations: mcp.ReadOnly(),
			Description: "Tells what an agent does, and its result.",
		}, a.Status),
		mcp.NewTool(mcp.Tool{
			Name: "wait_agent", Annotations: mcp.ReadOnly(),
			Description: "Waits for agents to end; with slice=true in the answer, call again.",
		}, a.Wait),
		mcp.NewTool(mcp.Tool{
			Name: reportTool, Annotations: idempotent(),
			Description: "Registers an agent's own result; the agent calls it when it is done or has failed.",
		}, a.Report).With(managing()),
		mcp.NewTool(mcp.Tool{
			Name: "list_roles", Annotations: mcp.ReadOnly(),
			Description: "Lists the roles that agents can have, and whether they can be used.",
		}, a.ListRoles),
		mcp.NewTool(mcp.Tool{
			Name: "cancel_agent", Annotations: mcp.Destructive(),
			Description: "Ends an agent, or all of a group.",
		}, a.Cancel).With(managing()),
		mcp.NewTool(mcp.Tool{
			Name: "send_followup", Annotations: mcp.Unconfined(),
			Description: "Goes on with the session of an agent that has ended, as a new agent.",
		}, a.Followup),
		mcp.NewTool(mcp.Tool{
			Name: "get_agent_output", Annotations: mcp.ReadOnly(),
			Description: "Reads what an agent has written.",
		}, a.Output),
	)
}

func idempotent() *mcp.ToolAnnotations {
	a := mcp.Additive()
	a.Idempotent = new(true)
	return a
}
