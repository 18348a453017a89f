package roles

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// Role is what an agent can be asked to be. In JSON, Timeout is timeout_ms, a number
// of milliseconds.
type Role struct {
	// ID names the role, such as "impl-code": at most 64 letters, digits, - and _.
	ID string
	// Name is for people.
	Name string
	// Model is the executor's identifier of the model.
	Model string
	// SystemPrompt comes before what the agent is asked to do.
	SystemPrompt string
	// HealthCheckPrompt is what is asked to see whether the model answers.
	HealthCheckPrompt string
	// Tools are permissions in the executor's words, such as "Shell(git)"; none leaves
	// the executor's own.
	Tools []string
	// ReadOnly forbids changes of files.
	ReadOnly bool
	// Executor names what runs the role; empty is the first.
	Executor string
	// Isolation is where its agents work; empty is record.Shared.
	Isolation record.Isolation
	// Timeout bounds how long an agent runs; 0 is the usual bound.
	Timeout time.Duration
}

// wire is a Role in JSON.
type wire struct {
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

// MarshalJSON implements json.Marshaler. A struct that embeds a Role has this method, too, and would lose its
// other fields.
func (r Role) MarshalJSON() ([]byte, error) {
	tools := r.Tools
	if tools == nil {
		tools = []string{}
	}
	return json.Marshal(wire{
		r.ID, r.Name, r.Model, r.SystemPrompt, r.HealthCheckPrompt, tools, r.ReadOnly, r.Executor, r.Isolation, r.Timeout.Milliseconds(),
	})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Role) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*r = Role{
		w.ID, w.Name, w.Model, w.SystemPrompt, w.HealthCheckPrompt, w.Tools, w.ReadOnly, w.Executor, w.Isolation,
		time.Duration(w.TimeoutMs) * time.Millisecond,
	}
	return nil
}

// Equal reports whether two roles are the same in all that a file tells of them.
func (r Role) Equal(other Role) bool {
	a, b := r.tidied(), other.tidied()
	return slices.EqualFunc(fields(), fields(), func(f, _ field) bool { return yamlfile.Same(f.write(a), f.write(b)) })
}
