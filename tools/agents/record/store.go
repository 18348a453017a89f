package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Errors of stores. Implementations wrap them with the operation.
var (
	// ErrNotFound is returned for an unknown group or agent.
	ErrNotFound = errors.New("not found")
	// ErrExists is returned if the identifier of a new record is taken.
	ErrExists = errors.New("exists already")
)

// Store keeps groups and agents. It is safe for concurrent use. Callers may change the values that
// it returns.
type Store interface {
	// CreateGroup adds a group without agents. It returns ErrExists if the ID is taken.
	CreateGroup(ctx context.Context, g Group) error
	// UpdateGroup changes a group atomically. change may be called several times; if it returns an
	// error, the group stays unchanged. change must not modify the ID and the principal; its
	// changes of AgentIDs are ignored, because only CreateAgent adds agents.
	UpdateGroup(ctx context.Context, id string, change func(*Group) error) (Group, error)
	// Group returns a group, deleted or not.
	Group(ctx context.Context, id string) (Group, error)
	// Groups returns the groups in the order of their creation; deleted ones only if deleted is
	// set.
	Groups(ctx context.Context, deleted bool) ([]Group, error)

	// CreateAgent adds an agent and appends its ID to its group in one step. It returns ErrExists
	// if the ID is taken, and ErrNotFound without such an active group.
	CreateAgent(ctx context.Context, a Agent) error
	// UpdateAgent changes an agent like UpdateGroup, and increments its Version.
	UpdateAgent(ctx context.Context, id string, change func(*Agent) error) (Agent, error)
	// Agent returns an agent.
	Agent(ctx context.Context, id string) (Agent, error)
	// Agents returns the page of agents that q selects.
	Agents(ctx context.Context, q Query) (Page, error)

	// Close writes all records and releases the store.
	Close() error
}

// Query selects agents. All set fields must match. The zero value selects all, oldest first.
type Query struct {
	// GroupID and Role select by equality; empty matches all.
	GroupID string
	Role    string
	// Principal selects the agents of a principal; nil matches all.
	Principal *string
	// Statuses matches agents whose Status or Outcome is in the list; empty matches all.
	Statuses []Status
	// Text is searched in identifiers, prompts and summaries, ignoring case.
	Text string
	// Since and Until limit CreatedAt: Since inclusive, Until exclusive. Zero times do not limit
	// it.
	Since, Until time.Time
	// Newest returns the newest agents first.
	Newest bool
	// Offset and Limit select the page; Limit 0 means no limit.
	Offset, Limit int
}

// Page is a part of the agents that a Query selects.
type Page struct {
	Agents []Agent
	// Total is the number of matching agents on all pages.
	Total int
}

// Match reports whether q selects an agent. It ignores Offset and Limit.
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

// SearchText returns the text in which Query.Text is searched, in lower case: identifiers, prompt
// and summaries, separated by NUL.
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
