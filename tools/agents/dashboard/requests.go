package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// receive starts to process a request of the page.
func (p *page) receive(ctx context.Context, data []byte) {
	r := request{raw: data}
	if err := json.Unmarshal(data, &r); err != nil || r.Type == "" {
		p.reply(r.ID, nil, &problem{"INVALID_PARAMS", "a message is an object with a type", ""})
		return
	}
	work, ok := p.handlerOf(r.Type)
	if !ok {
		p.reply(r.ID, nil, &problem{"INVALID_PARAMS", fmt.Sprintf("unknown type %.40q", r.Type), ""})
		return
	}
	if !p.writable {
		p.reply(r.ID, nil, &problem{"UNAUTHORIZED", "this page is read-only", needToken})
		return
	}
	if !p.busy.TryAcquire(1) {
		p.reply(r.ID, nil, &problem{"BUSY", "too many requests of this page are in progress", "wait for a reply"})
		return
	}
	p.d.running.Go(func() {
		defer p.busy.Release(1)
		answer, err := work(ctx, r.raw)
		if err != nil {
			p.reply(r.ID, nil, p.d.requestProblem(err))
			return
		}
		p.reply(r.ID, answer, nil)
	})
}

// worker processes the request in raw.
type worker func(ctx context.Context, raw []byte) (any, error)

// handlerOf returns the worker of a request type.
func (p *page) handlerOf(kind string) (worker, bool) {
	d := p.d
	work, ok := map[string]worker{
		"config:update_role":      decodeArgs(d.updateRole),
		"config:create_role":      decodeArgs(d.createRole),
		"config:delete_role":      decodeArgs(d.deleteRole),
		"config:revalidate_model": decodeArgs(d.revalidate),
		"health:run":              decodeArgs(d.recheck),
		"agent:cancel":            decodeArgs(d.cancelAgent),
		"group:delete":            decodeArgs(d.deleteGroup),
	}[kind]
	return work, ok
}

// decodeArgs returns a worker that decodes its arguments.
func decodeArgs[T any](do func(context.Context, T) (any, error)) worker {
	return func(ctx context.Context, raw []byte) (any, error) {
		var in T
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("%w: %v", errInvalid, err)
		}
		return do(ctx, in)
	}
}

var (
	errInvalid = errors.New("the request is invalid")
	errAbsent  = errors.New("this server does not support the request")
)

// requestProblem converts the error of a request for pages.
func (d *Dashboard) requestProblem(err error) *problem {
	switch {
	case errors.Is(err, errInvalid), errors.Is(err, roles.ErrInvalid), errors.Is(err, roles.ErrExists):
		return &problem{"INVALID_PARAMS", err.Error(), "correct it"}
	case errors.Is(err, roles.ErrConflict):
		return &problem{"CONFLICT", err.Error(), "reload the role and repeat the change"}
	case errors.Is(err, roles.ErrUnknown), errors.Is(err, health.ErrUnknownRole):
		return &problem{"UNKNOWN_ROLE", err.Error(), ""}
	case errors.Is(err, errAbsent):
		return &problem{"UNSUPPORTED", err.Error(), ""}
	case errors.Is(err, context.Canceled):
		return &problem{"CANCELLED", "the server is stopping", ""}
	}
	return d.problemOf(err)
}

// roleChange has the arguments of config:update_role and config:create_role. Old is the role before the change.
type roleChange struct {
	Role *roles.Role `json:"role"`
	Old  *roles.Role `json:"old"`
}

func (d *Dashboard) updateRole(ctx context.Context, in roleChange) (any, error) {
	switch {
	case d.o.Roles == nil:
		return nil, errAbsent
	case in.Role == nil || in.Old == nil:
		return nil, fmt.Errorf("%w: it needs role and old", errInvalid)
	}
	return nil, d.o.Roles.Set(ctx, *in.Role, *in.Old)
}

func (d *Dashboard) createRole(ctx context.Context, in roleChange) (any, error) {
	switch {
	case d.o.Roles == nil:
		return nil, errAbsent
	case in.Role == nil:
		return nil, fmt.Errorf("%w: it needs role", errInvalid)
	}
	return nil, d.o.Roles.Create(ctx, *in.Role)
}

// roleName has the arguments of config:delete_role and config:revalidate_model.
type roleName struct {
	RoleID string `json:"roleId"`
	Model  string `json:"model"`
}

func (d *Dashboard) deleteRole(ctx context.Context, in roleName) (any, error) {
	if d.o.Roles == nil {
		return nil, errAbsent
	}
	return nil, d.o.Roles.Remove(ctx, in.RoleID)
}

func (d *Dashboard) revalidate(ctx context.Context, in roleName) (any, error) {
	if d.o.Health == nil {
		return nil, errAbsent
	}
	return d.o.Health.Revalidate(ctx, in.RoleID, in.Model)
}

func (d *Dashboard) recheck(ctx context.Context, _ struct{}) (any, error) {
	if d.o.Health == nil {
		return nil, errAbsent
	}
	return nil, d.o.Health.Run(ctx)
}

// agentName has the arguments of agent:cancel.
type agentName struct {
	AgentID string `json:"agentId"`
	Reason  string `json:"reason"`
}

func (d *Dashboard) cancelAgent(ctx context.Context, in agentName) (any, error) {
	if d.o.Agents == nil {
		return nil, errAbsent
	}
	return nil, d.o.Agents.Stop(ctx, in.AgentID, in.Reason)
}

// groupName has the arguments of group:delete.
type groupName struct {
	GroupID string `json:"groupId"`
	Force   bool   `json:"force"`
}

func (d *Dashboard) deleteGroup(ctx context.Context, in groupName) (any, error) {
	if d.o.Agents == nil {
		return nil, errAbsent
	}
	return nil, d.o.Agents.RemoveGroup(ctx, in.GroupID, in.Force)
}
