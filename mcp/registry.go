package mcp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Features are the features that one owner registers in a server.
type Features struct {
	Tools     []ServerTool     // Tools are the tools of the owner.
	Resources []ServerResource // Resources are the resources of the owner.
	Templates []ServerTemplate // Templates are the resource templates of the owner.
	Prompts   []ServerPrompt   // Prompts are the prompts of the owner.
	// ReserveTools, ReserveResources and ReservePrompts declare a capability even without features
	// of its kind, for an owner that registers them later.
	ReserveTools, ReserveResources, ReservePrompts bool
	// Instruct edits the instructions of the server, for an owner whose tools they describe. Nil
	// keeps them unchanged.
	Instruct func(instructions string) string
}

// registry holds all features of a server at one time. It is immutable, so that requests need no
// lock. Derived data is computed on first use: a server that registers its tools one by one
// computes it once.
type registry struct {
	owners      []*ownerFeatures // in the order of their first registration
	tools       *catalog[Tool, *ServerTool]
	resources   *catalog[Resource, *ServerResource]
	templates   *catalog[ResourceTemplate, *ServerTemplate]
	prompts     *catalog[Prompt, *ServerPrompt]
	caps        protocol.ServerCapabilities                      // derived from the features
	matchers    func() []*ServerTemplate                         // in the order in which they are tried
	discovery   func() *discovery                                // result of server/discover
	viewsDiffer func() bool                                      // the list of tools depends on the client
	views       [numToolViews]func() *catalog[Tool, *ServerTool] // by toolView.index
}

// ownerFeatures holds the features of one owner.
type ownerFeatures struct {
	name          string
	reserved      [3]bool // tools, resources, prompts
	hasCompleters bool    // some argument or variable has a completer
	tools         []*ServerTool
	resources     []*ServerResource
	templates     []*ServerTemplate
	prompts       []*ServerPrompt
	instruct      func(string) string // may be nil
}

// newOwnerFeatures returns the features f of owner, for a server with the options opts.
func newOwnerFeatures(owner string, f Features, opts *ServerOptions) *ownerFeatures {
	o := &ownerFeatures{name: owner, reserved: [3]bool{f.ReserveTools, f.ReserveResources, f.ReservePrompts}, instruct: f.Instruct}
	for _, t := range f.Tools {
		t.complete(opts)
		o.tools = append(o.tools, &t)
	}
	for _, r := range f.Resources {
		o.resources = append(o.resources, &r)
	}
	for _, t := range f.Templates {
		o.templates = append(o.templates, &t)
		o.hasCompleters = o.hasCompleters || len(t.completers) > 0
	}
	for _, p := range f.Prompts {
		o.prompts = append(o.prompts, &p)
		o.hasCompleters = o.hasCompleters || len(p.completers) > 0
	}
	return o
}

// complete sets the fields of a tool that depend on the options of its server.
func (t *ServerTool) complete(opts *ServerOptions) {
	t.tool.task = ""
	if opts.Tasks != nil {
		t.tool.task = t.opts.Task
	}
	t.setStructured(opts.Structured)
}

// discovery is the result of server/discover, encoded once.
type discovery struct {
	result protocol.DiscoverResult
	wire   []byte
}

// AppendJSON implements protocol.Result.
func (d *discovery) AppendJSON(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, d.wire...), nil
}

// newRegistry returns an empty registry.
func newRegistry(s *Server) *registry {
	tools := s.opts
	tools.Cache.Public = tools.Cache.Public && tools.Authorize == nil && tools.SenderTools == nil // otherwise the list depends on the client
	r := &registry{
		tools:     newCatalog[Tool]("tool", &tools, func(o *ownerFeatures) []*ServerTool { return o.tools }),
		resources: newCatalog[Resource]("resource", &s.opts, func(o *ownerFeatures) []*ServerResource { return o.resources }),
		templates: newCatalog[ResourceTemplate]("resource template", &s.opts, func(o *ownerFeatures) []*ServerTemplate { return o.templates }),
		prompts:   newCatalog[Prompt]("prompt", &s.opts, func(o *ownerFeatures) []*ServerPrompt { return o.prompts }),
	}
	r.finish(s)
	return r
}

