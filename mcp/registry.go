package mcp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"
)

// Features is what one owner offers through a server.
type Features struct {
	Tools     []ServerTool
	Resources []ServerResource
	Templates []ServerTemplate
	Prompts   []ServerPrompt
	// A reserved kind is declared as a capability even while there is nothing of
	// it, for an owner whose features come later.
	ReserveTools, ReserveResources, ReservePrompts bool
	// Instruct edits the instructions of the server, for an owner of whose tools
	// they speak. nil leaves them as they are.
	Instruct func(instructions string) string
}

// registry is everything that a server offers at one moment. It is immutable,
// so that a request takes no lock. What is made from it is made when it is first
// asked for: a server that registers its tools one by one makes it once.
type registry struct {
	owners    []*owned // in the order of their first registration
	tools     *catalog[Tool, *ServerTool]
	resources *catalog[Resource, *ServerResource]
	templates *catalog[ResourceTemplate, *ServerTemplate]
	prompts   *catalog[Prompt, *ServerPrompt]
	caps      ServerCapabilities
	matchers  func() []*ServerTemplate // the first that matches counts
	info      func() *discovery
	untasked  func() *catalog[Tool, *ServerTool] // the tools that a client without tasks can call
}

// owned is what one owner offers.
type owned struct {
	name      string
	reserved  [3]bool // tools, resources, prompts
	completes bool    // some argument or variable
	tools     []*ServerTool
	resources []*ServerResource
	templates []*ServerTemplate
	prompts   []*ServerPrompt
	instruct  func(string) string // may be nil
}

// ownedBy is what owner offers in a server; tasks tells whether it has any.
func ownedBy(owner string, f Features, tasks bool) *owned {
	o := &owned{name: owner, reserved: [3]bool{f.ReserveTools, f.ReserveResources, f.ReservePrompts}, instruct: f.Instruct}
	for _, t := range f.Tools {
		t.tool.task = ""
		if tasks {
			t.tool.task = t.opts.Task
		}
		o.tools = append(o.tools, &t)
	}
	for _, r := range f.Resources {
		o.resources = append(o.resources, &r)
	}
	for _, t := range f.Templates {
		o.templates = append(o.templates, &t)
		o.completes = o.completes || len(t.completers) > 0
	}
	for _, p := range f.Prompts {
		o.prompts = append(o.prompts, &p)
		o.completes = o.completes || len(p.completers) > 0
	}
	return o
}

// discovery is what server/discover answers, encoded once.
type discovery struct {
	result DiscoverResult
	wire   []byte
}

// AppendJSON implements Result.
func (d *discovery) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	return append(dst, d.wire...), nil
}

// newRegistry is a registry of nothing.
func newRegistry(s *Server) *registry {
	tools := s.opts
	tools.Cache.Public = tools.Cache.Public && tools.Authorize == nil // else it depends on who asks
	r := &registry{
		tools:     newCatalog[Tool]("tool", &tools, func(o *owned) []*ServerTool { return o.tools }),
		resources: newCatalog[Resource]("resource", &s.opts, func(o *owned) []*ServerResource { return o.resources }),
		templates: newCatalog[ResourceTemplate]("resource template", &s.opts, func(o *owned) []*ServerTemplate { return o.templates }),
		prompts:   newCatalog[Prompt]("prompt", &s.opts, func(o *owned) []*ServerPrompt { return o.prompts }),
	}
	r.finish(s)
	return r
}

// replace returns the registry with what owner offers exchanged, or every
// reason why it cannot be.
func (r *registry) replace(owner string, f Features, s *Server) (*registry, error) {
	next := &registry{owners: slices.Clone(r.owners)}
	var before *owned
	i := slices.IndexFunc(next.owners, func(o *owned) bool { return o.name == owner })
	if i < 0 {
		i = len(next.owners)
		next.owners = append(next.owners, nil)
	} else {
		before = r.owners[i]
	}
	next.owners[i] = ownedBy(owner, f, s.opts.Tasks != nil)
	problems := &multierror.Error{ErrorFormat: oneLine}
	next.tools = r.tools.replace(next.owners, i, before, problems)
	next.resources = r.resources.replace(next.owners, i, before, problems)
	next.templates = r.templates.replace(next.owners, i, before, problems)
	next.prompts = r.prompts.replace(next.owners, i, before, problems)
	if err := problems.ErrorOrNil(); err != nil {
		return nil, err
	}
	next.finish(s)
	return next, nil
}

