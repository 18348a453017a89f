package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// receive begins to work on a request of the page.
func (p *page) receive(ctx context.Context, data []byte) {
	r := request{raw: data}
	if err := json.Unmarshal(data, &r); err != nil || r.Type == "" {
		p.reply(r.ID, nil, &problem{"INVALID_PARAMS", "a message is an object with a type", ""})
		return
	}
	work, ok := p.handlerOf(r.Type)
	if !ok {
		p.reply(r.ID, nil, &problem{"INVALID_PARAMS", fmt.Sprintf("the type %.40q is not known", r.Type), ""})
		return
	}
	if !p.writable {
		p.reply(r.ID, nil, &problem{"UNAUTHORIZED", "this page may look but not change", needToken})
		return
	}
	if !p.busy.TryAcquire(1) {
		p.reply(r.ID, nil, &problem{"BUSY", "too many requests of this page are being worked on", "wait for an answer"})
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

type worker func(ctx context.Context, raw []byte) (any, error)

// handlerOf is what a type of request asks for.
func (p *page) handlerOf(kind string) (worker, bool) {
	d := p.d
	work, ok := map[string]worker{
		"config:update_role":      decodeArgs(d.updateRole),
		"config:create_role":      decodeArgs(d.createRole),
		"config:delete_role":      decodeArgs(d.deleteRole),
		"config:revalidate_model": decodeArgs(d.revalidate),
		"health:run":              decodeArgs(d.checkAgain),
		"agent:cancel":            decodeArgs(d.cancelAgent),
		"group:delete":            decodeArgs(d.deleteGroup),
	}[kind]
	return work, ok
}

// decodeArgs decodes what a request asks with.
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
	errInvalid = errors.New("the request cannot be read")
	errAbsent  = errors.New("this server has nothing for that")
)

// requestProblem is the error of a request.
func (d *Dashboard) requestProblem(err error) *problem {
	switch {
	case errors.Is(err, errInvalid), errors.Is(err, roles.ErrInvalid), errors.Is(err, roles.ErrExists):
		return &problem{"INVALID_PARAMS", err.Error(), "correct it"}
	case errors.Is(err, roles.ErrConflict):
		return &problem{"CONFLICT", err.Error(), "look at the role as it is now, and change that"}
	case errors.Is(err, roles.ErrUnknown), errors.Is(err, health.ErrUnknownRole):
		return &problem{"UNKNOWN_ROLE", err.Error(), ""}
	case errors.Is(err, errAbsent):
		return &problem{"UNSUPPORTED", err.Error(), ""}
	case errors.Is(err, context.Canceled):
		return &problem{"CANCELLED", "the server ends", ""}
	}
	return d.problemOf(err)
}

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

func (d *Dashboard) checkAgain(ctx context.Context, _ struct{}) (any, error) {
	if d.o.Health == nil {
		return nil, errAbsent
	}
	return nil, d.o.Health.Run(ctx)
}

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
