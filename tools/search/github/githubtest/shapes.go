package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// list returns a list that is encoded as [] instead of null.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func user(login string) map[string]any {
	return map[string]any{
		"login": login, "id": 583231, "node_id": "MDQ6VXNlcjU4MzIzMQ==", "avatar_url": "https://avatars.githubusercontent.com/u/583231?v=4", "gravatar_id": "",
		"url": "https://api.github.com/users/" + login, "html_url": "https://github.com/" + login, "type": "User", "user_view_type": "public", "site_admin": false,
	}
}

func label(name string) map[string]any {
	return map[string]any{"id": 208045946, "node_id": "MDU6TGFiZWwyMDgwNDU5NDY=", "name": name, "description": nil, "color": "f29513", "default": false}
}

func (m milestone) json() map[string]any {
	return map[string]any{"id": 1002604, "number": m.number, "title": m.title, "state": m.state, "description": nil, "open_issues": 4, "closed_issues": 8, "due_on": nil}
}

// json returns an issue in the format of GitHub.
func (r *Repo) json(req *http.Request, i *Issue) map[string]any {
	base := fmt.Sprintf("http://%s/repos/%s", req.Host, r.name)
	kind := "issues"
	if i.PullRequest {
		kind = "pull"
	}
	html := fmt.Sprintf("https://github.com/%s/%s/%d", r.name, kind, i.Number)
	labels, assignees := []map[string]any{}, []map[string]any{}
	for _, name := range i.Labels {
		labels = append(labels, label(name))
	}
	for _, name := range i.Assignees {
		assignees = append(assignees, user(name))
	}
	v := map[string]any{
		"id": 1_000_000 + i.Number, "node_id": "MDU6SXNzdWUx", "number": i.Number, "title": i.Title, "state": i.State, "locked": false,
		"url": fmt.Sprintf("%s/issues/%d", base, i.Number), "repository_url": base, "html_url": html, "comments_url": fmt.Sprintf("%s/issues/%d/comments", base, i.Number),
		"user": user(i.Author), "labels": labels, "assignee": nil, "assignees": assignees, "milestone": nil, "comments": i.Comments,
		"created_at": i.Created.UTC().Format(time.RFC3339), "updated_at": i.Updated.UTC().Format(time.RFC3339), "closed_at": nil,
		"author_association": "COLLABORATOR", "active_lock_reason": nil, "body": nil, "state_reason": nil,
	}
	if i.Body != "" {
		v["body"] = i.Body
	}
	if len(assignees) > 0 {
		v["assignee"] = assignees[0]
	}
	for _, m := range r.milestones {
		if m.number == i.Milestone {
			v["milestone"] = m.json()
		}
	}
	if i.PullRequest {
		v["pull_request"] = map[string]any{"url": fmt.Sprintf("%s/pulls/%d", base, i.Number), "html_url": html, "merged_at": nil}
	}
	return v
}

func (i *Issue) labelled(names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, name) }) {
			return false
		}
	}
	return true
}

// assigned reports whether the issue matches an assignee filter: a login, "none", "*" for any user, or "" for all issues.
func (i *Issue) assigned(to string) bool {
	switch to {
	case "":
		return true
	case "none":
		return len(i.Assignees) == 0
	case "*":
		return len(i.Assignees) > 0
	}
	return slices.ContainsFunc(i.Assignees, func(a string) bool { return strings.EqualFold(a, to) })
}