// renewed returns the registry with nothing encoded yet, for a server that is
// called otherwise now.
func (r *registry) renewed(s *Server) *registry {
	next := &registry{
		owners: r.owners,
		tools:  r.tools.renewed(), resources: r.resources.renewed(), templates: r.templates.renewed(), prompts: r.prompts.renewed(),
	}
	next.finish(s)
	return next
}

func oneLine(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// finish derives what follows from what is offered.
func (r *registry) finish(s *Server) {
	r.caps = r.capabilities(s.opts.Extensions)
	r.matchers = sync.OnceValue(r.sortTemplates)
	r.untasked = sync.OnceValue(func() *catalog[Tool, *ServerTool] {
		return r.tools.only(func(t *ServerTool) bool { return t.tool.task != TaskRequired })
	})
	r.info = sync.OnceValue(func() *discovery {
		info := &discovery{result: DiscoverResult{
			Server: s.ident.Load().info, Supported: Revisions(), Capabilities: r.caps, Instructions: r.instructions(s.opts.Instructions), Cache: s.opts.Cache,
		}}
		info.wire, _ = info.result.AppendJSON(nil, Latest)
		return info
	})
}

// sessionInfo is what a session's peer is told: of revision 2025-11-25, which has
// tasks of its own. Tasks are listed to those alone whom the server can tell from
// others (2025-11-25, basic/utilities/tasks, "Security Considerations").
func (r *registry) sessionInfo(peer Peer) *DiscoverResult {
	info := r.info().result
	tasks := json.RawMessage(`{"cancel":{},"requests":{"tools":{"call":{}}}}`)
	if toldApart(peer) {
		tasks = json.RawMessage(`{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	info.Capabilities.Other = map[string]json.RawMessage{"tasks": tasks}
	return &info
}

func (r *registry) capabilities(extensions map[string]json.RawMessage) ServerCapabilities {
	caps := ServerCapabilities{Logging: &struct{}{}, Extensions: extensions}
	var reserved [3]bool
	completes := false
	for _, o := range r.owners {
		completes = completes || o.completes
		for kind, set := range o.reserved {
			reserved[kind] = reserved[kind] || set
		}
	}
	if reserved[0] || len(r.tools.byKey) > 0 {
		caps.Tools = &ListCapability{ListChanged: true}
	}
	if reserved[1] || len(r.resources.byKey)+len(r.templates.byKey) > 0 {
		caps.Resources = &ResourcesCapability{Subscribe: true, ListChanged: true}
	}
	if reserved[2] || len(r.prompts.byKey) > 0 {
		caps.Prompts = &ListCapability{ListChanged: true}
	}
	if completes {
		caps.Completions = new(struct{})
	}
	return caps
}

// sortTemplates puts the templates in the order in which they are tried: those
// with the most literal text first, others in the order of registration.
func (r *registry) sortTemplates() []*ServerTemplate {
	var all []*ServerTemplate
	for _, o := range r.owners {
		all = append(all, o.templates...)
	}
	slices.SortStableFunc(all, func(a, b *ServerTemplate) int { return cmp.Compare(b.literals, a.literals) })
	return all
}

// changed lists the kinds of which two registries list something else.
func (r *registry) changed(next *registry) []string {
	var kinds []string
	if !r.tools.same(next.tools) {
		kinds = append(kinds, listTools)
	}
	if !r.prompts.same(next.prompts) {
		kinds = append(kinds, listPrompts)
	}
	if !r.resources.same(next.resources) || !r.templates.same(next.templates) {
		kinds = append(kinds, listResources)
	}
	return kinds
}

// instructions returns the instructions of a server as the owners edit them, in their order.
func (r *registry) instructions(text string) string {
	for _, o := range r.owners {
		if o.instruct != nil {
			text = o.instruct(text)
		}
	}
	return text
}
