package card

import (
	_ "embed" // the page
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
)

// URI is the URI of the page.
const URI = "ui://kuromajutsu/agents"

//go:embed web/dist/card.html
var html string

// HTML returns the page.
func HTML() string { return html }

// cacheFor is the time in milliseconds that hosts may cache the page, which changes only with the
// program.
const cacheFor = 5 * 60 * 1000

// displayTools are the tools whose results show the page. callableTools are the tools that the page
// may call. All other tools are for models only.
var displayTools, callableTools = map[string]bool{
	"run_agent": true, "send_followup": true, "wait_agent": true, "list_agents": true, "get_agent_status": true,
}, map[string]bool{
	"list_agents": true, "get_agent_status": true, "cancel_agent": true,
}

// AddCard returns the tool set of package agents with the page. Hosts show the page with the tools
// that start or show agents, and let it call the tools that it needs. The server must offer the
// extension; see apps.Offer. Closing the result closes set.
func AddCard(set tools.Set) (tools.Set, error) {
	page, err := apps.Resource(URI, html, apps.Options{
		Name: "agents", Title: "Agents", Description: "The agents that work, live.", PrefersBorder: new(true),
		Cache: &protocol.CacheHint{TTLMillis: cacheFor, Public: true},
	})
	if err != nil {
		return nil, fmt.Errorf("making the card of agents: %w", err)
	}
	c := &cardSet{Set: set, features: set.Features()}
	all := make([]mcp.ServerTool, len(c.features.Tools))
	var failed []error
	for i, t := range c.features.Tools {
		linked, err := link(t)
		all[i], failed = linked, append(failed, err)
	}
	c.features.Tools = all
	c.features.Resources = append(c.features.Resources[:len(c.features.Resources):len(c.features.Resources)], page)
	if err := errors.Join(failed...); err != nil {
		return nil, fmt.Errorf("making the card of agents: %w", err)
	}
	return c, nil
}

// link adds the page and its visibility to a tool.
func link(t mcp.ServerTool) (mcp.ServerTool, error) {
	name := t.Tool().Name
	uri, visibility := "", []apps.Visibility{apps.Model}
	if displayTools[name] {
		uri = URI
	}
	if callableTools[name] {
		visibility = append(visibility, apps.App)
	}
	return apps.ForTool(t, uri, visibility...)
}

// cardSet is a tool set with the page.
type cardSet struct {
	tools.Set
	features mcp.Features
}

// Features implements tools.Set.
func (c *cardSet) Features() mcp.Features { return c.features }
