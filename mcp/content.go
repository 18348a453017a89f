package mcp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Content is one block of a result or message: TextContent, ImageContent, AudioContent,
// ResourceLink, EmbeddedResource, or UnknownContent.
type Content interface {
	// appendContent appends the block in the form of rev. A block type that rev lacks becomes text.
	appendContent(dst []byte, rev protocol.Revision) []byte
}

// Annotations describe the audience and the importance of a block.
type Annotations struct {
	Audience     []string `json:"audience,omitempty"`     // Audience lists "user", "assistant" or both.
	Priority     *float64 `json:"priority,omitempty"`     // Priority is between 0 and 1; 1 is the most important.
	LastModified string   `json:"lastModified,omitempty"` // LastModified is a time of RFC 3339; since 2025-06-18.
}

// TextContent is a block of text.
type TextContent struct {
	Text        string       // Text is the text.
	Annotations *Annotations // Annotations may be nil.
	Meta        Meta         // Meta is the _meta of the block.
}

// ImageContent is an image.
type ImageContent struct {
	Data        []byte       // Data is the image, without base64.
	MIMEType    string       // MIMEType is the media type, for example "image/png".
	Annotations *Annotations // Annotations may be nil.
	Meta        Meta         // Meta is the _meta of the block.
}

// AudioContent is a sound recording. Revisions before 2025-03-26 receive a line of text in its
// place.
type AudioContent struct {
	Data        []byte       // Data is the recording, without base64.
	MIMEType    string       // MIMEType is the media type, for example "audio/wav".
	Annotations *Annotations // Annotations may be nil.
	Meta        Meta         // Meta is the _meta of the block.
}

// ResourceLink refers to a resource that the client may read. Revisions before 2025-06-18 receive
// its name and URI as text.
type ResourceLink struct {
	URI         string          // URI identifies the resource.
	Name        string          // Name is the name of the resource.
	Title       string          // Title is a name for people.
	Description string          // Description explains the resource to the model.
	MIMEType    string          // MIMEType is the media type, if known.
	Size        *int64          // Size is the size in bytes; nil if unknown.
	Annotations *Annotations    // Annotations may be nil.
	Icons       []protocol.Icon // Icons exist since 2025-11-25.
	Meta        Meta            // Meta is the _meta of the block.
}

// EmbeddedResource is a block with the contents of a resource.
type EmbeddedResource struct {
	Resource    ResourceContents // Resource holds the contents.
	Annotations *Annotations     // Annotations may be nil.
	Meta        Meta             // Meta is the _meta of the block.
}

// ResourceContents holds the contents of a resource as text or as bytes.
type ResourceContents struct {
	URI      string // URI identifies the resource or a part of it.
	MIMEType string // MIMEType is the media type, if known.
	Text     string // Text is the content if Blob is nil.
	Blob     []byte // Blob is binary content, without base64.
	Meta     Meta   // Meta is the _meta of the contents.
}

// UnknownContent is a received block of an unknown type, preserved as Raw.
type UnknownContent struct{ Raw json.RawMessage }

func (c TextContent) appendContent(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = jsonx.AppendQuoted(dst, c.Text)
	return appendExtras(dst, c.Annotations, c.Meta, rev)
}

func (c ImageContent) appendContent(dst []byte, rev protocol.Revision) []byte {
	return appendMedia(dst, "image", c.Data, c.MIMEType, c.Annotations, c.Meta, rev)
}

func (c AudioContent) appendContent(dst []byte, rev protocol.Revision) []byte {
	if rev < protocol.Rev20250326 {
		text := fmt.Sprintf("[%d bytes of %s, which this revision of the protocol cannot carry]", len(c.Data), c.MIMEType)
		return TextContent{Text: text}.appendContent(dst, rev)
	}
	return appendMedia(dst, "audio", c.Data, c.MIMEType, c.Annotations, c.Meta, rev)
}

// appendMedia appends an image or a sound recording as a block of type kind.
func appendMedia(dst []byte, kind string, data []byte, mime string, a *Annotations, meta Meta, rev protocol.Revision) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","data":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","mimeType":`...)
	dst = jsonx.AppendQuoted(dst, mime)
	return appendExtras(dst, a, meta, rev)
}

func (c ResourceLink) appendContent(dst []byte, rev protocol.Revision) []byte {
	if rev < protocol.Rev20250618 {
		return TextContent{Text: c.Name + ": " + c.URI}.appendContent(dst, rev)
	}
	r := Resource(c)
	return r.appendMembers(append(dst, `{"type":"resource_link",`...), rev)
}

func (c EmbeddedResource) appendContent(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, `{"type":"resource","resource":`...)
	dst = c.Resource.appendJSON(dst, rev)
	return appendExtras(dst, c.Annotations, c.Meta, rev)
}

func (c UnknownContent) appendContent(dst []byte, _ protocol.Revision) []byte {
	return append(dst, c.Raw...)
}

func (r ResourceContents) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, `{"uri":`...)
	dst = jsonx.AppendQuoted(dst, r.URI)
	dst = jsonx.AppendOptional(dst, "mimeType", r.MIMEType)
	if r.Blob != nil {
		dst = append(dst, `,"blob":"`...)
		dst = append(base64.StdEncoding.AppendEncode(dst, r.Blob), '"')
	} else {
		dst = appendMember(dst, "text", r.Text)
	}
	return appendExtras(dst, nil, r.Meta, rev)
}

// appendExtras appends annotations and _meta as far as rev has them, and closes the object.
func appendExtras(dst []byte, a *Annotations, meta Meta, rev protocol.Revision) []byte {
	if a != nil {
		shown := *a
		if rev < protocol.Rev20250618 {
			shown.LastModified = ""
		}
		dst = mustMarshal(append(dst, `,"annotations":`...), shown)
	}
	if meta != nil && rev >= protocol.Rev20250618 {
		dst = mustMarshal(append(dst, `,"_meta":`...), meta)
	}
	return append(dst, '}')
}

// appendMember appends a comma and a member with a string value.
func appendMember(dst []byte, name, value string) []byte { return jsonx.AppendMember(dst, name, value) }

// appendContents appends a JSON array of blocks.
func appendContents(dst []byte, blocks []Content, rev protocol.Revision) []byte {
	dst = append(dst, '[')
	for i, block := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = block.appendContent(dst, rev)
	}
	return append(dst, ']')
}

// wireContent has the members of all block types.
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
	Icons       []protocol.Icon `json:"icons"`
	Resource    json.RawMessage `json:"resource"`
	Annotations *Annotations    `json:"annotations"`
	Meta        Meta            `json:"_meta"`
}

// parseContent decodes one block. A block of an unknown type becomes UnknownContent.
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

// parseEmbedded decodes a block of type resource.
func parseEmbedded(w wireContent) (Content, error) {
	var contents ResourceContents
	var misplaced struct {
		Annotations *Annotations `json:"annotations"` // some servers put the annotations into the resource
	}
	if err := errors.Join(unmarshal(w.Resource, &contents), unmarshal(w.Resource, &misplaced)); err != nil {
		return nil, fmt.Errorf("reading an embedded resource: %w", err)
	}
	if w.Annotations == nil {
		w.Annotations = misplaced.Annotations
	}
	return EmbeddedResource{contents, w.Annotations, w.Meta}, nil
}
