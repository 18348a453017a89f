package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/uritemplate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Missing is an upstream that is not ready, with the reason.
type Missing struct{ Server, Reason string }

// table is an immutable snapshot of the features of a view, with the upstream of each. Only cached
// encodings change, so requests need no lock.
type table struct {
	toolAt     map[string]*toolRoute  // by the name that it is listed under
	promptAt   map[string]promptRoute // by the name that it is listed under
	resourceAt map[string]*member     // by URI
	templateAt map[string]*member     // by the text of the template
	matchers   []matcher              // of the templates, in the order of the upstreams
	readers    []*member              // members with resources, in the order of the upstreams

	tools     catalog[mcp.Tool]
	prompts   catalog[mcp.Prompt]
	resources catalog[mcp.Resource]
	templates catalog[mcp.ResourceTemplate]

	info     *protocol.DiscoverResult // result of server/discover
	tasks    bool                     // an upstream supports tasks
	required bool                     // a tool requires a task
	settled  bool                     // every upstream is ready
	stale    bool                     // an upstream sends no change notifications
	meta     json.RawMessage          // _meta of the lists, with the missing upstreams; nil if none is missing
	pageSize int
	problems map[*member][]string // features omitted because of conflicts, with the reasons
}

// toolRoute is a listed tool with its upstream.
type toolRoute struct {
	member *member
	name   string // name at the upstream
	tool   mcp.Tool
}

// promptRoute is the upstream of a listed prompt.
type promptRoute struct {
	member *member
	name   string // name at the upstream
}

// matcher matches URIs with one resource template.
type matcher struct {
	member *member
	match  *uritemplate.Matcher
}

// build creates the table of the current features of all members.
func (v *view) build() *table {
	t := &table{
		toolAt: make(map[string]*toolRoute), promptAt: make(map[string]promptRoute),
		resourceAt: make(map[string]*member), templateAt: make(map[string]*member),
		settled: true, pageSize: v.g.opts.PageSize, problems: make(map[*member][]string),
	}
	t.tools.kind, t.tools.key = "tool", func(t *mcp.Tool) string { return t.Name }
	t.tools.wrap = func(items []mcp.Tool, next string) protocol.Result {
		return &mcp.ListResult[mcp.Tool]{Items: items, NextCursor: next}
	}
	t.prompts.kind, t.prompts.key = "prompt", func(p *mcp.Prompt) string { return p.Name }
	t.prompts.wrap = func(items []mcp.Prompt, next string) protocol.Result {
		return &mcp.ListResult[mcp.Prompt]{Items: items, NextCursor: next}
	}
	t.resources.kind, t.resources.key = "resource", func(r *mcp.Resource) string { return r.URI }
	t.resources.wrap = func(items []mcp.Resource, next string) protocol.Result {
		return &mcp.ListResult[mcp.Resource]{Items: items, NextCursor: next}
	}
	t.templates.kind, t.templates.key = "template", func(r *mcp.ResourceTemplate) string { return r.URITemplate }
	t.templates.wrap = func(items []mcp.ResourceTemplate, next string) protocol.Result {
		return &mcp.ListResult[mcp.ResourceTemplate]{Items: items, NextCursor: next}
	}
	var missing []Missing
	for _, m := range v.members {
		status, lists := m.snapshot()
		if status.State != Ready {
			t.settled = false
			missing = append(missing, Missing{m.up.Name, status.reason()})
		}
		if lists == nil {
			continue
		}
		t.problems[m] = append([]string(nil), lists.problems...)
		t.stale = t.stale || !lists.told
		t.add(v, m, lists, status.hidden)
	}
	t.tools.seal()
	t.prompts.seal()
	t.resources.seal()
	t.templates.seal()
	t.meta = missingMeta(missing)
	t.info = v.describe(t)
	return t
}

func (t *table) problem(m *member, format string, args ...any) {
	if len(t.problems[m]) < maxProblems {
		t.problems[m] = append(t.problems[m], fmt.Sprintf(format, args...))
	}
}

// add adds the features of a member. A hidden member keeps its names, but is not listed.
func (t *table) add(v *view, m *member, l *lists, hidden bool) {
	prefix := m.up.prefix(v.g.opts.Separator)
	for _, tool := range l.tools {
		t.addTool(m, prefix, tool, hidden)
	}
	for _, prompt := range l.prompts {
		name := prefix + prompt.Name
		if other, taken := t.promptAt[name]; taken {
			t.problem(m, "the prompt %q is left out: %q has it already", name, other.member.up.Name)
			continue
		}
		t.promptAt[name] = promptRoute{m, prompt.Name}
		if prompt.Name = name; !hidden {
			t.prompts.items = append(t.prompts.items, prompt)
		}
	}
	for _, resource := range l.resources {
		if other := t.resourceAt[resource.URI]; other != nil {
			t.problem(m, "the resource %q is left out: %q has it already", resource.URI, other.up.Name)
			continue
		}
		if t.resourceAt[resource.URI] = m; !hidden {
			t.resources.items = append(t.resources.items, resource)
		}
	}
	for _, template := range l.templates {
		t.addTemplate(m, template, hidden)
	}
	if l.info.Capabilities.Resources != nil {
		t.readers = append(t.readers, m)
	}
}

