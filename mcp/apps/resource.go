package apps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxHTML limits the size of a page, in bytes, because pages are sent and stored whole.
const maxHTML = 10_000_000

// Permissions are the browser permissions that a page requests. A host may refuse them.
type Permissions struct {
	// Camera, Microphone, Geolocation and ClipboardWrite request the permission of the same name.
	Camera, Microphone, Geolocation, ClipboardWrite bool
}

// permissionNames are the names of the permissions in _meta and in the allow attribute of a frame.
var permissionNames = []struct {
	name, policy string
	of           func(*Permissions) *bool
}{
	{"camera", "camera", func(p *Permissions) *bool { return &p.Camera }},
	{"microphone", "microphone", func(p *Permissions) *bool { return &p.Microphone }},
	{"geolocation", "geolocation", func(p *Permissions) *bool { return &p.Geolocation }},
	{"clipboardWrite", "clipboard-write", func(p *Permissions) *bool { return &p.ClipboardWrite }},
}

// Allow returns the allow attribute for the frame of the page.
func (p Permissions) Allow() string {
	var all []string
	for _, n := range permissionNames {
		if *n.of(&p) {
			all = append(all, n.policy)
		}
	}
	return strings.Join(all, "; ")
}

// Options configures a page. A page of the zero value has no external origins and no permissions.
type Options struct {
	// Name, Title and Description are those of the resource. The default of Name is the URI.
	Name, Title, Description string
	CSP                      CSP         // CSP lists the external origins of the page.
	Permissions              Permissions // Permissions are the browser permissions of the page.
	// Domain is an origin for the page itself, in the form that the host requires.
	Domain string
	// PrefersBorder requests a border and background around the page, or none; nil leaves it to the
	// host.
	PrefersBorder *bool
	// Unlisted omits the page from resources/list. Hosts find it through its tools.
	Unlisted bool
	// Cache is the cache hint of the page. Default: stale at once, private.
	Cache *protocol.CacheHint
}

// Resource returns the resource of a page. uri begins with ui://. html is a complete document that
// loads external data only from the origins of Options.CSP (MCP Apps, "UI Resource Format"). It
// must not contain data of a call, a user or another program; results of tools supply that data. An
// invalid page is an error with all problems.
func Resource(uri, html string, o Options) (mcp.ServerResource, error) {
	if err := checkPage(uri, html, o); err != nil {
		return mcp.ServerResource{}, fmt.Errorf("the page %s: %w", uri, err)
	}
	name := o.Name
	if name == "" {
		name = uri
	}
	meta := mcp.Meta{metaKey: o.meta()}
	r := mcp.NewResource(mcp.Resource{
		URI: uri, Name: name, Title: o.Title, Description: o.Description, MIMEType: MIMEType, Size: new(int64(len(html))), Meta: meta,
	}, func(context.Context, string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: html, Meta: meta}}, nil
	}).With(mcp.ResourceOptions{Unlisted: o.Unlisted, Cache: o.Cache, MaxResult: maxHTML + maxHTML/10})
	return r, r.Err()
}

// checkPage returns all problems of a page.
func checkPage(uri, html string, o Options) error {
	var problems []error
	if err := checkURI(uri); err != nil {
		problems = append(problems, err)
	}
	switch {
	case strings.TrimSpace(html) == "":
		problems = append(problems, errors.New("it is empty"))
	case len(html) > maxHTML:
		problems = append(problems, fmt.Errorf("it has %d bytes; at most %d are allowed", len(html), maxHTML))
	case !utf8.ValidString(html):
		problems = append(problems, errors.New("it is not UTF-8"))
	}
	_, refused := o.CSP.Granted()
	for _, r := range refused {
		problems = append(problems, errors.New(r))
	}
	return errors.Join(problems...)
}

// meta returns the _meta member for hosts. It includes empty lists of origins, so that hosts need
// no defaults.
func (o Options) meta() map[string]any {
	granted, _ := o.CSP.Granted()
	ui := map[string]any{"csp": granted}
	permissions := make(map[string]any)
	for _, n := range permissionNames {
		if *n.of(&o.Permissions) {
			permissions[n.name] = struct{}{}
		}
	}
	if len(permissions) > 0 {
		ui["permissions"] = permissions
	}
	if o.Domain != "" {
		ui["domain"] = o.Domain
	}
	if o.PrefersBorder != nil {
		ui["prefersBorder"] = *o.PrefersBorder
	}
	return ui
}
