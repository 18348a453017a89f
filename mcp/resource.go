package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Resource is what a client sees of a resource: something that it may read by
// its URI (2026-07-28, server/resources).
type Resource struct {
	URI         string // absolute, unique in a server
	Name        string // required
	Title       string // for people; since 2025-06-18
	Description string
	MIMEType    string
	Size        *int64 // in bytes, before any encoding; nil when not known
	Annotations *Annotations
	Icons       []Icon // since 2025-11-25
	Meta        Meta   // since 2025-06-18
}

// ResourceTemplate is what a client sees of a family of resources whose URIs
// have one form (2026-07-28, server/resources, "Resource Templates").
type ResourceTemplate struct {
	URITemplate string // RFC 6570, such as "file:///{+path}"
	Name        string // required
	Title       string // for people; since 2025-06-18
	Description string
	MIMEType    string // when it is the same for all of them
	Annotations *Annotations
	Icons       []Icon // since 2025-11-25
	Meta        Meta   // since 2025-06-18
}

// ReadResult is what resources/read answers (2026-07-28, ReadResourceResult):
// one or more contents, such as the files of a directory.
type ReadResult struct {
	Contents []ResourceContents
	Cache    CacheHint
	Meta     Meta

	server json.RawMessage // the server's identity, for _meta
}

// ListResourcesResult is one page of the list of resources. Middleware that
// changes the list must put a slice of its own in Resources.
type ListResourcesResult struct {
	Resources  []Resource
	NextCursor string // empty on the last page
	Cache      CacheHint

	server json.RawMessage
	page   *listPage[Resource] // whose encoding holds as long as the result is not changed
}

// ListTemplatesResult is one page of the list of resource templates. Middleware
// that changes the list must put a slice of its own in Templates.
type ListTemplatesResult struct {
	Templates  []ResourceTemplate
	NextCursor string // empty on the last page
	Cache      CacheHint

	server json.RawMessage
	page   *listPage[ResourceTemplate]
}

// Link is the resource as a block of content that names it.
func (r Resource) Link() ResourceLink { return ResourceLink(r) }

// appendJSON appends the resource as it is listed in the revision.
func (r *Resource) appendJSON(dst []byte, rev Revision) []byte {
	return r.appendMembers(append(dst, '{'), rev)
}

// appendMembers appends the members of a resource and the brace that ends it.
func (r *Resource) appendMembers(dst []byte, rev Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `"uri":`...), r.URI)
	dst = appendNames(dst, rev, r.Name, r.Title, r.Description)
	dst = appendOptional(dst, "mimeType", r.MIMEType)
	if r.Size != nil {
		dst = fmt.Appendf(dst, `,"size":%d`, *r.Size)
	}
	return appendExtras(appendIcons(dst, rev, r.Icons), r.Annotations, r.Meta, rev)
}

// appendJSON appends the template as it is listed in the revision.
func (t *ResourceTemplate) appendJSON(dst []byte, rev Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"uriTemplate":`...), t.URITemplate)
	dst = appendNames(dst, rev, t.Name, t.Title, t.Description)
	dst = appendOptional(dst, "mimeType", t.MIMEType)
	return appendExtras(appendIcons(dst, rev, t.Icons), t.Annotations, t.Meta, rev)
}

// appendNames appends the names that everything in a list has.
func appendNames(dst []byte, rev Revision, name, title, description string) []byte {
	dst = appendMember(dst, "name", name)
	if rev >= Rev20250618 {
		dst = appendOptional(dst, "title", title)
	}
	return appendOptional(dst, "description", description)
}

func appendIcons(dst []byte, rev Revision, icons []Icon) []byte {
	if icons == nil || rev < Rev20251125 {
		return dst
	}
	return mustMarshal(append(dst, `,"icons":`...), icons)
}

// UnmarshalJSON reads a resource as any revision lists it.
func (r *Resource) UnmarshalJSON(data []byte) error {
	var wire struct {
		URI         string       `json:"uri"`
		Name        string       `json:"name"`
		Title       string       `json:"title"`
		Description string       `json:"description"`
		MIMEType    string       `json:"mimeType"`
		Size        *int64       `json:"size"`
		Annotations *Annotations `json:"annotations"`
		Icons       []Icon       `json:"icons"`
		Meta        Meta         `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a resource: %w", err)
	}
	*r = Resource(wire)
	return nil
}

// MarshalJSON writes the resource as the latest revision lists it.
func (r Resource) MarshalJSON() ([]byte, error) { return r.appendJSON(nil, Latest), nil }

// UnmarshalJSON reads a template as any revision lists it.
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error {
	var wire struct {
		URITemplate string       `json:"uriTemplate"`
		Name        string       `json:"name"`
		Title       string       `json:"title"`
		Description string       `json:"description"`
		MIMEType    string       `json:"mimeType"`
		Annotations *Annotations `json:"annotations"`
		Icons       []Icon       `json:"icons"`
		Meta        Meta         `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a resource template: %w", err)
	}
	*t = ResourceTemplate(wire)
	return nil
}

// MarshalJSON writes the template as the latest revision lists it.
func (t ResourceTemplate) MarshalJSON() ([]byte, error) { return t.appendJSON(nil, Latest), nil }

// UnmarshalJSON reads contents as any revision has them.
func (r *ResourceContents) UnmarshalJSON(data []byte) error {
	var wire struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     []byte `json:"blob"`
		Meta     Meta   `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading the contents of a resource: %w", err)
	}
	*r = ResourceContents(wire)
	return nil
}

// MarshalJSON writes the contents as the latest revision has them.
func (r ResourceContents) MarshalJSON() ([]byte, error) { return r.appendJSON(nil, Latest), nil }

// AppendJSON implements Result.
func (r *ReadResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"contents":[`...)
	for i := range r.Contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.Contents[i].appendJSON(dst, rev)
	}
	dst = r.Cache.appendTo(append(dst, ']'), rev)
	dst, err := appendResultMeta(dst, r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// UnmarshalJSON reads a result as any revision has it.
func (r *ReadResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Contents []ResourceContents `json:"contents"`
		TTL      int64              `json:"ttlMs"`
		Scope    string             `json:"cacheScope"`
		Meta     Meta               `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading the result of resources/read: %w", err)
	}
	*r = ReadResult{Contents: wire.Contents, Cache: CacheHint{TTLMillis: wire.TTL, Public: wire.Scope == "public"}, Meta: wire.Meta}
	return nil
}

// AppendJSON implements Result.
func (r *ListResourcesResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	return appendList(dst, rev, r.page, listed[Resource]{"resources", r.Resources, r.NextCursor, r.Cache, r.server})
}

// AppendJSON implements Result.
func (r *ListTemplatesResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	return appendList(dst, rev, r.page, listed[ResourceTemplate]{"resourceTemplates", r.Templates, r.NextCursor, r.Cache, r.server})
}
