package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// scheme is the scheme of the URIs of pages.
	scheme = "ui://"
	// metaKey is the _meta key of the extension in a tool or page. flatKey is the key that early
	// hosts read for the page of a tool.
	metaKey = "ui"
	flatKey = "ui/resourceUri"
)

// Visibility is an audience of a tool.
type Visibility string

const (
	// Model is the agent, which lists and calls the tool.
	Model Visibility = "model"
	// App are the pages of the same server, which call the tool through the host.
	App Visibility = "app"
)

// ForTool returns a copy of a tool with a page for its results and with its audience; the default
// audience is both (MCP Apps, "Resource Discovery"). An empty uri sets only the audience.
//
// Visibility is a request to hosts and no protection: every client can call all tools of a server.
// For protection use mcp.ToolOptions.Permissions.
func ForTool(t mcp.ServerTool, uri string, visibility ...Visibility) (mcp.ServerTool, error) {
	if err := t.Err(); err != nil {
		return t, err
	}
	tool := t.Tool()
	ui, err := toolMeta(uri, visibility)
	if err != nil {
		return t, fmt.Errorf("the app of the tool %q: %w", tool.Name, err)
	}
	meta := mcp.Meta{metaKey: ui, flatKey: nil}
	if uri != "" {
		meta[flatKey] = uri
	}
	linked := t.With(mcp.ToolOptions{Meta: meta})
	return linked, linked.Err()
}

// toolMeta returns the _meta member of a tool.
func toolMeta(uri string, visibility []Visibility) (map[string]any, error) {
	ui := make(map[string]any, 2)
	if uri != "" {
		if err := checkURI(uri); err != nil {
			return nil, err
		}
		ui["resourceUri"] = uri
	}
	for _, v := range visibility {
		if v != Model && v != App {
			return nil, fmt.Errorf("a tool is for %q or %q, not for %q", Model, App, v)
		}
	}
	if len(visibility) > 0 {
		ui["visibility"] = visibility
	}
	return ui, nil
}

// checkURI returns an error if uri is not the URI of a page.
func checkURI(uri string) error {
	if !strings.HasPrefix(uri, scheme) || len(uri) == len(scheme) {
		return fmt.Errorf("%q is not the URI of a page; an example is %q", uri, "ui://weather/today")
	}
	return nil
}

// URI returns the URI of the page that a host displays with the results of a tool. ok is false if
// the tool has no page or the URI is invalid.
func URI(t mcp.Tool) (uri string, ok bool) {
	ui, err := readToolMeta(t)
	if uri = ui.ResourceURI; uri == "" || err != nil {
		uri, _ = t.Meta[flatKey].(string)
	}
	if checkURI(uri) != nil {
		return "", false
	}
	return uri, true
}

// VisibleTo reports whether a tool is for an audience. A tool without visibility is for all; a tool
// with an invalid visibility is for none.
func VisibleTo(t mcp.Tool, who Visibility) bool {
	ui, err := readToolMeta(t)
	switch {
	case err != nil:
		return false
	case ui.Visibility == nil:
		return true
	}
	return slices.Contains(ui.Visibility, who)
}

// ModelTools returns the tools that a host may offer to its model. tools is a list like the result
// of mcp.Client.Tools.
func ModelTools(tools iter.Seq2[mcp.Tool, error]) iter.Seq2[mcp.Tool, error] {
	return visible(tools, Model)
}

// AppTools returns the tools that pages may call.
func AppTools(tools iter.Seq2[mcp.Tool, error]) iter.Seq2[mcp.Tool, error] {
	return visible(tools, App)
}

// visible returns the tools for one audience.
func visible(tools iter.Seq2[mcp.Tool, error], to Visibility) iter.Seq2[mcp.Tool, error] {
	return func(yield func(mcp.Tool, error) bool) {
		for t, err := range tools {
			if (err != nil || VisibleTo(t, to)) && !yield(t, err) {
				return
			}
		}
	}
}

// toolUI is the _meta member of a tool.
type toolUI struct {
	ResourceURI string       `json:"resourceUri"`
	Visibility  []Visibility `json:"visibility"`
}

// readToolMeta decodes the _meta member of a tool, which is untrusted.
func readToolMeta(t mcp.Tool) (ui toolUI, err error) {
	return ui, decode(t.Meta, &ui)
}

// decode decodes the _meta member of the extension into v. Without the member, v is unchanged.
func decode(meta mcp.Meta, v any) error {
	member, ok := meta[metaKey]
	if !ok {
		return nil
	}
	raw, err := json.Marshal(member)
	if err == nil && string(raw) == "null" {
		return nil
	}
	if err := errors.Join(err, json.Unmarshal(raw, v)); err != nil {
		return fmt.Errorf("reading _meta.ui: %w", err)
	}
	return nil
}
