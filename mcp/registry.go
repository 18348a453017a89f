package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-multierror"
)

// Features is what one owner offers through a server.
type Features struct {
	Tools []ServerTool
	// ReserveTools declares the tools capability even while there are none, for
	// an owner whose tools come later.
	ReserveTools bool
}

// registry is everything that a server offers at one moment. It is immutable,
// so that a request takes no lock. What is made from it is made when it is first
// asked for: a server that registers its tools one by one makes it once.
type registry struct {
	owners []owned // in the order of their first registration
	tools  map[string]*ServerTool
	listed []*ServerTool
	caps   ServerCapabilities
	pages  func() []*toolPage
	info   func() *discovery
}

type owned struct {
	name     string
	features Features
	tools    []*ServerTool
}

// toolPage is one page of the list of tools, encoded once a revision.
type toolPage struct {
	tools []Tool
	next  string
	wire  [len(revisions)]atomic.Pointer[[]byte]
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

// replace returns the registry with what owner offers exchanged, or every
// reason why it cannot be.
func (r *registry) replace(owner string, f Features, s *Server) (*registry, error) {
	offer := owned{name: owner, features: f}
	for _, t := range f.Tools {
		offer.tools = append(offer.tools, &t)
	}
	next := &registry{owners: slices.Clone(r.owners)}
	var problems *multierror.Error
	i := slices.IndexFunc(next.owners, func(o owned) bool { return o.name == owner })
	if i < 0 {
		// The usual case, while a server is put together: only additions.
		next.tools, next.listed = maps.Clone(r.tools), slices.Clip(r.listed)
		next.owners = append(next.owners, offer)
		problems = next.offer(offer, problems)
	} else {
		next.owners[i] = offer
		for _, o := range next.owners {
			problems = next.offer(o, problems)
		}
	}
	if problems.ErrorOrNil() != nil {
		problems.ErrorFormat = oneLine
		return nil, problems
	}
	reserved := slices.ContainsFunc(next.owners, func(o owned) bool { return o.features.ReserveTools })
	next.finish(reserved, s)
	return next, nil
}

// offer adds what an owner offers, and what is wrong with it to problems.
func (r *registry) offer(o owned, problems *multierror.Error) *multierror.Error {
	if r.tools == nil {
		r.tools = make(map[string]*ServerTool, len(o.tools))
	}
	for _, t := range o.tools {
		if t.err != nil {
			problems = multierror.Append(problems, t.err)
			continue
		}
		if _, taken := r.tools[t.tool.Name]; taken {
			problems = multierror.Append(problems, fmt.Errorf("tool %q is offered by %q and by %q", t.tool.Name, r.ownerOf(t.tool.Name), o.name))
			continue
		}
		r.add(t)
	}
	return problems
}

// ownerOf is the first owner who offers a tool.
func (r *registry) ownerOf(tool string) string {
	i := slices.IndexFunc(r.owners, func(o owned) bool {
		return slices.ContainsFunc(o.tools, func(t *ServerTool) bool { return t.tool.Name == tool })
	})
	return r.owners[i].name
}

func oneLine(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (r *registry) add(t *ServerTool) {
	r.tools[t.tool.Name] = t
	if !t.opts.Unlisted {
		r.listed = append(r.listed, t)
	}
}

func (r *registry) finish(reserved bool, s *Server) {
	r.caps = ServerCapabilities{Logging: &struct{}{}}
	if len(r.tools) > 0 || reserved {
		r.caps.Tools = &ListCapability{ListChanged: true}
	}
	r.pages = sync.OnceValue(func() []*toolPage { return r.paginate(s.opts.PageSize) })
	r.info = sync.OnceValue(func() *discovery {
		info := &discovery{result: DiscoverResult{
			Server: s.info, Supported: Revisions(), Capabilities: r.caps, Instructions: s.opts.Instructions, Cache: s.opts.Cache,
		}}
		info.wire, _ = info.result.AppendJSON(nil, Latest)
		return info
	})
}

func (r *registry) paginate(size int) []*toolPage {
	pages := []*toolPage{r.pageAt(0, size)}
	for start := size; start < len(r.listed); start += size {
		pages = append(pages, r.pageAt(start, size))
	}
	return pages
}

// pageAt makes the page that begins with the tool at start.
func (r *registry) pageAt(start, size int) *toolPage {
	end := min(start+size, len(r.listed))
	page := &toolPage{tools: make([]Tool, 0, end-start)}
	for _, t := range r.listed[start:end] {
		page.tools = append(page.tools, t.tool)
	}
	if end < len(r.listed) {
		page.next = cursorAfter(r.listed[end-1].tool.Name)
	}
	return page
}

// sameList reports whether two registries list the same to a client.
func (r *registry) sameList(other *registry) bool {
	return slices.EqualFunc(r.listed, other.listed, func(a, b *ServerTool) bool {
		return a == b || string(a.tool.appendJSON(nil, Latest)) == string(b.tool.appendJSON(nil, Latest))
	})
}

// cursorAfter names the place after a tool: it stays right when tools before it
// come and go.
func cursorAfter(name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("after:" + name))
}

// page finds the page that a cursor asks for. The empty cursor is the start.
func (r *registry) page(cursor string) (*toolPage, error) {
	pages := r.pages()
	if cursor == "" {
		return pages[0], nil
	}
	for i, page := range pages[:len(pages)-1] {
		if page.next == cursor {
			return pages[i+1], nil
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	name, ok := strings.CutPrefix(string(raw), "after:")
	if err != nil || !ok {
		return nil, Errorf(CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	i := slices.IndexFunc(r.listed, func(t *ServerTool) bool { return t.tool.Name == name })
	if i < 0 {
		return nil, Errorf(CodeInvalidParams, "Invalid params: the list has changed since the cursor was given; list again from the start")
	}
	return r.pageAt(i+1, max(len(pages[0].tools), 1)), nil
}

// encoded is the page as the revision has it.
func (p *toolPage) encoded(rev Revision, cache CacheHint, server json.RawMessage) ([]byte, error) {
	i := rev.index()
	if i < 0 {
		i = 0
	}
	if wire := p.wire[i].Load(); wire != nil {
		return *wire, nil
	}
	result := ListToolsResult{Tools: p.tools, NextCursor: p.next, Cache: cache, server: server}
	wire, err := result.AppendJSON(nil, rev)
	if err == nil {
		p.wire[i].Store(&wire)
	}
	return wire, err
}
