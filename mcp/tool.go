package mcp

import (
	"encoding/json"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Tool is what a model sees of a tool (2026-07-28, server/tools).
type Tool struct {
	// Name has 1–128 characters of A–Z a–z 0–9 _ - and dot, unique in a server.
	Name        string
	Title       string // for people; since 2025-06-18
	Description string // for the model
	// InputSchema and OutputSchema are JSON Schema objects. NewTool makes them
	// from its types; NewRawTool needs at least the first.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // since 2025-06-18
	Annotations  *ToolAnnotations
	Icons        []Icon // since 2025-11-25
	Meta         Meta

	task TaskSupport // of 2025-11-25 alone
}

// TaskSupport is what a server of revision 2025-11-25 says of calling the tool as a
// task, empty if it must not be (2025-11-25, server/tools, execution). In others it
// is empty: there it is the server who decides.
func (t Tool) TaskSupport() TaskSupport { return t.task }

// WithTaskSupport returns the tool as it is listed with another TaskSupport. A
// ServerTool has ToolOptions.Task instead.
func (t Tool) WithTaskSupport(s TaskSupport) Tool {
	t.task = s
	return t
}

// ToolAnnotations are hints about what a tool does. They are a server's own
// word: a client must not rely on them for safety. Nil means the default.
type ToolAnnotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`    // default false
	Destructive *bool  `json:"destructiveHint,omitempty"` // default true
	Idempotent  *bool  `json:"idempotentHint,omitempty"`  // default false
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`   // default true
}

// ReadOnly annotates a tool that changes nothing and touches nothing outside.
func ReadOnly() *ToolAnnotations {
	return &ToolAnnotations{ReadOnly: new(true), OpenWorld: new(false)}
}

// Destructive annotates a tool that may destroy what is there, inside the
// server's own world.
func Destructive() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(true), OpenWorld: new(false)}
}

// Unconfined annotates a tool that may destroy existing things, and things beyond
// the server's own world.
func Unconfined() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(true), OpenWorld: new(true)}
}

// Additive annotates a tool that only adds.
func Additive() *ToolAnnotations {
	return &ToolAnnotations{Destructive: new(false), OpenWorld: new(false)}
}

// appendJSON appends the tool as it is listed in the revision.
func (t *Tool) appendJSON(dst []byte, rev Revision) []byte {
	dst = append(dst, `{"name":`...)
	dst = jsonx.AppendQuoted(dst, t.Name)
	if rev >= Rev20250618 {
		dst = appendOptional(dst, "title", t.Title)
	}
	dst = appendOptional(dst, "description", t.Description)
	dst = append(append(dst, `,"inputSchema":`...), t.InputSchema...)
	if t.OutputSchema != nil && rev >= Rev20250618 && (rev.Modern() || isObjectSchema(t.OutputSchema)) {
		dst = append(append(dst, `,"outputSchema":`...), t.OutputSchema...)
	}
	if t.Annotations != nil && rev >= Rev20250326 {
		dst = mustMarshal(append(dst, `,"annotations":`...), t.Annotations)
	}
	if t.Icons != nil && rev >= Rev20251125 {
		dst = mustMarshal(append(dst, `,"icons":`...), t.Icons)
	}
	if t.task != "" && rev == Rev20251125 {
		dst = append(append(append(dst, `,"execution":{"taskSupport":"`...), t.task...), `"}`...)
	}
	if t.Meta != nil && rev >= Rev20250618 {
		dst = mustMarshal(append(dst, `,"_meta":`...), t.Meta)
	}
	return append(dst, '}')
}

// isObjectSchema reports whether a schema's root has the type object, which
// revisions up to 2025-11-25 require of results.
func isObjectSchema(schema json.RawMessage) bool {
	members := jsonx.Object(schema)
	for members.Next() {
		if string(members.Key()) == "type" {
			return string(members.Value()) == `"object"`
		}
	}
	return false
}

// UnmarshalJSON reads a tool as any revision lists it.
func (t *Tool) UnmarshalJSON(data []byte) error {
	var wire struct {
		Name         string           `json:"name"`
		Title        string           `json:"title"`
		Description  string           `json:"description"`
		InputSchema  json.RawMessage  `json:"inputSchema"`
		OutputSchema json.RawMessage  `json:"outputSchema"`
		Annotations  *ToolAnnotations `json:"annotations"`
		Icons        []Icon           `json:"icons"`
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

// MarshalJSON writes the tool as the latest revision lists it.
func (t Tool) MarshalJSON() ([]byte, error) { return t.appendJSON(nil, Latest), nil }

// checkName reports why a name is not fit for a new tool.
func checkName(name string) error {
	if len(name) == 0 || len(name) > 128 {
		return Errorf(CodeInvalidParams, "a tool's name has 1 to 128 characters, not %d", len(name))
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return Errorf(CodeInvalidParams, "the tool name %q has the character %q; allowed are letters, digits, _ - and dot", name, c)
		}
	}
	return nil
}
