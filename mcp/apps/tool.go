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
	scheme = "ui://"
	// metaKey is where a tool or page says what it has for the extension, and
	// flatKey where early hosts look for the page of a tool.
	metaKey = "ui"
	flatKey = "ui/resourceUri"
)

// Visibility is whom a tool is for.
type Visibility string

const (
	// Model is the agent, which sees the tool and calls it.
	Model Visibility = "model"
	// App is every page of the same server, which calls the tool through its host.
	App Visibility = "app"
)

// ForTool returns the tool with the page that is shown with its results, and whom
// the tool is for: both unless said otherwise (MCP Apps, "Resource Discovery"). An
// empty uri shows nothing and says the latter alone.
//
// Visibility is asked of hosts and protects nothing: anybody who can call a server
// can call all of its tools. See mcp.ToolOptions.Permissions for that.
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

func checkURI(uri string) error {
	if !strings.HasPrefix(uri, scheme) || len(uri) == len(scheme) {
		return fmt.Errorf("%q is no URI of a page; it is such as %q", uri, "ui://weather/today")
	}
	return nil
}

// URI is the page that a host shows with the results of a tool; ok is false where
// there is none, or what is named is none.
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

// VisibleTo reports whether a tool is for somebody. One that does not say is for
// everybody, and one whose word cannot be read is for nobody.
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

// ModelTools leaves out of a list of tools, such as mcp.Client.Tools, those that a
// host must not show to its model.
func ModelTools(tools iter.Seq2[mcp.Tool, error]) iter.Seq2[mcp.Tool, error] {
	return visible(tools, Model)
}

// AppTools leaves out of a list of tools those that pages must not call.
func AppTools(tools iter.Seq2[mcp.Tool, error]) iter.Seq2[mcp.Tool, error] {
	return visible(tools, App)
}

func visible(tools iter.Seq2[mcp.Tool, error], to Visibility) iter.Seq2[mcp.Tool, error] {
	return func(yield func(mcp.Tool, error) bool) {
		for t, err := range tools {
			if (err != nil || VisibleTo(t, to)) && !yield(t, err) {
				return
			}
		}
	}
}

type toolUI struct {
	ResourceURI string       `json:"resourceUri"`
	Visibility  []Visibility `json:"visibility"`
}

// readToolMeta reads what a tool says, which may have come from anywhere.
func readToolMeta(t mcp.Tool) (ui toolUI, err error) {
	return ui, decode(t.Meta, &ui)
}

// decode reads the extension's member of a _meta into v, which is left alone if
// there is none.
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
