package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Resource is the public description of a resource: data that a client reads by its URI
// (2026-07-28, server/resources).
type Resource struct {
	URI         string          // URI is absolute and unique in a server.
	Name        string          // Name is required.
	Title       string          // Title is a name for people; since 2025-06-18.
	Description string          // Description explains the resource to the model.
	MIMEType    string          // MIMEType is the media type, if known.
	Size        *int64          // Size is the size in bytes before any encoding; nil if unknown.
	Annotations *Annotations    // Annotations may be nil.
	Icons       []protocol.Icon // Icons exist since 2025-11-25.
	Meta        Meta            // Meta exists since 2025-06-18.
}

// ResourceTemplate is the public description of a family of resources with URIs of the same form
// (2026-07-28, server/resources, "Resource Templates").
type ResourceTemplate struct {
	URITemplate string          // URITemplate is a template of RFC 6570, for example "file:///{+path}".
	Name        string          // Name is required.
	Title       string          // Title is a name for people; since 2025-06-18.
	Description string          // Description explains the resources to the model.
	MIMEType    string          // MIMEType is the media type if all resources have the same.
	Annotations *Annotations    // Annotations may be nil.
	Icons       []protocol.Icon // Icons exist since 2025-11-25.
	Meta        Meta            // Meta exists since 2025-06-18.
}

// ReadResult is the result of resources/read (2026-07-28, ReadResourceResult).
type ReadResult struct {
	Contents []ResourceContents // Contents has one or more elements, for example the files of a directory.
	Cache    protocol.CacheHint // Cache is the cache hint for clients.
	Meta     Meta               // Meta is the _meta of the result.

	server json.RawMessage // server identity, for _meta
}

// Link returns a content block that refers to the resource.
func (r Resource) Link() ResourceLink { return ResourceLink(r) }

// appendJSON appends the list item of the resource in revision rev.
func (r *Resource) appendJSON(dst []byte, rev protocol.Revision) []byte {
	return r.appendMembers(append(dst, '{'), rev)
}

// appendMembers appends the members of a resource and the closing brace.
func (r *Resource) appendMembers(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `"uri":`...), r.URI)
	dst = appendNames(dst, rev, r.Name, r.Title, r.Description)
	dst = jsonx.AppendOptional(dst, "mimeType", r.MIMEType)
	if r.Size != nil {
		dst = fmt.Appendf(dst, `,"size":%d`, *r.Size)
	}
	return appendExtras(appendIcons(dst, rev, r.Icons), r.Annotations, r.Meta, rev)
}

// appendJSON appends the list item of the template in revision rev.
func (t *ResourceTemplate) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"uriTemplate":`...), t.URITemplate)
	dst = appendNames(dst, rev, t.Name, t.Title, t.Description)
	dst = jsonx.AppendOptional(dst, "mimeType", t.MIMEType)
	return appendExtras(appendIcons(dst, rev, t.Icons), t.Annotations, t.Meta, rev)
}

// appendNames appends name, title and description as far as rev has them.
func appendNames(dst []byte, rev protocol.Revision, name, title, description string) []byte {
	dst = appendMember(dst, "name", name)
	if rev >= protocol.Rev20250618 {
		dst = jsonx.AppendOptional(dst, "title", title)
	}
	return jsonx.AppendOptional(dst, "description", description)
}

// appendIcons appends the icons if rev has them.
func appendIcons(dst []byte, rev protocol.Revision, icons []protocol.Icon) []byte {
	if icons == nil || rev < protocol.Rev20251125 {
		return dst
	}
	return mustMarshal(append(dst, `,"icons":`...), icons)
}

// UnmarshalJSON decodes a list item of any revision.
func (r *Resource) UnmarshalJSON(data []byte) error {
	var wire struct {
		URI         string          `json:"uri"`
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		MIMEType    string          `json:"mimeType"`
		Size        *int64          `json:"size"`
		Annotations *Annotations    `json:"annotations"`
		Icons       []protocol.Icon `json:"icons"`
		Meta        Meta            `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a resource: %w", err)
	}
	*r = Resource(wire)
	return nil
}

// MarshalJSON encodes the resource as in a list of the latest revision.
func (r Resource) MarshalJSON() ([]byte, error) { return r.appendJSON(nil, protocol.Latest), nil }

// UnmarshalJSON decodes a list item of any revision.
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error {
	var wire struct {
		URITemplate string          `json:"uriTemplate"`
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		MIMEType    string          `json:"mimeType"`
		Annotations *Annotations    `json:"annotations"`
		Icons       []protocol.Icon `json:"icons"`
		Meta        Meta            `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a resource template: %w", err)
	}
	*t = ResourceTemplate(wire)
	return nil
}

// MarshalJSON encodes the template as in a list of the latest revision.
func (t ResourceTemplate) MarshalJSON() ([]byte, error) {
	return t.appendJSON(nil, protocol.Latest), nil
}

// UnmarshalJSON decodes contents of any revision.
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

// MarshalJSON encodes the contents in the latest revision.
func (r ResourceContents) MarshalJSON() ([]byte, error) {
	return r.appendJSON(nil, protocol.Latest), nil
}

// AppendJSON implements protocol.Result.
func (r *ReadResult) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"contents":[`...)
	for i := range r.Contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.Contents[i].appendJSON(dst, rev)
	}
	dst = r.Cache.AppendMembers(append(dst, ']'), rev)
	dst, err := appendResultMeta(dst, r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// UnmarshalJSON decodes a result of any revision.
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
	*r = ReadResult{Contents: wire.Contents, Cache: protocol.CacheHint{TTLMillis: wire.TTL, Public: wire.Scope == "public"}, Meta: wire.Meta}
	return nil
}
