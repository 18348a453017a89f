package roles

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// Role is a role of agents. In JSON, Timeout is timeout_ms, a number of milliseconds.
type Role struct {
	// ID identifies the role, for example "impl-code": at most 64 letters, digits, - and _.
	ID string
	// Name is the display name. Default: the ID.
	Name string
	// Model is the executor's identifier of the model.
	Model string
	// SystemPrompt precedes the task in the prompt of an agent.
	SystemPrompt string
	// HealthCheckPrompt is the question of the health check. Empty uses a default.
	HealthCheckPrompt string
	// Tools are permissions in the syntax of the executor, for example "Shell(git)". Empty uses the
	// executor's own settings.
	Tools []string
	// ReadOnly forbids changes of files.
	ReadOnly bool
	// Executor is the name of the executor; empty is the first one of the server.
	Executor string
	// Isolation is the kind of directory in which agents work; empty is record.Shared.
	Isolation record.Isolation
	// Timeout limits the run of an agent; 0 is the default of the server, and the maximum is 24
	// hours.
	Timeout time.Duration
}

// roleJSON is the JSON form of a Role.
type roleJSON struct {
	ID                string           `json:"id"`
	Name              string           `json:"name"`
	Model             string           `json:"model"`
	SystemPrompt      string           `json:"systemPrompt"`
	HealthCheckPrompt string           `json:"healthCheckPrompt"`
	Tools             []string         `json:"tools"`
	ReadOnly          bool             `json:"readOnly,omitempty"`
	Executor          string           `json:"executor,omitempty"`
	Isolation         record.Isolation `json:"isolation,omitempty"`
	TimeoutMs         int64            `json:"timeout_ms,omitempty"`
}

// MarshalJSON implements json.Marshaler. A struct that embeds a Role inherits this method and would
// lose its other fields.
func (r Role) MarshalJSON() ([]byte, error) {
	tools := r.Tools
	if tools == nil {
		tools = []string{}
	}
	return json.Marshal(roleJSON{
		r.ID, r.Name, r.Model, r.SystemPrompt, r.HealthCheckPrompt, tools, r.ReadOnly, r.Executor, r.Isolation, r.Timeout.Milliseconds(),
	})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Role) UnmarshalJSON(data []byte) error {
	var w roleJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*r = Role{
		w.ID, w.Name, w.Model, w.SystemPrompt, w.HealthCheckPrompt, w.Tools, w.ReadOnly, w.Executor, w.Isolation,
		time.Duration(w.TimeoutMs) * time.Millisecond,
	}
	return nil
}

// Equal reports whether two roles have the same form in a settings file.
func (r Role) Equal(other Role) bool {
	a, b := r.normalized(), other.normalized()
	return slices.EqualFunc(fields(), fields(), func(f, _ field) bool { return yamlfile.Same(f.write(a), f.write(b)) })
}
