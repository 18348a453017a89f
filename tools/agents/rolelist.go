package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
)

// RolesArgs are the arguments of list_roles: none.
type RolesArgs struct{}

// RolesResult is what list_roles answers.
type RolesResult struct {
	Roles []health.State `json:"roles"`
}

// rolesPatience is how long list_roles waits for checks. A server that has just started is still at them, and a model that is told
// so asks again and again, or gives up.
const rolesPatience = 10 * time.Second

// ListRoles is list_roles.
func (a *Agents) ListRoles(ctx context.Context, _ RolesArgs) (RolesResult, error) {
	known := make(map[string]health.State)
	if a.options.Health != nil {
		patient, enough := context.WithTimeout(ctx, min(rolesPatience, a.options.Patience))
		defer enough()
		for _, role := range a.options.Roles.Roles() {
			if _, err := a.options.Health.Wait(patient, role.ID); err != nil && patient.Err() != nil {
				break // it is told that they are not checked yet
			}
		}
		for _, s := range a.options.Health.States() {
			known[s.ID] = s
		}
	}
	r := RolesResult{Roles: []health.State{}}
	for _, role := range a.options.Roles.Roles() {
		s, ok := known[role.ID]
		if !ok {
			s = health.State{ID: role.ID, Name: role.Name, Model: role.Model}
			s.HealthCheck.Status, s.ModelValidation.Status = health.Pending, health.Pending
			if a.options.Health == nil {
				s.HealthCheck.Status = health.Skipped
				e, known := a.executor(role.Executor)
				switch err := executor.Find(e); {
				case !known:
					s.HealthCheck.Reason = fmt.Sprintf("there is no executor %s", quote(role.Executor))
				case err != nil:
					s.HealthCheck.Reason = err.Error()
				default:
					s.Available = true
				}
			}
		}
		r.Roles = append(r.Roles, s)
	}
	return r, nil
}

// TextContent has a line for each role.
func (r RolesResult) TextContent() string {
	if len(r.Roles) == 0 {
		return "[no roles]\n"
	}
	var b strings.Builder
	for _, s := range r.Roles {
		fmt.Fprintf(&b, "%s (%s), model %s: ", s.ID, s.Name, s.RunModel())
		switch {
		case s.Available:
			b.WriteString("available")
		case !s.Done():
			b.WriteString("not checked yet; run_agent waits for that")
		default:
			b.WriteString("not available")
			for _, why := range []string{s.ModelValidation.Message, s.HealthCheck.Reason} {
				if why != "" {
					b.WriteString(": " + why)
				}
			}
			if len(s.ModelValidation.AvailableModels) > 0 {
				b.WriteString("; models: " + fewFiles(s.ModelValidation.AvailableModels))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
