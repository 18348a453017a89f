package health

import "time"

// Status is how far a check is, or how it has ended.
type Status string

// The states of checks. Passed, Failed and Skipped belong to HealthCheck, Valid and Invalid to
// ModelValidation, Pending and Running to both.
const (
	Pending Status = "pending"
	Running Status = "running"
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	Valid   Status = "valid"
	Invalid Status = "invalid"
)

// State is the result of the checks of a role.
type State struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Model string `json:"model"`
	// Available reports whether agents of this role can run.
	Available bool `json:"available"`
	// Fallback is the model that replaces an unavailable Model; empty for none.
	Fallback        string          `json:"fallbackModel,omitempty"`
	HealthCheck     HealthCheck     `json:"healthCheck"`
	ModelValidation ModelValidation `json:"modelValidation"`
}

// HealthCheck is the result of the question to the model.
type HealthCheck struct {
	Status Status `json:"status"`
	// Reason explains a failed or skipped check, for people and models.
	Reason         string    `json:"reason,omitempty"`
	CheckedAt      time.Time `json:"checkedAt,omitzero"`
	ResponseTimeMs int64     `json:"responseTime_ms,omitempty"`
}

// ModelValidation is the result of looking up the model in the executor's list.
type ModelValidation struct {
	Status    Status    `json:"status"`
	Message   string    `json:"message,omitempty"`
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	// AvailableModels are models that can replace an unavailable one, most similar first.
	AvailableModels []string `json:"availableModels,omitempty"`
	// Suggestion is the most probable model.
	Suggestion string `json:"suggestion,omitempty"`
}

// RunModel returns the model for agents of the role: Fallback if set, otherwise Model.
func (s State) RunModel() string {
	if s.Fallback != "" {
		return s.Fallback
	}
	return s.Model
}

// Done reports whether the check has finished, so that Available is final.
func (s State) Done() bool {
	switch s.HealthCheck.Status {
	case Passed, Failed, Skipped:
		return true
	}
	return false
}

// checkedAt returns the time of the last check.
func (s State) checkedAt() time.Time {
	if s.HealthCheck.CheckedAt.After(s.ModelValidation.CheckedAt) {
		return s.HealthCheck.CheckedAt
	}
	return s.ModelValidation.CheckedAt
}

// Phase is a step of a round of checks.
type Phase string

// The phases, in order.
const (
	Models Phase = "models" // listing the models of the executors
	Roles  Phase = "roles"  // asking the models
	Done   Phase = "done"
)

// Progress is the state of a round of checks.
type Progress struct {
	Phase      Phase     `json:"phase"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
	// Total is the number of roles, Available the number of usable ones.
	Total     int `json:"total"`
	Available int `json:"available"`
}
