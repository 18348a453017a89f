package mcp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Content is one block of what a tool or prompt says: TextContent,
// ImageContent, AudioContent, ResourceLink, EmbeddedResource, or
// UnknownContent.
type Content interface {
	// appendContent appends the block as the revision has it; what a revision
	// does not have becomes text.
	appendContent(dst []byte, rev Revision) []byte
}

// Annotations tell whom a block is for and how much it matters.
type Annotations struct {
	Audience     []string `json:"audience,omitempty"`     // "user", "assistant"
	Priority     *float64 `json:"priority,omitempty"`     // 0 … 1
	LastModified string   `json:"lastModified,omitempty"` // RFC 3339; since 2025-06-18
}

// TextContent is text.
type TextContent struct {
	Text        string
	Annotations *Annotations
	Meta        Meta
}

// ImageContent is an image.
type ImageContent struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// AudioContent is sound. It exists since 2025-03-26.
type AudioContent struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// ResourceLink names a resource that the client may read. It exists since
// 2025-06-18.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64 // in bytes, when known
	Annotations *Annotations
	Icons       []Icon
	Meta        Meta
}

// EmbeddedResource is the contents of a resource.
type EmbeddedResource struct {
	Resource    ResourceContents
	Annotations *Annotations
	Meta        Meta
}

// ResourceContents is text, or bytes when Blob is not nil.
type ResourceContents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte
	Meta     Meta
}

// UnknownContent is a received block of a type that is not known here, kept as
// it came.
type UnknownContent struct{ Raw json.RawMessage }

func (c TextContent) appendContent(dst []byte, rev Revision) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = jsonx.AppendQuoted(dst, c.Text)
	return appendExtras(dst, c.Annotations, c.Meta, rev)
}

func (c ImageContent) appendContent(dst []byte, rev Revision) []byte {
	return appendMedia(dst, "image", c.Data, c.MIMEType, c.Annotations, c.Meta, rev)
}

func (c AudioContent) appendContent(dst []byte, rev Revision) []byte {
	if rev < Rev20250326 {
		text := fmt.Sprintf("[%d bytes of %s, which this revision of the protocol cannot carry]", len(c.Data), c.MIMEType)
		return TextContent{Text: text}.appendContent(dst, rev)
	}
	return appendMedia(dst, "audio", c.Data, c.MIMEType, c.Annotations, c.Meta, rev)
}

func appendMedia(dst []byte, kind string, data []byte, mime string, a *Annotations, meta Meta, rev Revision) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","data":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","mimeType":`...)
	dst = jsonx.AppendQuoted(dst, mime)
	return appendExtras(dst, a, meta, rev)
}

func (c ResourceLink) appendContent(dst []byte, rev Revision) []byte {
	if rev < Rev20250618 {
		return TextContent{Text: c.Name + ": " + c.URI}.appendContent(dst, rev)
	}
	r := Resource(c)
	return r.appendMembers(append(dst, `{"type":"resource_link",`...), rev)
}

func (c EmbeddedResource) appendContent(dst []byte, rev Revision) []byte {
	dst = append(dst, `{"type":"resource","resource":`...)
	dst = c.Resource.appendJSON(dst, rev)
	return appendExtras(dst, c.Annotations, c.Meta, rev)
}

func (c UnknownContent) appendContent(dst []byte, _ Revision) []byte { return append(dst, c.Raw...) }

func (r ResourceContents) appendJSON(dst []byte, rev Revision) []byte {
	dst = append(dst, `{"uri":`...)
	dst = jsonx.AppendQuoted(dst, r.URI)
	dst = appendOptional(dst, "mimeType", r.MIMEType)
	if r.Blob != nil {
		dst = append(dst, `,"blob":"`...)
		dst = append(base64.StdEncoding.AppendEncode(dst, r.Blob), '"')
	} else {
		dst = appendMember(dst, "text", r.Text)
	}
	return appendExtras(dst, nil, r.Meta, rev)
}

// appendExtras ends a block.
func appendExtras(dst []byte, a *Annotations, meta Meta, rev Revision) []byte {
	if a != nil {
		shown := *a
		if rev < Rev20250618 {
			shown.LastModified = ""
		}
		dst = mustMarshal(append(dst, `,"annotations":`...), shown)
	}
	if meta != nil && rev >= Rev20250618 {
		dst = mustMarshal(append(dst, `,"_meta":`...), meta)
	}
	return append(dst, '}')
}

func appendMember(dst []byte, name, value string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return jsonx.AppendQuoted(dst, value)
}

func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendMember(dst, name, value)
}

func appendContents(dst []byte, blocks []Content, rev Revision) []byte {
	dst = append(dst, '[')
	for i, block := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = block.appendContent(dst, rev)
	}
	return append(dst, ']')
}

// wireContent has the members of every type of block.
type wireContent struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Data        []byte          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Size        *int64          `json:"size"`
	Icons       []Icon          `json:"icons"`
	Resource    json.RawMessage `json:"resource"`
	Annotations *Annotations    `json:"annotations"`
	Meta        Meta            `json:"_meta"`
}

// parseContent reads one block.
func parseContent(raw json.RawMessage) (Content, error) {
	var w wireContent
	if err := unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading a content block: %w", err)
	}
	switch w.Type {
	case "text":
		return TextContent{w.Text, w.Annotations, w.Meta}, nil
	case "image":
		return ImageContent{w.Data, w.MIMEType, w.Annotations, w.Meta}, nil
	case "audio":
		return AudioContent{w.Data, w.MIMEType, w.Annotations, w.Meta}, nil
	case "resource_link":
		return ResourceLink{w.URI, w.Name, w.Title, w.Description, w.MIMEType, w.Size, w.Annotations, w.Icons, w.Meta}, nil
	case "resource":
		return parseEmbedded(w)
	}
	return UnknownContent{Raw: raw}, nil
}

func parseEmbedded(w wireContent) (Content, error) {
	var contents ResourceContents
	var misplaced struct {
		Annotations *Annotations `json:"annotations"` // some servers put them here
	}
	if err := errors.Join(unmarshal(w.Resource, &contents), unmarshal(w.Resource, &misplaced)); err != nil {
		return nil, fmt.Errorf("reading an embedded resource: %w", err)
	}
	if w.Annotations == nil {
		w.Annotations = misplaced.Annotations
	}
	return EmbeddedResource{contents, w.Annotations, w.Meta}, nil
}
