package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Errors of stores, to be wrapped with what was being done.
var (
	// ErrNotFound is a group or an agent that is not there.
	ErrNotFound = errors.New("not found")
	// ErrExists is an identifier that is taken.
	ErrExists = errors.New("exists already")
)

// Store keeps groups and agents. It may be used concurrently. What it answers is the caller's own.
type Store interface {
	// CreateGroup adds a group, without agents; ErrExists if its ID is taken.
	CreateGroup(ctx context.Context, g Group) error
	// UpdateGroup changes a group, atomically: change may be called more than once. Its error leaves all as it was.
	// Identifiers and the principal stay, and so do the agents of a group, which CreateAgent alone adds to.
	UpdateGroup(ctx context.Context, id string, change func(*Group) error) (Group, error)
	// Group answers a group, deleted ones too.
	Group(ctx context.Context, id string) (Group, error)
	// Groups answers groups in the order in which they were made; those that were deleted only if asked for.
	Groups(ctx context.Context, deleted bool) ([]Group, error)

	// CreateAgent adds an agent and puts its ID into its group, in one step. ErrExists if its ID is taken, ErrNotFound
	// if there is no such active group.
	CreateAgent(ctx context.Context, a Agent) error
	// UpdateAgent changes an agent as UpdateGroup does a group, and counts its Version up.
	UpdateAgent(ctx context.Context, id string, change func(*Agent) error) (Agent, error)
	// Agent answers an agent.
	Agent(ctx context.Context, id string) (Agent, error)
	// Agents answers a page of agents.
	Agents(ctx context.Context, q Query) (Page, error)

	// Close releases the store, with everything written.
	Close() error
}

// Query says which agents are asked for. The zero value asks for all, the oldest first.
type Query struct {
	GroupID string
	Role    string
	// Principal is the principal whose agents are asked for; nil is all.
	Principal *string
	// Statuses are those wanted of Status or of Outcome; none is all.
	Statuses []Status
	// Text is looked for in identifiers, prompts and summaries, without regard to case.
	Text string
	// Since and Until bound CreatedAt; zero times do not.
	Since, Until time.Time
	// Newest turns the order around.
	Newest bool
	// Offset and Limit choose the page; Limit 0 is all.
	Offset, Limit int
}

// Page is a part of the agents that a Query asks for.
type Page struct {
	Agents []Agent
	// Total is how many agents fit the query.
	Total int
}

// Match reports whether an agent is one of those that are asked for; where it stands among them is not looked at.
func (q Query) Match(a *Agent) bool {
	switch {
	case q.GroupID != "" && a.GroupID != q.GroupID,
		q.Role != "" && a.Role != q.Role,
		q.Principal != nil && a.Principal != *q.Principal,
		len(q.Statuses) > 0 && !slices.Contains(q.Statuses, a.Status) && (a.Outcome == "" || !slices.Contains(q.Statuses, a.Outcome)),
		!q.Since.IsZero() && a.CreatedAt.Before(q.Since),
		!q.Until.IsZero() && !a.CreatedAt.Before(q.Until):
		return false
	}
	return q.Text == "" || strings.Contains(a.SearchText(), strings.ToLower(q.Text))
}

// SearchText is what the Text of a Query is looked for in, in lower case: identifiers, the prompt and summaries, a NUL
// between them.
func (a *Agent) SearchText() string {
	parts := []string{a.ID, a.GroupID, a.Prompt}
	if a.Report != nil {
		parts = append(parts, a.Report.Summary)
	}
	if a.Result != nil {
		parts = append(parts, a.Result.Summary)
	}
	return strings.ToLower(strings.Join(parts, "\x00"))
}
