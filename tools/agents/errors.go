package agents

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// The error codes that this package adds to those of package security.
const (
	codeUnknownGroup    = "UNKNOWN_GROUP"
	codeUnknownAgent    = "UNKNOWN_AGENT"
	codeUnknownRole     = "UNKNOWN_ROLE"
	codeRoleUnavailable = "ROLE_UNAVAILABLE"
	codeRoleNotReady    = "ROLE_NOT_READY"
	codeGroupBusy       = "GROUP_BUSY"
	codeLimitReached    = "LIMIT_REACHED"
	codeBadDependency   = "BAD_DEPENDENCY"
	codeNoSession       = "NO_SESSION"
	codeAgentRunning    = "AGENT_RUNNING"
	codeNotARepository  = "NOT_A_REPOSITORY"
	codeNotStarted      = "AGENT_NOT_STARTED"
)

// problem returns a tool error with a code and the next step.
func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// broken returns an internal error, for example of a store.
func broken(err error, format string, args ...any) error {
	return &mcp.ToolError{Code: string(security.InternalError), Message: fmt.Sprintf(format, args...) + ": " + err.Error(), Next: "Call again; if it fails again, tell the user.", Err: err}
}

func unknownAgent(id string) error {
	return problem(codeUnknownAgent, "Call list_agents to see the agents.", "there is no agent %s", quote(id))
}

func unknownGroup(id string) error {
	return problem(codeUnknownGroup, "Give a groupId that create_group returned.", "there is no active group %s", quote(id))
}

func unknownRole(id string, known []string) error {
	next := "Call list_roles to see the roles."
	if near := nearest.Name(id, known); near != "" {
		next = fmt.Sprintf("Did you mean %s? %s", near, next)
	}
	return problem(codeUnknownRole, next, "there is no role %s", quote(id))
}

// limitReached returns an error that lets a model continue without another agent.
func limitReached(format string, args ...any) error {
	return problem(codeLimitReached, "Do this yourself, or wait for agents that run with wait_agent and call again.", format, args...)
}

// quote quotes a string from outside in a message, at most 100 bytes.
func quote(s string) string { return truncate.Quote(s, 100) }
