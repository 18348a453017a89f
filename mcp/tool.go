package mcp

import (
	"encoding/json"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Tool is the public description of a tool (2026-07-28, server/tools).
type Tool struct {
	// Name has 1–128 characters of A–Z a–z 0–9 _ - and dot, and is unique in a server.
	Name        string
	Title       string // Title is a name for people; since 2025-06-18.
	Description string // Description explains the tool to the model.
	// InputSchema is the JSON Schema of the arguments. NewTool derives it from the type of the
	// arguments; NewRawTool requires it.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage  // OutputSchema is the JSON Schema of the result; since 2025-06-18.
	Annotations  *ToolAnnotations // Annotations are hints about the effects; may be nil.
	Icons        []protocol.Icon  // Icons exist since 2025-11-25.
	Meta         Meta             // Meta is the _meta of the tool.

	task TaskSupport // 2025-11-25 only
}

// TaskSupport returns execution.taskSupport of a tool in revision 2025-11-25. It is empty if calls
// cannot be tasks, and in all other revisions (2025-11-25, server/tools).
func (t Tool) TaskSupport() TaskSupport { return t.task }

// WithTaskSupport returns a copy that is listed with another TaskSupport. For a ServerTool use
// ToolOptions.Task.
func (t Tool) WithTaskSupport(s TaskSupport) Tool {
	t.task = s
	return t
}

// ToolAnnotations are hints about the effects of a tool. A server makes them up, so a client must
// not rely on them for safety. Nil selects the default of a hint.
type ToolAnnotations struct {
	Title       string `json:"title,omitempty"`           // Title is a name for people.
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`    // ReadOnly: the tool changes nothing. Default false.
	Destructive *bool  `json:"destructiveHint,omitempty"` // Destructive: the tool may delete or overwrite data. Default true.
	Idempotent  *bool  `json:"idempotentHint,omitempty"`  // Idempotent: a repeated call has no further effect. Default false.
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`   // OpenWorld: the tool reaches systems outside the server. Default true.
}

// ReadOnly returns annotations for a tool that changes nothing and reaches nothing outside the
// server.
func ReadOnly() *ToolAnnotations {
	return &ToolAnnotations{ReadOnly: new(true), OpenWorld: new(false)}
}

// Destructive returns annotations for a tool that may delete or overwrite data, inside the server's
// own systems.
func Destructive() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(true), OpenWorld: new(false)}
}

// Unconfined returns annotations for a tool that may delete or overwrite data, also outside the
// server's own systems.
func Unconfined() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(true), OpenWorld: new(true)}
}

// Additive returns annotations for a tool that only adds data.
func Additive() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(false), OpenWorld: new(false)}
}

// appendJSON appends the list item of the tool in revision rev.
func (t *Tool) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, `{"name":`...)
	dst = jsonx.AppendQuoted(dst, t.Name)
	if rev >= protocol.Rev20250618 {
		dst = jsonx.AppendOptional(dst, "title", t.Title)
	}
	dst = jsonx.AppendOptional(dst, "description", t.Description)
	dst = append(append(dst, `,"inputSchema":`...), t.InputSchema...)
	if t.OutputSchema != nil && rev >= protocol.Rev20250618 && (rev.Modern() || isObjectSchema(t.OutputSchema)) {
		dst = append(append(dst, `,"outputSchema":`...), t.OutputSchema...)
	}
	if t.Annotations != nil && rev >= protocol.Rev20250326 {
		dst = mustMarshal(append(dst, `,"annotations":`...), t.Annotations)
	}
	if t.Icons != nil && rev >= protocol.Rev20251125 {
		dst = mustMarshal(append(dst, `,"icons":`...), t.Icons)
	}
	if t.task != "" && rev == protocol.Rev20251125 {
		dst = append(append(append(dst, `,"execution":{"taskSupport":"`...), t.task...), `"}`...)
	}
	if t.Meta != nil && rev >= protocol.Rev20250618 {
		dst = mustMarshal(append(dst, `,"_meta":`...), t.Meta)
	}
	return append(dst, '}')
}

// isObjectSchema reports whether the root of a schema has the type object. Revisions up to
// 2025-11-25 require this of output schemas.
func isObjectSchema(schema json.RawMessage) bool {
	members := jsonx.Object(schema)
	for members.Next() {
		if string(members.Key()) == "type" {
			return string(members.Value()) == `"object"`
		}
	}
	return false
}

// UnmarshalJSON decodes a list item of any revision.
func (t *Tool) UnmarshalJSON(data []byte) error {
	var wire struct {
		Name         string           `json:"name"`
		Title        string           `json:"title"`
		Description  string           `json:"description"`
		InputSchema  json.RawMessage  `json:"inputSchema"`
		OutputSchema json.RawMessage  `json:"outputSchema"`
		Annotations  *ToolAnnotations `json:"annotations"`
		Icons        []protocol.Icon  `json:"icons"`
		Meta         Meta             `json:"_meta"`
		Execution    struct {
			TaskSupport TaskSupport `json:"taskSupport"`
		} `json:"execution"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return err
	}
	*t = Tool{
		Name: wire.Name, Title: wire.Title, Description: wire.Description, InputSchema: wire.InputSchema, OutputSchema: wire.OutputSchema,
		Annotations: wire.Annotations, Icons: wire.Icons, Meta: wire.Meta,
	}
	if support := wire.Execution.TaskSupport; support == TaskOptional || support == TaskRequired {
		t.task = support
	}
	return nil
}

// MarshalJSON encodes the tool as in a list of the latest revision.
func (t Tool) MarshalJSON() ([]byte, error) { return t.appendJSON(nil, protocol.Latest), nil }

// checkName returns an error if name is not valid for a tool.
func checkName(name string) error {
	if len(name) == 0 || len(name) > 128 {
		return protocol.Errorf(protocol.CodeInvalidParams, "a tool's name has 1 to 128 characters, not %d", len(name))
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return protocol.Errorf(protocol.CodeInvalidParams, "the tool name %q has the character %q; allowed are letters, digits, _ - and dot", name, c)
		}
	}
	return nil
}
