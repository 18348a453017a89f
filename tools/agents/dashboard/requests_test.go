package dashboard_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// fakeBackend implements Roles, Health and Agents, and records the calls.
type fakeBackend struct {
	mu    sync.Mutex
	asked []string
}

func (b *fakeBackend) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, what)
}

func (b *fakeBackend) Roles() []roles.Role {
	return []roles.Role{{ID: "impl-code", Name: "コード実装者", Model: "m"}}
}

func (b *fakeBackend) Set(_ context.Context, role, old roles.Role) error {
	b.note("set " + role.ID + " " + old.Model + "→" + role.Model)
	if old.Model != "m" {
		return roles.ErrConflict
	}
	return nil
}

func (b *fakeBackend) Create(_ context.Context, role roles.Role) error {
	b.note("create " + role.ID)
	return nil
}

func (b *fakeBackend) Remove(_ context.Context, id string) error {
	b.note("remove " + id)
	return roles.ErrUnknown
}

func (b *fakeBackend) States() []health.State {
	return []health.State{{ID: "impl-code", Model: "m", Available: true}}
}

func (b *fakeBackend) Progress() health.Progress { return health.Progress{} }
func (b *fakeBackend) AllModels() map[string][]executor.Model {
	return map[string][]executor.Model{"cursor": {{ID: "m"}}}
}

func (b *fakeBackend) Revalidate(_ context.Context, roleID, model string) (health.State, error) {
	b.note("revalidate " + roleID + " " + model)
	return health.State{ID: roleID, Model: model, Available: true}, nil
}

func (b *fakeBackend) Run(context.Context) error {
	b.note("check")
	return errors.New("the disk is full: /secret/path")
}

func (b *fakeBackend) Stop(_ context.Context, agentID, reason string) error {
	b.note("stop " + agentID + " " + reason)
	return nil
}

func (b *fakeBackend) RemoveGroup(_ context.Context, groupID string, force bool) error {
	b.note("delete " + groupID)
	return record.ErrNotFound
}

func open(t *testing.T) (*fixture, *fakeBackend) {
	b := new(fakeBackend)
	return start(t, dashboard.Options{Roles: b, Health: b, Agents: b, Open: true}, "127.0.0.1:0"), b
}

// All requests are processed with the token and rejected without it.
func TestRequests_AllTypes(t *testing.T) {
	f, asked := open(t)
	type object = map[string]any
	role := object{"id": "impl-code", "name": "x", "model": "n"}
	requests := []struct {
		request object
		want    string // calls of the backend
		code    string
	}{
		{object{"type": "config:update_role", "role": role, "old": object{"id": "impl-code", "model": "m"}}, "set impl-code m→n", ""},
		{object{"type": "config:update_role", "role": role, "old": object{"id": "impl-code", "model": "other"}}, "set impl-code other→n", "CONFLICT"},
		{object{"type": "config:create_role", "role": role}, "create impl-code", ""},
		{object{"type": "config:delete_role", "roleId": "gone"}, "remove gone", "UNKNOWN_ROLE"},
		{object{"type": "config:revalidate_model", "roleId": "impl-code", "model": "n"}, "revalidate impl-code n", ""},
		{object{"type": "health:run"}, "check", "INTERNAL_ERROR"},
		{object{"type": "agent:cancel", "agentId": "a-1", "reason": "enough"}, "stop a-1 enough", ""},
		{object{"type": "group:delete", "groupId": "grp-1", "force": true}, "delete grp-1", "NOT_FOUND"},
	}
	reader := f.connect(t, "wrong")
	for _, tt := range requests {
		if m := reader.ask(tt.request); m.OK || m.Error.Code != "UNAUTHORIZED" || m.Error.Next == "" {
			t.Errorf("without the token, %v is answered with %+v", tt.request, m)
		}
	}
	if len(asked.asked) > 0 {
		t.Fatalf("without the token it did %q", asked.asked)
	}
	writer := f.connect(t, token)
	for _, tt := range requests {
		m := writer.ask(tt.request)
		if m.OK != (tt.code == "") || m.Error.Code != tt.code {
			t.Errorf("%v is answered with %+v", tt.request, m)
		}
		if asked.mu.Lock(); len(asked.asked) == 0 || !slices.Contains(asked.asked, tt.want) {
			t.Errorf("%v asks for %q", tt.request, asked.asked)
		}
		asked.mu.Unlock()
	}
}

// Requests fail if the option that they need is not set.
func TestRequests_Unsupported(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	b := f.connect(t, token)
	for _, kind := range []string{"config:delete_role", "config:revalidate_model", "health:run", "agent:cancel", "group:delete"} {
		if m := b.ask(map[string]any{"type": kind}); m.Error.Code != "UNSUPPORTED" {
			t.Errorf("%s: it answers %+v", kind, m)
		}
	}
}
