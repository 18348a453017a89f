package lsp

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Diagnostic is a diagnostic of a document. Raw is the complete JSON from the server, which requests for code actions must
// contain.
type Diagnostic struct {
	Range    Range
	Severity int // 1 is an error, 4 a hint; 0 is not said
	Code     string
	Source   string
	Message  string
	Raw      json.RawMessage
}

// UnmarshalJSON takes codes that are numbers or strings, and messages that are strings or marked up (3.18).
func (d *Diagnostic) UnmarshalJSON(data []byte) error {
	var all struct {
		Range    Range           `json:"range"`
		Severity int             `json:"severity"`
		Code     json.RawMessage `json:"code"`
		Source   string          `json:"source"`
		Message  json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*d = Diagnostic{Range: all.Range, Severity: all.Severity, Code: scalar(all.Code), Source: all.Source, Raw: bytes.Clone(data)}
	if json.Unmarshal(all.Message, &d.Message) != nil {
		var marked struct{ Value string }
		if err := json.Unmarshal(all.Message, &marked); err != nil {
			return err
		}
		d.Message = marked.Value
	}
	return nil
}

// MarshalJSON writes Raw, or the fields if Raw is empty.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	if len(d.Raw) > 0 {
		return d.Raw, nil
	}
	all := struct {
		Range    Range  `json:"range"`
		Severity int    `json:"severity,omitempty"`
		Code     any    `json:"code,omitempty"`
		Source   string `json:"source,omitempty"`
		Message  string `json:"message"`
	}{d.Range, d.Severity, nil, d.Source, d.Message}
	if n, err := strconv.Atoi(d.Code); err == nil {
		all.Code = n
	} else if d.Code != "" {
		all.Code = d.Code
	}
	return json.Marshal(all)
}

// scalar is the text of a JSON string or number.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// PublishParams are the parameters of textDocument/publishDiagnostics.
type PublishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// DiagnosticParams ask for the diagnostics of a document.
type DiagnosticParams struct {
	TextDocument Document `json:"textDocument"`
	Identifier   string   `json:"identifier,omitempty"`
}

// WorkspaceDiagnosticParams are the parameters of workspace/diagnostic.
type WorkspaceDiagnosticParams struct {
	Identifier        string   `json:"identifier,omitempty"`
	PreviousResultIDs []string `json:"previousResultIds"`
}

// DiagnosticReport is the answer to textDocument/diagnostic.
type DiagnosticReport struct {
	Kind  string       `json:"kind"` // "full" or "unchanged"
	Items []Diagnostic `json:"items"`
}

// WorkspaceDiagnosticReport is the answer to workspace/diagnostic.
type WorkspaceDiagnosticReport struct {
	Items []struct {
		DiagnosticReport
		URI string `json:"uri"`
	} `json:"items"`
}

// CodeActionParams are the parameters of textDocument/codeAction.
type CodeActionParams struct {
	TextDocument Document          `json:"textDocument"`
	Range        Range             `json:"range"`
	Context      CodeActionContext `json:"context"`
}

// CodeActionContext says about which diagnostics, and which kinds of actions are wanted.
type CodeActionContext struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
	Only        []string     `json:"only,omitempty"`
	TriggerKind int          `json:"triggerKind"`
}

// CodeAction is something to do about code: an edit, a command that has the server send an edit, or both.
type CodeAction struct {
	Title       string
	Kind        string
	Diagnostics []Diagnostic
	IsPreferred bool
	Disabled    bool
	Reason      string          // why it is disabled
	Edit        json.RawMessage // a WorkspaceEdit; nil without one
	Command     *Command
	Raw         json.RawMessage // for codeAction/resolve
}

// Command is a command of workspace/executeCommand.
type Command struct {
	Title     string            `json:"title,omitempty"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// UnmarshalJSON takes both forms of an answer: an action, and a bare command.
func (a *CodeAction) UnmarshalJSON(data []byte) error {
	var all struct {
		Title       string          `json:"title"`
		Kind        string          `json:"kind"`
		Diagnostics []Diagnostic    `json:"diagnostics"`
		IsPreferred bool            `json:"isPreferred"`
		Disabled    json.RawMessage `json:"disabled"`
		Edit        json.RawMessage `json:"edit"`
		Command     json.RawMessage `json:"command"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*a = CodeAction{Title: all.Title, Kind: all.Kind, Diagnostics: all.Diagnostics, IsPreferred: all.IsPreferred, Disabled: present(all.Disabled), Raw: bytes.Clone(data)}
	if a.Disabled {
		var why struct{ Reason string }
		_ = json.Unmarshal(all.Disabled, &why) // a reason is not owed
		a.Reason = why.Reason
	}
	if present(all.Edit) {
		a.Edit = all.Edit
	}
	if !present(all.Command) {
		return nil
	}
	a.Command = new(Command)
	if all.Command[0] == '"' { // the action is a command itself
		return json.Unmarshal(data, a.Command)
	}
	return json.Unmarshal(all.Command, a.Command)
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
