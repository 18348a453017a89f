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

// RolesResult is the result of list_roles.
type RolesResult struct {
	Roles []health.State `json:"roles"`
}

// rolesTimeout is the time that list_roles waits for health checks. After the start of a server the
// checks are still running, and models that see unchecked roles call again and again.
const rolesTimeout = 10 * time.Second

// ListRoles implements list_roles.
func (a *Agents) ListRoles(ctx context.Context, _ RolesArgs) (RolesResult, error) {
	known := make(map[string]health.State)
	if a.options.Health != nil {
		checking, cancel := context.WithTimeout(ctx, min(rolesTimeout, a.options.WaitTimeout))
		defer cancel()
		for _, role := range a.options.Roles.Roles() {
			if _, err := a.options.Health.Wait(checking, role.ID); err != nil && checking.Err() != nil {
				break // the result shows the remaining roles as unchecked
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

// TextContent returns one line for each role.
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
				b.WriteString("; models: " + joinFiles(s.ModelValidation.AvailableModels))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
