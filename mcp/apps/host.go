package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// View is a page for display in a host. The host must use a frame with the sandbox attribute, an
// origin different from its own, and the policy.
type View struct {
	URI  string // URI identifies the page.
	HTML string // HTML is the document.
	// Policy is the Content-Security-Policy that the host must apply.
	Policy string
	// Allow is the value of the HTML attribute allow of the frame: the browser permissions that
	// the page requests. A host may leave the attribute out, and so grant none.
	Allow         string
	Domain        string // Domain is an origin that the page requests for itself.
	PrefersBorder *bool  // PrefersBorder requests a border around the page; nil leaves it to the host.
	// CSP lists the granted origins. Refused describes the requested origins that are not granted.
	CSP     CSP
	Refused []string
}

// Read returns the page of a tool, for a host (MCP Apps, "Host Behavior"). A page whose _meta names
// no origins gets the strictest policy, which allows no external origin. The HTML comes from the
// server: display it only in a sandbox.
func Read(ctx context.Context, c *mcp.Client, t mcp.Tool) (*View, error) {
	uri, ok := URI(t)
	if !ok {
		return nil, fmt.Errorf("the tool %q shows no page", t.Name)
	}
	read, err := c.ReadResource(ctx, uri, nil)
	if err != nil {
		return nil, fmt.Errorf("the page of the tool %q: %w", t.Name, err)
	}
	v := &View{URI: uri}
	contents, err := v.take(read.Contents)
	if err != nil {
		return nil, fmt.Errorf("the page %s of the tool %q: %w", uri, t.Name, err)
	}
	meta := contents.Meta
	if meta[metaKey] == nil {
		if meta, err = listedMeta(ctx, c, uri); err != nil {
			return nil, fmt.Errorf("the page %s of the tool %q: %w", uri, t.Name, err)
		}
	}
	if err := v.describe(meta); err != nil {
		return nil, fmt.Errorf("the page %s of the tool %q: %w", uri, t.Name, err)
	}
	return v, nil
}

// take selects the page among the contents of a resource and stores its HTML.
func (v *View) take(all []mcp.ResourceContents) (mcp.ResourceContents, error) {
	for _, contents := range all {
		if !isPage(contents.MIMEType) {
			continue
		}
		if v.HTML = contents.Text; contents.Blob != nil {
			v.HTML = string(contents.Blob)
		}
		switch {
		case v.HTML == "":
			return contents, errors.New("it is empty")
		case len(v.HTML) > maxHTML:
			return contents, fmt.Errorf("it has %d bytes; at most %d are shown", len(v.HTML), maxHTML)
		case !utf8.ValidString(v.HTML):
			return contents, errors.New("it is not UTF-8")
		}
		return contents, nil
	}
	return mcp.ResourceContents{}, fmt.Errorf("it has no contents of the type %s", MIMEType)
}

// listedMeta returns the _meta of the page in the list of resources, for a page whose contents have
// none.
func listedMeta(ctx context.Context, c *mcp.Client, uri string) (mcp.Meta, error) {
	for r, err := range c.Resources(ctx) {
		if err != nil {
			return nil, err
		}
		if r.URI == uri {
			return r.Meta, nil
		}
	}
	return nil, nil
}

// describe sets the fields that follow from the _meta of the page.
func (v *View) describe(meta mcp.Meta) error {
	var ui struct {
		CSP           CSP                        `json:"csp"`
		Permissions   map[string]json.RawMessage `json:"permissions"`
		Domain        string                     `json:"domain"`
		PrefersBorder *bool                      `json:"prefersBorder"`
	}
	if err := decode(meta, &ui); err != nil {
		return err
	}
	v.CSP, v.Refused = ui.CSP.Granted()
	v.Policy, v.Domain, v.PrefersBorder = v.CSP.Policy(), ui.Domain, ui.PrefersBorder
	var p Permissions
	for _, n := range permissionNames {
		if raw, ok := ui.Permissions[n.name]; ok {
			*n.of(&p) = len(raw) > 0 && raw[0] == '{' // the specification requests a permission by an object, {}
		}
	}
	v.Allow = p.Allow()
	return nil
}

// Call calls a tool of the server for a page. The server must list the tool with the visibility
// "app"; otherwise Call returns an error, because a page must not call the tool (MCP Apps,
// "Visibility"). The list comes from the client's cache if the server allows.
func Call(ctx context.Context, c *mcp.Client, name string, args any, opts *mcp.CallOptions) (*mcp.ToolResult, error) {
	for t, err := range AppTools(c.Tools(ctx)) {
		if err != nil {
			return nil, fmt.Errorf("calling %s for a page: %w", name, err)
		}
		if t.Name == name {
			return c.CallTool(ctx, name, args, opts)
		}
	}
	return nil, protocol.Errorf(protocol.CodeInvalidParams, "The tool %q is not for pages", name)
}
