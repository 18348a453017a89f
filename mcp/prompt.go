package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Prompt is what a client sees of a prompt: a message or conversation that a
// user may choose to start with (2026-07-28, server/prompts).
type Prompt struct {
	Name        string // required, unique in a server
	Title       string // for people; since 2025-06-18
	Description string
	Arguments   []PromptArgument
	Icons       []Icon // since 2025-11-25
	Meta        Meta   // since 2025-06-18
}

// PromptArgument is a value that fills in a prompt; it is always text.
type PromptArgument struct {
	Name        string
	Title       string // for people; since 2025-06-18
	Description string
	Required    bool
}

// Role says who speaks.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    Role
	Content Content
}

// UserText is a message of the user's.
func UserText(text string) PromptMessage {
	return PromptMessage{Role: RoleUser, Content: TextContent{Text: text}}
}

// AssistantText is a message of the model's.
func AssistantText(text string) PromptMessage {
	return PromptMessage{Role: RoleAssistant, Content: TextContent{Text: text}}
}

// PromptResult is what prompts/get answers (2026-07-28, GetPromptResult).
type PromptResult struct {
	Description string // absent when empty
	Messages    []PromptMessage
	Meta        Meta

	server json.RawMessage // the server's identity, for _meta
}

// ListPromptsResult is one page of the list of prompts. Middleware that changes
// the list must put a slice of its own in Prompts.
type ListPromptsResult struct {
	Prompts    []Prompt
	NextCursor string // empty on the last page
	Cache      CacheHint

	server json.RawMessage
	page   *listPage[Prompt]
}

// appendJSON appends the prompt as it is listed in the revision.
func (p *Prompt) appendJSON(dst []byte, rev Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"name":`...), p.Name)
	if rev >= Rev20250618 {
		dst = appendOptional(dst, "title", p.Title)
	}
	dst = appendOptional(dst, "description", p.Description)
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

func (a *PromptArgument) appendJSON(dst []byte, rev Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"name":`...), a.Name)
	if rev >= Rev20250618 {
		dst = appendOptional(dst, "title", a.Title)
	}
	dst = appendOptional(dst, "description", a.Description)
	if a.Required {
		dst = append(dst, `,"required":true`...)
	}
	return append(dst, '}')
}

// UnmarshalJSON reads a prompt as any revision lists it.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	var wire struct {
		Name        string           `json:"name"`
		Title       string           `json:"title"`
		Description string           `json:"description"`
		Arguments   []PromptArgument `json:"arguments"`
		Icons       []Icon           `json:"icons"`
		Meta        Meta             `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a prompt: %w", err)
	}
	*p = Prompt(wire)
	return nil
}

// UnmarshalJSON reads an argument as any revision lists it.
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

// MarshalJSON writes the prompt as the latest revision lists it.
func (p Prompt) MarshalJSON() ([]byte, error) { return p.appendJSON(nil, Latest), nil }

// MarshalJSON writes the argument as the latest revision lists it.
func (a PromptArgument) MarshalJSON() ([]byte, error) { return a.appendJSON(nil, Latest), nil }

// appendJSON appends the message; a message without content is empty text.
func (m *PromptMessage) appendJSON(dst []byte, rev Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"role":`...), m.Role)
	content := m.Content
	if content == nil {
		content = TextContent{}
	}
	return append(content.appendContent(append(dst, `,"content":`...), rev), '}')
}

// UnmarshalJSON reads a message as any revision has it.
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

// MarshalJSON writes the message as the latest revision has it.
func (m PromptMessage) MarshalJSON() ([]byte, error) { return m.appendJSON(nil, Latest), nil }

// AppendJSON implements Result.
func (r *PromptResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
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

// UnmarshalJSON reads a result as any revision has it.
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

// AppendJSON implements Result.
func (r *ListPromptsResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	return appendList(dst, rev, r.page, listed[Prompt]{"prompts", r.Prompts, r.NextCursor, r.Cache, r.server})
}
