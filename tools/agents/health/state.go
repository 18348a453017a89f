package health

import "time"

// Status is how far a check is, or how it has ended.
type Status string

// The states of checks. Passed, Failed and Skipped are those of HealthCheck, Valid and Invalid those
// of ModelValidation; Pending and Running are of both.
const (
	Pending Status = "pending"
	Running Status = "running"
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	Valid   Status = "valid"
	Invalid Status = "invalid"
)

// State is what is known of a role.
type State struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Model string `json:"model"`
	// Available says that agents of this role can be run.
	Available bool `json:"available"`
	// Fallback is the model that is used instead of Model, which is not there; empty for none.
	Fallback        string          `json:"fallbackModel,omitempty"`
	HealthCheck     HealthCheck     `json:"healthCheck"`
	ModelValidation ModelValidation `json:"modelValidation"`
}

// HealthCheck says whether the model has answered.
type HealthCheck struct {
	Status Status `json:"status"`
	// Reason is why it has failed or was skipped, for people and models.
	Reason         string    `json:"reason,omitempty"`
	CheckedAt      time.Time `json:"checkedAt,omitzero"`
	ResponseTimeMs int64     `json:"responseTime_ms,omitempty"`
}

// ModelValidation says whether the executor has the model.
type ModelValidation struct {
	Status    Status    `json:"status"`
	Message   string    `json:"message,omitempty"`
	CheckedAt time.Time `json:"checkedAt,omitzero"`
	// AvailableModels are identifiers of models that can be used instead, those that were probably meant first.
	AvailableModels []string `json:"availableModels,omitempty"`
	// Suggestion is the one that was probably meant.
	Suggestion string `json:"suggestion,omitempty"`
}

// RunModel is the model with which agents of the role are to be run.
func (s State) RunModel() string {
	if s.Fallback != "" {
		return s.Fallback
	}
	return s.Model
}

// Done reports whether the role was checked: whether Available is final.
func (s State) Done() bool {
	switch s.HealthCheck.Status {
	case Passed, Failed, Skipped:
		return true
	}
	return false
}

// checkedAt is when the role was looked at last.
func (s State) checkedAt() time.Time {
	if s.HealthCheck.CheckedAt.After(s.ModelValidation.CheckedAt) {
		return s.HealthCheck.CheckedAt
	}
	return s.ModelValidation.CheckedAt
}

// Phase is how far the checks are.
type Phase string

// The phases, in order.
const (
	Models Phase = "models" // which models there are
	Roles  Phase = "roles"  // whether they answer
	Done   Phase = "done"
)

// Progress is how far the checks of all roles are.
type Progress struct {
	Phase      Phase     `json:"phase"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
	// Total is how many roles there are, Available how many of them can be used.
	Total     int `json:"total"`
	Available int `json:"available"`
}
