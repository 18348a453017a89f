package card

import (
	_ "embed" // the page
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/tools"
)

// URI is the page's.
const URI = "ui://kuromajutsu/agents"

//go:embed web/dist/card.html
var html string

// HTML is the page.
func HTML() string { return html }

// cacheFor is how long hosts may keep the page: it changes with the program alone.
const cacheFor = 5 * 60 * 1000

// shown are the tools with whose results the page is shown, and called those that
// it calls. Every other tool is for models alone.
var shown, called = map[string]bool{
	"run_agent": true, "send_followup": true, "wait_agent": true, "list_agents": true, "get_agent_status": true,
}, map[string]bool{
	"list_agents": true, "get_agent_status": true, "cancel_agent": true,
}

// With is the set of package agents, with the page: hosts show it with the tools
// that start agents or tell about them, and let it call those that it needs. The
// server must offer the extension, see apps.Offer. Closing it closes the set.
func With(set tools.Set) (tools.Set, error) {
	page, err := apps.Resource(URI, html, apps.Options{
		Name: "agents", Title: "Agents", Description: "The agents that work, live.", PrefersBorder: new(true),
		Cache: &mcp.CacheHint{TTLMillis: cacheFor, Public: true},
	})
	if err != nil {
		return nil, fmt.Errorf("making the card of agents: %w", err)
	}
	c := &carded{Set: set, features: set.Features()}
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

func link(t mcp.ServerTool) (mcp.ServerTool, error) {
	name := t.Tool().Name
	uri, visibility := "", []apps.Visibility{apps.Model}
	if shown[name] {
		uri = URI
	}
	if called[name] {
		visibility = append(visibility, apps.App)
	}
	return apps.ForTool(t, uri, visibility...)
}

// carded is a set with the page.
type carded struct {
	tools.Set
	features mcp.Features
}

// Features implements tools.Set.
func (c *carded) Features() mcp.Features { return c.features }
