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
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// parent is the server that runs the agent which started this process. The URL is empty if the
// parent is not reachable.
type parent struct {
	url, token, agentID string
}

// Variables returns the environment variables that a server passes to its agents. Clients must pass
// them on to the servers that they start.
func Variables() []string {
	return []string{agents.EnvParentURL, agents.EnvToken, agents.EnvAgentID, agents.EnvDepth}
}

// parentOf returns the parent in an environment; ok is false outside of an agent. The URL is empty
// if agents cannot report by calling.
func parentOf(environ []string) (p parent, ok bool) {
	p = parent{
		url:     config.HandedOn(environ, agents.EnvParentURL),
		token:   config.HandedOn(environ, agents.EnvToken),
		agentID: config.HandedOn(environ, agents.EnvAgentID),
	}
	return p, config.HandedOn(environ, agents.EnvDepth) != ""
}

// Environment returns the environment of this process, completed by Inherit.
func Environment() []string { return Inherit(os.Environ()) }

// Inherit returns environ with the variables of the agent that an ancestor process belongs to. If
// environ already belongs to an agent, or if no ancestor does, it is returned unchanged.
func Inherit(environ []string) []string { return withParent(environ, process.Ancestors()) }

// withParent implements Inherit for the environments of ancestors. Some clients start servers
// without the variables of the agent. Without them, the server of an agent could run agents with
// further servers, without end.
func withParent(environ []string, ancestors iter.Seq[[]string]) []string {
	if _, ok := parentOf(environ); ok {
		return environ
	}
	for ancestor := range ancestors {
		if _, ok := parentOf(ancestor); !ok {
			continue
		}
		var variables []string
		for _, name := range Variables() {
			variables = append(variables, name+"="+config.HandedOn(ancestor, name))
		}
		return append(variables, environ...) // the first value of a name applies
	}
	return environ
}

// forward is a tools.Set that forwards calls to the parent of an agent. Without a reachable parent
// it has no tools: a full server could run agents without end.
type forward struct {
	client *mcp.Client // nil if the parent is not reachable
	tools  []mcp.ServerTool
}

// openForward connects to the parent and lists its tools.
func openForward(ctx context.Context, p parent, version string, log *slog.Logger) (*forward, error) {
	if p.url == "" {
		log.Info("server of an agent without a reachable parent; no tools are offered", "agent", p.agentID)
		return new(forward), nil
	}
	client, err := mcp.Connect(ctx, &httpclient.Client{
		URL:   p.url,
		Token: func(context.Context, *httpclient.StatusError) (string, error) { return p.token, nil },
	}, mcp.Implementation{Name: "kuromajutsu-" + p.agentID, Version: version}, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server that started this agent: %w", err)
	}
	f := &forward{client: client}
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listing the tools of the server that started this agent: %w", err), client.Close())
		}
		f.tools = append(f.tools, mcp.NewRawTool(tool, f.handler(tool.Name)))
	}
	log.Debug("server of an agent connected to its parent", "agent", p.agentID, "tools", len(f.tools))
	return f, nil
}

// handler returns a handler that forwards the calls and their progress.
func (f *forward) handler(name string) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return f.client.CallTool(ctx, name, args, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) {
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
