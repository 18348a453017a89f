package agents

import (
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// callMargin is added to the longest wait to get the timeout of a call.
const callMargin = 15 * time.Second

// runPermission returns the options of tools that require the permission to run agents.
func runPermission() mcp.ToolOptions {
	return mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}}
}

// outputTool is the tool that reads the output of an agent.
const outputTool = "get_agent_output"

// define returns the tools with their descriptions.
func (a *Agents) define() ([]mcp.ServerTool, error) {
	common := mcp.ToolOptions{Timeout: a.options.WaitTimeout + callMargin, MaxResult: a.limits.MaxResult()}
	return tools.Define(common,
		mcp.NewTool(mcp.Tool{
			Name: "create_group", Annotations: mcp.Additive(),
			Description: "Creates a group. Every agent needs one.",
		}, a.CreateGroup).With(runPermission()),
		mcp.NewTool(mcp.Tool{
			Name: "delete_group", Annotations: mcp.Destructive(),
			Description: "Deletes a group whose agents have ended.",
		}, a.DeleteGroup).With(runPermission()),
		mcp.NewTool(mcp.Tool{
			Name: "run_agent", Annotations: mcp.Unconfined(),
			Description: "Starts an agent in the background and returns its agentId at once. Several run in parallel.",
		}, a.Run).With(mcp.ToolOptions{Task: mcp.TaskOptional, DeferTask: true}),
		mcp.NewTool(mcp.Tool{
			Name: "list_agents", Annotations: mcp.ReadOnly(),
			Description: "Lists agents, the newest first.",
		}, a.List),
		mcp.NewTool(mcp.Tool{
			Name: "get_agent_status", Annotations: mcp.ReadOnly(),
			Description: "Shows the state of an agent and its result.",
		}, a.Status),
		mcp.NewTool(mcp.Tool{
			Name: "wait_agent", Annotations: mcp.ReadOnly(),
			Description: "Waits for agents to end. Answers only what is new since your last call; if it has slice=true, call again.",
		}, a.Wait),
		mcp.NewTool(mcp.Tool{
			Name: reportTool, Annotations: idempotent(),
			Description: "Registers an agent's own result; the agent calls it when it is done or has failed.",
		}, a.Report).With(runPermission()),
		mcp.NewTool(mcp.Tool{
			Name: "list_roles", Annotations: mcp.ReadOnly(),
			Description: "Lists the roles that agents can have, and whether they can be used.",
		}, a.ListRoles),
		mcp.NewTool(mcp.Tool{
			Name: "cancel_agent", Annotations: mcp.Destructive(),
			Description: "Ends an agent, or all of a group.",
		}, a.Cancel).With(runPermission()),
		mcp.NewTool(mcp.Tool{
			Name: "send_followup", Annotations: mcp.Unconfined(),
			Description: "Continues the session of an ended agent with a new prompt, as a new agent.",
		}, a.Followup),
		mcp.NewTool(mcp.Tool{
			Name: outputTool, Annotations: mcp.ReadOnly(),
			Description: "Reads the output of an agent.",
		}, a.Output),
	)
}

// idempotent returns the annotations of report_result.
func idempotent() *mcp.ToolAnnotations {
	a := mcp.Additive()
	a.Idempotent = new(true)
	return a
}
