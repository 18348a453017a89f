package agentservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// parent is the server that has started the agent whose server this is. Without a URL it cannot be reached.
type parent struct {
	url, token, agentID string
}

// Variables are the variables that tell the server of an agent what it is. Clients are told to hand them on.
func Variables() []string {
	return []string{agents.EnvParentURL, agents.EnvToken, agents.EnvAgentID, agents.EnvDepth}
}

// parentOf finds the parent in an environment; ok is false where that is not one of an agent. The URL is empty where agents cannot
// report by calling.
func parentOf(environ []string) (p parent, ok bool) {
	p = parent{
		url:     config.HandedOn(environ, agents.EnvParentURL),
		token:   config.HandedOn(environ, agents.EnvToken),
		agentID: config.HandedOn(environ, agents.EnvAgentID),
	}
	return p, config.HandedOn(environ, agents.EnvDepth) != ""
}

// Environment is the environment of this process, see Inherit.
func Environment() []string { return Inherit(os.Environ()) }

// Inherit is an environment. Where it is not one of an agent, but that of a process
// which has started this one is, it becomes that agent's.
func Inherit(environ []string) []string { return withParent(environ, process.Ancestors()) }

// withParent is an environment. Where it is not one of an agent, but an ancestor's is, it becomes that agent's: a client starts servers
// with what its configuration says, which need not have the variables of agents, and a server that does not know what it is would run
// agents that have such servers, too.
func withParent(environ []string, ancestors iter.Seq[[]string]) []string {
	if _, ok := parentOf(environ); ok {
		return environ
	}
	for theirs := range ancestors {
		if _, ok := parentOf(theirs); !ok {
			continue
		}
		var variables []string
		for _, name := range Variables() {
			variables = append(variables, name+"="+config.HandedOn(theirs, name))
		}
		return append(variables, environ...) // the first of a name counts
	}
	return environ
}

// forward offers the tools that the parent has for this agent, and hands their calls on to it: none if the parent cannot be reached,
// since an agent that was given a whole server of its own could run agents without end. It is a tools.Set.
type forward struct {
	client *mcp.Client // nil if the parent cannot be reached
	tools  []mcp.ServerTool
}

// openForward connects to the parent.
func openForward(ctx context.Context, p parent, version string, log *slog.Logger) (*forward, error) {
	if p.url == "" {
		log.Info("this is the server of an agent, whose parent cannot be reached: it offers nothing", "agent", p.agentID)
		return new(forward), nil
	}
	client, err := mcp.Connect(ctx, &httpclient.Client{
		URL:   p.url,
		Token: func(context.Context, *httpclient.StatusError) (string, error) { return p.token, nil },
	}, mcp.Implementation{Name: "kuromajutsu-" + p.agentID, Version: version}, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server that has started this agent: %w", err)
	}
	f := &forward{client: client}
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			return nil, errors.Join(fmt.Errorf("asking the server that has started this agent for its tools: %w", err), client.Close())
		}
		f.tools = append(f.tools, mcp.NewRawTool(tool, f.handler(tool.Name)))
	}
	log.Debug("this is the server of an agent", "agent", p.agentID, "tools", len(f.tools))
	return f, nil
}

// handler hands the calls of a tool on.
func (f *forward) handler(name string) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return f.client.CallTool(ctx, name, args, &mcp.CallOptions{OnProgress: func(p mcp.ProgressNotification) {
			mcp.Progress(ctx, p.Progress, p.Total, p.Message)
		}})
	}
}

// Features implements tools.Set.
func (f *forward) Features() mcp.Features { return mcp.Features{Tools: f.tools} }

// Close implements tools.Set.
func (f *forward) Close(context.Context) error {
	if f.client == nil {
		return nil
	}
	return f.client.Close()
}

var _ tools.Set = (*forward)(nil)