func (t *table) addTool(m *member, prefix string, tool mcp.Tool, hidden bool) {
	own := tool.Name
	if !m.up.offers(own) {
		return
	}
	name := prefix + own
	if len(name) > maxName {
		t.problem(m, "the tool %q is left out: with its prefix the name has %d characters, more than %d", own, len(name), maxName)
		return
	}
	if other := t.toolAt[name]; other != nil {
		t.problem(m, "the tool %q is left out: %q has it already", name, other.member.up.Name)
		return
	}
	tool.Name = name
	t.required = t.required || tool.TaskSupport() == mcp.TaskRequired
	if text, ok := m.up.Describe[own]; ok {
		tool.Description = text
	}
	if t.toolAt[name] = (&toolRoute{m, own, tool}); !hidden {
		t.tools.items = append(t.tools.items, tool)
	}
}

func (t *table) addTemplate(m *member, template mcp.ResourceTemplate, hidden bool) {
	text := template.URITemplate
	if other := t.templateAt[text]; other != nil {
		t.problem(m, "the template %q is left out: %q has it already", text, other.up.Name)
		return
	}
	t.templateAt[text] = m
	if !hidden {
		t.templates.items = append(t.templates.items, template)
	}
	if parsed, err := uritemplate.Parse(text); err == nil {
		if match, err := parsed.Matcher(); err == nil {
			t.matchers = append(t.matchers, matcher{m, match})
		}
	}
}

// owners are the members that may have a resource, the likeliest first.
func (t *table) owners(uri string) []*member {
	if m := t.resourceAt[uri]; m != nil {
		return []*member{m}
	}
	var owners []*member
	seen := make(map[*member]bool)
	add := func(m *member) {
		if !seen[m] {
			seen[m] = true
			owners = append(owners, m)
		}
	}
	for _, candidate := range t.matchers {
		if _, ok := candidate.match.Match(uri); ok {
			add(candidate.member)
		}
	}
	for _, m := range t.readers {
		add(m)
	}
	return owners
}

// describe returns the description of the gateway. While upstreams are not ready, it declares all
// capabilities that they may have.
func (v *view) describe(t *table) *protocol.DiscoverResult {
	info := &protocol.DiscoverResult{Server: v.g.opts.Info, Supported: protocol.Revisions()}
	caps := &info.Capabilities
	caps.Tools = &protocol.ListCapability{ListChanged: true}
	prompts, resources, completions, unknown := false, false, false, len(v.members) == 0
	logs := false
	var text strings.Builder
	text.WriteString(v.g.opts.Instructions)
	for _, m := range v.members {
		_, l := m.snapshot()
		if l == nil {
			unknown, logs = true, true
			continue
		}
		own := l.info.Capabilities
		for id, settings := range own.Extensions {
			if id == protocol.TasksExtension {
				continue
			}
			if caps.Extensions == nil {
				caps.Extensions = make(map[string]json.RawMessage)
			}
			if _, taken := caps.Extensions[id]; !taken {
				caps.Extensions[id] = settings
			}
		}
		t.tasks = t.tasks || hasTasks(l.info, l.revision)
		logs = logs || own.Logging != nil
		prompts, resources, completions = prompts || own.Prompts != nil, resources || own.Resources != nil, completions || own.Completions != nil
		if said := l.info.Instructions; said != "" && !m.up.NoInstructions {
			if text.Len() > 0 {
				text.WriteString("\n\n")
			}
			fmt.Fprintf(&text, "The server %s says of itself:\n%s", m.up.Name, said)
		}
	}
	if prompts || unknown {
		caps.Prompts = &protocol.ListCapability{ListChanged: true}
	}
	if resources || unknown {
		caps.Resources = &protocol.ResourcesCapability{ListChanged: true, Subscribe: true}
	}
	if completions || unknown {
		caps.Completions = new(struct{})
	}
	if t.tasks {
		if caps.Extensions == nil {
			caps.Extensions = make(map[string]json.RawMessage)
		}
		caps.Extensions[protocol.TasksExtension] = json.RawMessage(`{}`)
	}
	if logs {
		caps.Logging = new(struct{})
	}
	info.Instructions = text.String()
	return info
}
