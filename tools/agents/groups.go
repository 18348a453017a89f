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

// maxDescription bounds the description of a group, in bytes.
const maxDescription = 1 << 10

// GroupArgs are the arguments of create_group.
type GroupArgs struct {
	Description string `json:"description" jsonschema:"minLength=1,description=What the agents in it are for"`
}

// GroupResult is what create_group answers.
type GroupResult struct {
	GroupID     string             `json:"groupId"`
	Description string             `json:"description"`
	CreatedAt   time.Time          `json:"createdAt"`
	Status      record.GroupStatus `json:"status"`
}

// TextContent is the ID of the group.
func (r GroupResult) TextContent() string { return "group " + r.GroupID + " was made" }

// CreateGroup is create_group.
func (a *Agents) CreateGroup(ctx context.Context, args GroupArgs) (GroupResult, error) {
	if strings.TrimSpace(args.Description) == "" || len(args.Description) > maxDescription || !utf8.ValidString(args.Description) {
		return GroupResult{}, invalid("Say in a sentence what the agents are for.", "the description has %d bytes, and must be text of 1 to %d", len(args.Description), maxDescription)
	}
	principal, err := a.principal(ctx)
	if err != nil {
		return GroupResult{}, err
	}
	g := record.Group{Principal: principal, Description: args.Description, Status: record.GroupActive, CreatedAt: now(), AgentIDs: []string{}}
	for try := 1; ; try++ {
		g.ID = newID("grp")
		err := a.store.CreateGroup(ctx, g)
		if errors.Is(err, record.ErrExists) && try < triesForID {
			continue
		}
		if err != nil {
			return GroupResult{}, broken(err, "the group was not made")
		}
		break
	}
	if caller := callerFrom(ctx); caller != "" {
		a.mu.Lock()
		a.owners[g.ID] = caller
		a.mu.Unlock()
	}
	a.emit(ctx, record.Event{Type: record.GroupCreated, GroupID: g.ID}, g)
	return GroupResult{GroupID: g.ID, Description: g.Description, CreatedAt: g.CreatedAt, Status: g.Status}, nil
}

// DeleteGroupArgs are the arguments of delete_group.
type DeleteGroupArgs struct {
	GroupID string `json:"groupId"`
	// Force cancels agents that have not ended.
	Force bool `json:"force,omitempty" jsonschema:"description=Cancel agents that run"`
}

// DeleteGroupResult is what delete_group answers.
type DeleteGroupResult struct {
	Deleted bool   `json:"deleted"`
	GroupID string `json:"groupId"`
	// Cancelled are agents that were cancelled for it.
	Cancelled []string `json:"cancelled,omitempty"`
	// KeptWorktrees are worktrees with work that is nowhere else.
	KeptWorktrees []KeptWorktree `json:"keptWorktrees,omitempty"`
}

// KeptWorktree is a worktree that was not removed.
type KeptWorktree struct {
	AgentID string `json:"agentId"`
	Path    string `json:"path"`
	Branch  string `json:"branch"`
	Reason  string `json:"reason"`
}

// TextContent says what was deleted, and what was not.
func (r DeleteGroupResult) TextContent() string {
	text := "group " + r.GroupID + " was deleted"
	if len(r.Cancelled) > 0 {
		text += fmt.Sprintf("; %d agents were cancelled", len(r.Cancelled))
	}
	for _, kept := range r.KeptWorktrees {
		text += fmt.Sprintf("\nkept: %s on branch %s of %s: %s", kept.Path, kept.Branch, kept.AgentID, kept.Reason)
	}
	if len(r.KeptWorktrees) > 0 {
		text += "\n[call delete_group again once the work is merged, or not needed any more and removed with git worktree remove]"
	}
	return text
}

// DeleteGroup is delete_group. The records of its agents are kept. Of a group that was deleted it removes the worktrees that were kept
// then, if nothing would be lost by that any more.
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
	if caller := callerFrom(ctx); caller != "" && a.ownerOf(args.GroupID) != caller {
		return DeleteGroupResult{}, unknownGroup(args.GroupID)
	}
	entry, err := a.audit.Begin(ctx, audit.Entry{Operation: "delete_group", Params: args})
	if err != nil {
		return DeleteGroupResult{}, err
	}
	r, err := remove(ctx, args)
	return r, errors.Join(err, entry.End(err))
}

func (a *Agents) deleteGroup(ctx context.Context, args DeleteGroupArgs) (DeleteGroupResult, error) {
	r := DeleteGroupResult{GroupID: args.GroupID}
	errGrown := errors.New("the group has got another agent")
	for {
		seen, err := a.activeGroup(ctx, args.GroupID)
		if err != nil {
			return r, err
		}
		members, err := a.settled(ctx, args, &r)
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
		delete(a.owners, g.ID)
		a.mu.Unlock()
		a.emit(ctx, record.Event{Type: record.GroupRemoved, GroupID: g.ID}, g)
		r.Deleted = true
		r.KeptWorktrees = a.removeWorktrees(ctx, members)
		return r, nil
	}
}

// keptWorktrees are the agents of a deleted group whose worktrees are there still.
func (a *Agents) keptWorktrees(ctx context.Context, groupID string) ([]record.Agent, error) {
	g, err := a.group(ctx, groupID)
	if err != nil || g.Status != record.GroupDeleted {
		return nil, err
	}
	page, err := a.store.Agents(ctx, record.Query{GroupID: groupID})
	return slices.DeleteFunc(page.Agents, func(agent record.Agent) bool {
		left := a.worktreeLeft(&agent)
		_, err := os.Stat(left.worktree)
		return left.worktree == "" || err != nil
	}), err
}

// settled answers the agents of a group once all have ended.
func (a *Agents) settled(ctx context.Context, args DeleteGroupArgs, r *DeleteGroupResult) ([]record.Agent, error) {
	page, err := a.store.Agents(ctx, record.Query{GroupID: args.GroupID})
	if err != nil {
		return nil, broken(err, "the agents of the group were not found")
	}
	busy := unended(page.Agents)
	if len(busy) == 0 {
		return page.Agents, nil
	}
	if !args.Force {
		return nil, problem(codeGroupBusy, "Wait for them with wait_agent, or call with force=true to cancel them.", "%d agents of the group have not ended: %s", len(busy), listed(busy))
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.Patience)
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
	return a.settled(ctx, args, r)
}

func unended(all []record.Agent) []string {
	var ids []string
	for _, agent := range all {
		if !agent.Status.Ended() {
			ids = append(ids, agent.ID)
		}
	}
	return ids
}

// RemoveGroup deletes a group of any principal for a person, with all that has not ended in it if force is set.
func (a *Agents) RemoveGroup(ctx context.Context, groupID string, force bool) error {
	r, err := a.DeleteGroup(asOperator(ctx), DeleteGroupArgs{GroupID: groupID, Force: force})
	for _, kept := range r.KeptWorktrees {
		a.log.Warn("a worktree was kept when its group was deleted", slog.String("agent", kept.AgentID), slog.String("directory", kept.Path), slog.String("branch", kept.Branch), slog.String("why", kept.Reason))
	}
	return err
}