// replace returns a registry in which the features of owner are replaced by f. The error contains
// all problems.
func (r *registry) replace(owner string, f Features, s *Server) (*registry, error) {
	next := &registry{owners: slices.Clone(r.owners)}
	var before *ownerFeatures
	i := slices.IndexFunc(next.owners, func(o *ownerFeatures) bool { return o.name == owner })
	if i < 0 {
		i = len(next.owners)
		next.owners = append(next.owners, nil)
	} else {
		before = r.owners[i]
	}
	next.owners[i] = newOwnerFeatures(owner, f, &s.opts)
	problems := &multierror.Error{ErrorFormat: joinErrors}
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

// hasOwner reports whether an owner of this name has registered features, now or before.
func (r *registry) hasOwner(owner string) bool {
	return slices.ContainsFunc(r.owners, func(o *ownerFeatures) bool { return o.name == owner })
}

// withoutEncodings returns a copy without cached encodings, for a server whose name has changed.
func (r *registry) withoutEncodings(s *Server) *registry {
	next := &registry{
		owners: r.owners,
		tools:  r.tools.withoutEncodings(), resources: r.resources.withoutEncodings(), templates: r.templates.withoutEncodings(), prompts: r.prompts.withoutEncodings(),
	}
	next.finish(s)
	return next
}

// joinErrors joins the messages of errors with semicolons.
func joinErrors(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// finish sets the fields that are derived from the features.
func (r *registry) finish(s *Server) {
	r.caps = r.capabilities(s.opts.Extensions)
	if s.opts.SenderTools != nil {
		r.caps.Tools = &protocol.ListCapability{ListChanged: true}
	}
	r.matchers = sync.OnceValue(r.sortTemplates)
	r.viewsDiffer = sync.OnceValue(r.differ)
	for _, tasks := range []bool{false, true} {
		for reach := reachNone; reach <= reachAll; reach++ {
			v := toolView{tasks, reach}
			r.views[v.index()] = sync.OnceValue(func() *catalog[Tool, *ServerTool] { return r.buildView(v) })
		}
	}
	r.discovery = sync.OnceValue(func() *discovery {
		info := &discovery{result: protocol.DiscoverResult{
			Server: s.identity.Load().info, Supported: protocol.Revisions(), Capabilities: r.caps, Instructions: r.instructions(s.opts.Instructions), Cache: s.opts.Cache,
		}}
		info.wire, _ = info.result.AppendJSON(nil, protocol.Latest) // checkExtensions has checked the settings of extensions
		return info
	})
}

// sessionInfo returns the discovery result for a session of a server with tasks. It declares the
// tasks of revision 2025-11-25. The list of tasks is declared only if the server can distinguish
// the peer from others (2025-11-25, basic/utilities/tasks, "Security Considerations").
func (r *registry) sessionInfo(peer protocol.Peer) *protocol.DiscoverResult {
	info := r.discovery().result
	tasks := json.RawMessage(`{"cancel":{},"requests":{"tools":{"call":{}}}}`)
	if isDistinguishable(peer) {
		tasks = json.RawMessage(`{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	info.Capabilities.Other = map[string]json.RawMessage{"tasks": tasks}
	return &info
}

// capabilities returns the capabilities of a server with these features.
func (r *registry) capabilities(extensions map[string]json.RawMessage) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{Logging: &struct{}{}, Extensions: extensions}
	var reserved [3]bool
	completes := false
	for _, o := range r.owners {
		completes = completes || o.hasCompleters
		for kind, set := range o.reserved {
			reserved[kind] = reserved[kind] || set
		}
	}
	if reserved[0] || len(r.tools.byKey) > 0 {
		caps.Tools = &protocol.ListCapability{ListChanged: true}
	}
	if reserved[1] || len(r.resources.byKey)+len(r.templates.byKey) > 0 {
		caps.Resources = &protocol.ResourcesCapability{Subscribe: true, ListChanged: true}
	}
	if reserved[2] || len(r.prompts.byKey) > 0 {
		caps.Prompts = &protocol.ListCapability{ListChanged: true}
	}
	if completes {
		caps.Completions = new(struct{})
	}
	return caps
}

// sortTemplates returns the templates in the order in which they are tried: the most literal text
// first, then the order of registration.
func (r *registry) sortTemplates() []*ServerTemplate {
	var all []*ServerTemplate
	for _, o := range r.owners {
		all = append(all, o.templates...)
	}
	slices.SortStableFunc(all, func(a, b *ServerTemplate) int { return cmp.Compare(b.literals, a.literals) })
	return all
}

// changedLists returns the names of the lists that differ between r and next.
func (r *registry) changedLists(next *registry) []string {
	var kinds []string
	if !r.tools.listsEqual(next.tools) {
		kinds = append(kinds, listTools)
	}
	if !r.prompts.listsEqual(next.prompts) {
		kinds = append(kinds, listPrompts)
	}
	if !r.resources.listsEqual(next.resources) || !r.templates.listsEqual(next.templates) {
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
