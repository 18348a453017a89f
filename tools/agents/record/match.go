package record

import (
	"slices"
	"strings"
)

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
