package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// maxDescription is the largest size of a group description, in bytes.
const maxDescription = 1 << 10

// GroupArgs are the arguments of create_group.
type GroupArgs struct {
	// Description is the purpose of the group, at most 1 KiB.
	Description string `json:"description" jsonschema:"minLength=1,description=Purpose of its agents"`
}

// GroupResult is the result of create_group.
type GroupResult struct {
	GroupID     string             `json:"groupId"`
	Description string             `json:"description"`
	CreatedAt   time.Time          `json:"createdAt"`
	Status      record.GroupStatus `json:"status"`
}

// TextContent returns the ID of the group.
func (r GroupResult) TextContent() string { return "group " + r.GroupID + " was made" }

// CreateGroup implements create_group.
func (a *Agents) CreateGroup(ctx context.Context, args GroupArgs) (GroupResult, error) {
	if strings.TrimSpace(args.Description) == "" || len(args.Description) > maxDescription || !utf8.ValidString(args.Description) {
		return GroupResult{}, invalid("Describe the purpose of the agents in a sentence.", "the description has %d bytes, and must be text of 1 to %d", len(args.Description), maxDescription)
	}
	principal, err := a.principal(ctx)
	if err != nil {
		return GroupResult{}, err
	}
	g := record.Group{Principal: principal, Description: args.Description, Status: record.GroupActive, CreatedAt: now(), AgentIDs: []string{}}
	for try := 1; ; try++ {
		g.ID = newID("grp")
		err := a.store.CreateGroup(ctx, g)
		if errors.Is(err, record.ErrExists) && try < maxIDAttempts {
			continue
		}
		if err != nil {
			return GroupResult{}, broken(err, "the group was not made")
		}
		break
	}
	if caller := callerFrom(ctx); caller != "" {
		a.mu.Lock()
		a.groupOwners[g.ID] = caller
		a.mu.Unlock()
	}
	a.emit(ctx, record.Event{Type: record.GroupCreated, GroupID: g.ID}, g)
	return GroupResult{GroupID: g.ID, Description: g.Description, CreatedAt: g.CreatedAt, Status: g.Status}, nil
}

// DeleteGroupArgs are the arguments of delete_group.
type DeleteGroupArgs struct {
	GroupID string `json:"groupId"`
	// Force cancels agents that have not ended. Without it, the call fails with GROUP_BUSY.
	Force bool `json:"force,omitempty" jsonschema:"description=Cancel agents that run"`
}

// DeleteGroupResult is the result of delete_group.
type DeleteGroupResult struct {
	Deleted bool   `json:"deleted"`
	GroupID string `json:"groupId"`
	// Cancelled are the agents that Force has cancelled.
	Cancelled []string `json:"cancelled,omitempty"`
	// KeptWorktrees are worktrees whose work exists nowhere else, for example because it is not
	// committed.
	KeptWorktrees []KeptWorktree `json:"keptWorktrees,omitempty"`
}

// KeptWorktree is a worktree that was not removed, with the reason.
type KeptWorktree struct {
	AgentID string `json:"agentId"`
	Path    string `json:"path"`
	Branch  string `json:"branch"`
	Reason  string `json:"reason"`
}

// TextContent returns a line on the deletion and a line for each kept worktree.
func (r DeleteGroupResult) TextContent() string {
	text := "group " + r.GroupID + " was deleted"
	if len(r.Cancelled) > 0 {
		text += fmt.Sprintf("; %d agents were cancelled", len(r.Cancelled))
	}
	for _, kept := range r.KeptWorktrees {
		text += fmt.Sprintf("\nkept: %s on branch %s of %s: %s", kept.Path, kept.Branch, kept.AgentID, kept.Reason)
	}
	if len(r.KeptWorktrees) > 0 {
		text += "\n[call delete_group again when the work is merged, or remove worktrees that are not needed with git worktree remove]"
	}
	return text
}

// DeleteGroup implements delete_group. The records of the agents remain. For a group that is
// already deleted, it removes kept worktrees whose work is no longer at risk.
func (a *Agents) DeleteGroup(ctx context.Context, args DeleteGroupArgs) (DeleteGroupResult, error) {
	remove := a.deleteGroup
	if _, err := a.activeGroup(ctx, args.GroupID); err != nil {
		left, missing := a.keptWorktrees(ctx, args.GroupID)
		if missing != nil || len(left) == 0 {
			return DeleteGroupResult{}, err
		}
		remove = func(ctx context.Context, args DeleteGroupArgs) (DeleteGroupResult, error) {
			return DeleteGroupResult{Deleted: true, GroupID: args.GroupID, KeptWorktrees: a.removeWorktrees(ctx, left)}, nil
		}
	}
	if caller := callerFrom(ctx); caller != "" && a.groupOwner(args.GroupID) != caller {
		return DeleteGroupResult{}, unknownGroup(args.GroupID)
	}
	entry, err := a.audit.Begin(ctx, audit.Entry{Operation: "delete_group", Params: args})
	if err != nil {
		return DeleteGroupResult{}, err
	}
	r, err := remove(ctx, args)
	return r, errors.Join(err, entry.End(err))
}

