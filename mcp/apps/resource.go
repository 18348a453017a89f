package apps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
)

// maxHTML bounds a page, in bytes: it is sent and kept as a whole.
const maxHTML = 10_000_000

// Permissions are what a page needs of the browser. A host may not give them.
type Permissions struct {
	Camera, Microphone, Geolocation, ClipboardWrite bool
}

// permissionNames are the names of permissions in _meta, and in the allow attribute
// of a frame.
var permissionNames = []struct {
	name, policy string
	of           func(*Permissions) *bool
}{
	{"camera", "camera", func(p *Permissions) *bool { return &p.Camera }},
	{"microphone", "microphone", func(p *Permissions) *bool { return &p.Microphone }},
	{"geolocation", "geolocation", func(p *Permissions) *bool { return &p.Geolocation }},
	{"clipboardWrite", "clipboard-write", func(p *Permissions) *bool { return &p.ClipboardWrite }},
}

// Allow is the allow attribute of the frame that shows the page.
func (p Permissions) Allow() string {
	var all []string
	for _, n := range permissionNames {
		if *n.of(&p) {
			all = append(all, n.policy)
		}
	}
	return strings.Join(all, "; ")
}

// Options describe a page. The zero value is one that reaches nothing and needs
// nothing.
type Options struct {
	// Name, Title and Description are as those of other resources. Default of
	// Name: the URI.
	Name, Title, Description string
	CSP                      CSP
	Permissions              Permissions
	// Domain is an origin of the page's own, in the form that the host wants.
	Domain string
	// PrefersBorder asks for a border and background around the page, or for none;
	// nil leaves it to the host.
	PrefersBorder *bool
	// Unlisted leaves the page out of resources/list. Hosts find it by its tools.
	Unlisted bool
	// Cache says how long hosts may keep the page. Default: stale at once, private.
	Cache *mcp.CacheHint
}

// Resource makes the resource of a page: uri begins with ui://, and html is a whole
// document, which loads nothing from elsewhere but from origins in Options.CSP (MCP
// Apps, "UI Resource Format"). It must not hold anything of a call, of a user, or of
// another program: what is to be shown comes in the results of tools.
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

// meta is what hosts read. The lists of origins are there even when they are empty,
// so that no host has to guess what is meant.
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
