package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Prompt is the public description of a prompt: a message or conversation with which a user can
// start (2026-07-28, server/prompts).
type Prompt struct {
	Name        string           // Name is required and unique in a server.
	Title       string           // Title is a name for people; since 2025-06-18.
	Description string           // Description explains the prompt.
	Arguments   []PromptArgument // Arguments are the values that fill in the prompt.
	Icons       []protocol.Icon  // Icons exist since 2025-11-25.
	Meta        Meta             // Meta exists since 2025-06-18.
}

// PromptArgument is a text value that fills in a prompt.
type PromptArgument struct {
	Name        string // Name is unique in the prompt.
	Title       string // Title is a name for people; since 2025-06-18.
	Description string // Description explains the argument.
	Required    bool   // Required means that clients must send a value.
}

// Role is the author of a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    Role    // Role is the author.
	Content Content // Content is the text or other content; nil means empty text.
}

// UserText returns a text message of the user.
func UserText(text string) PromptMessage {
	return PromptMessage{Role: RoleUser, Content: TextContent{Text: text}}
}

// AssistantText returns a text message of the model.
func AssistantText(text string) PromptMessage {
	return PromptMessage{Role: RoleAssistant, Content: TextContent{Text: text}}
}

// PromptResult is the result of prompts/get (2026-07-28, GetPromptResult).
type PromptResult struct {
	Description string          // Description is optional.
	Messages    []PromptMessage // Messages is the conversation.
	Meta        Meta            // Meta is the _meta of the result.

	server json.RawMessage // server identity, for _meta
}

// appendJSON appends the list item of the prompt in revision rev.
func (p *Prompt) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"name":`...), p.Name)
	if rev >= protocol.Rev20250618 {
		dst = jsonx.AppendOptional(dst, "title", p.Title)
	}
	dst = jsonx.AppendOptional(dst, "description", p.Description)
	if len(p.Arguments) > 0 {
		dst = append(dst, `,"arguments":[`...)
		for i := range p.Arguments {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.Arguments[i].appendJSON(dst, rev)
		}
		dst = append(dst, ']')
	}
	return appendExtras(appendIcons(dst, rev, p.Icons), nil, p.Meta, rev)
}

// appendJSON appends the argument in the form of revision rev.
func (a *PromptArgument) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"name":`...), a.Name)
	if rev >= protocol.Rev20250618 {
		dst = jsonx.AppendOptional(dst, "title", a.Title)
	}
	dst = jsonx.AppendOptional(dst, "description", a.Description)
	if a.Required {
		dst = append(dst, `,"required":true`...)
	}
	return append(dst, '}')
}

// UnmarshalJSON decodes a list item of any revision.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	var wire struct {
		Name        string           `json:"name"`
		Title       string           `json:"title"`
		Description string           `json:"description"`
		Arguments   []PromptArgument `json:"arguments"`
		Icons       []protocol.Icon  `json:"icons"`
		Meta        Meta             `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a prompt: %w", err)
	}
	*p = Prompt(wire)
	return nil
}

// UnmarshalJSON decodes an argument of any revision.
func (a *PromptArgument) UnmarshalJSON(data []byte) error {
	var wire struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading an argument of a prompt: %w", err)
	}
	*a = PromptArgument(wire)
	return nil
}

// MarshalJSON encodes the prompt as in a list of the latest revision.
func (p Prompt) MarshalJSON() ([]byte, error) { return p.appendJSON(nil, protocol.Latest), nil }

// MarshalJSON encodes the argument as in a list of the latest revision.
func (a PromptArgument) MarshalJSON() ([]byte, error) { return a.appendJSON(nil, protocol.Latest), nil }

// appendJSON appends the message; a message without content is empty text.
func (m *PromptMessage) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"role":`...), m.Role)
	content := m.Content
	if content == nil {
		content = TextContent{}
	}
	return append(content.appendContent(append(dst, `,"content":`...), rev), '}')
}

// UnmarshalJSON decodes a message of any revision.
func (m *PromptMessage) UnmarshalJSON(data []byte) error {
	var wire struct {
		Role    Role            `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	err := unmarshal(data, &wire)
	if err == nil {
		m.Role = wire.Role
		m.Content, err = parseContent(wire.Content)
	}
	if err != nil {
		return fmt.Errorf("reading a message of a prompt: %w", err)
	}
	return nil
}

// MarshalJSON encodes the message in the latest revision.
func (m PromptMessage) MarshalJSON() ([]byte, error) { return m.appendJSON(nil, protocol.Latest), nil }

// AppendJSON implements protocol.Result.
func (r *PromptResult) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst = openResult(dst, rev)
	if r.Description != "" {
		dst = jsonx.AppendQuoted(append(dst, `"description":`...), r.Description)
		dst = append(dst, ',')
	}
	dst = append(dst, `"messages":[`...)
	for i := range r.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.Messages[i].appendJSON(dst, rev)
	}
	dst, err := appendResultMeta(append(dst, ']'), r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// UnmarshalJSON decodes a result of any revision.
func (r *PromptResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Description string          `json:"description"`
		Messages    []PromptMessage `json:"messages"`
		Meta        Meta            `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading the result of prompts/get: %w", err)
	}
	*r = PromptResult{Description: wire.Description, Messages: wire.Messages, Meta: wire.Meta}
	return nil
}