// deleteGroup deletes an active group. It starts over if an agent is added meanwhile.
func (a *Agents) deleteGroup(ctx context.Context, args DeleteGroupArgs) (DeleteGroupResult, error) {
	r := DeleteGroupResult{GroupID: args.GroupID}
	errGrown := errors.New("the group has got another agent")
	for {
		seen, err := a.activeGroup(ctx, args.GroupID)
		if err != nil {
			return r, err
		}
		members, err := a.awaitGroupEnd(ctx, args, &r)
		if err != nil {
			return r, err
		}
		g, err := a.store.UpdateGroup(ctx, args.GroupID, func(g *record.Group) error {
			switch {
			case g.Status != record.GroupActive:
				return unknownGroup(g.ID)
			case len(g.AgentIDs) > len(seen.AgentIDs):
				return errGrown
			}
			g.Status, g.DeletedAt = record.GroupDeleted, now()
			return nil
		})
		switch {
		case errors.Is(err, errGrown):
			continue
		case err != nil:
			return r, a.storeError(err, "deleting the group")
		}
		a.mu.Lock()
		delete(a.groupOwners, g.ID)
		a.mu.Unlock()
		a.emit(ctx, record.Event{Type: record.GroupRemoved, GroupID: g.ID}, g)
		r.Deleted = true
		r.KeptWorktrees = a.removeWorktrees(ctx, members)
		return r, nil
	}
}

// keptWorktrees returns the agents of a deleted group whose worktrees still exist.
func (a *Agents) keptWorktrees(ctx context.Context, groupID string) ([]record.Agent, error) {
	g, err := a.group(ctx, groupID)
	if err != nil || g.Status != record.GroupDeleted {
		return nil, err
	}
	page, err := a.store.Agents(ctx, record.Query{GroupID: groupID})
	return slices.DeleteFunc(page.Agents, func(agent record.Agent) bool {
		left := a.recordedWorktree(&agent)
		_, err := os.Stat(left.worktree)
		return left.worktree == "" || err != nil
	}), err
}

// awaitGroupEnd returns the agents of a group when all have ended. With Force it cancels them and
// waits; otherwise it returns an error while agents are active.
func (a *Agents) awaitGroupEnd(ctx context.Context, args DeleteGroupArgs, r *DeleteGroupResult) ([]record.Agent, error) {
	page, err := a.store.Agents(ctx, record.Query{GroupID: args.GroupID})
	if err != nil {
		return nil, broken(err, "the agents of the group were not found")
	}
	busy := activeAgentIDs(page.Agents)
	if len(busy) == 0 {
		return page.Agents, nil
	}
	if !args.Force {
		return nil, problem(codeGroupBusy, "Wait for them with wait_agent, or call with force=true to cancel them.", "%d agents of the group have not ended: %s", len(busy), joinIDs(busy))
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.WaitTimeout)
	defer cancel()
	for _, id := range busy {
		if a.stop(id, "its group is being deleted") && !slices.Contains(r.Cancelled, id) {
			r.Cancelled = append(r.Cancelled, id)
		}
	}
	for _, id := range busy {
		if _, err := a.awaitEnd(ctx, id); err != nil {
			return nil, problem(codeGroupBusy, "Call again.", "agent %s has not ended yet", id)
		}
	}
	return a.awaitGroupEnd(ctx, args, r)
}

// activeAgentIDs returns the IDs of agents that have not ended.
func activeAgentIDs(all []record.Agent) []string {
	var ids []string
	for _, agent := range all {
		if !agent.Status.Ended() {
			ids = append(ids, agent.ID)
		}
	}
	return ids
}

// RemoveGroup deletes a group of any principal on behalf of the operator. force cancels its active
// agents.
func (a *Agents) RemoveGroup(ctx context.Context, groupID string, force bool) error {
	r, err := a.DeleteGroup(asOperator(ctx), DeleteGroupArgs{GroupID: groupID, Force: force})
	for _, kept := range r.KeptWorktrees {
		a.log.Warn("a worktree was kept when its group was deleted", slog.String("agent", kept.AgentID), slog.String("directory", kept.Path), slog.String("branch", kept.Branch), slog.String("why", kept.Reason))
	}
	return err
}
