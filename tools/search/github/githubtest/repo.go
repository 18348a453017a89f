package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Repo is a repository of a Server. It is safe for concurrent use.
type Repo struct {
	server *Server
	id     int
	name   string
	former []string // earlier names
	next   int      // number of the next issue

	issues         []*Issue
	labels         []string
	users          []string // users that can be assigned
	milestones     []milestone
	issuesDisabled bool
}

// Issue is an issue or a pull request.
type Issue struct {
	// Number is assigned by AddIssue if it is 0.
	Number            int
	Title, Body       string
	State             string // empty means "open"
	Labels, Assignees []string
	Author            string
	Comments          int
	Created, Updated  time.Time // zero means now
	Milestone         int
	PullRequest       bool
	// Unindexed issues are not found by searches. Issues created over HTTP are unindexed until Repo.IndexIssues is called.
	Unindexed bool
}

type milestone struct {
	number       int
	title, state string
}

// Add adds a repository named "owner/name".
func (s *Server) Add(name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Repo{server: s, id: 1000 + len(s.repos), name: name, next: 1}
	s.repos = append(s.repos, r)
	return r
}

// AddIssue adds an issue and returns its number.
func (r *Repo) AddIssue(i Issue) int {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return r.add(i).Number
}

func (r *Repo) add(i Issue) *Issue {
	if i.Number == 0 {
		i.Number = r.next
	}
	r.next = max(r.next, i.Number+1)
	if i.State == "" {
		i.State = "open"
	}
	if i.Author == "" {
		i.Author = "octocat"
	}
	if i.Created.IsZero() {
		i.Created = time.Now().UTC().Truncate(time.Second)
	}
	if i.Updated.IsZero() {
		i.Updated = i.Created
	}
	r.issues = append(r.issues, &i)
	return &i
}

// Issues returns the issues in order of creation.
func (r *Repo) Issues() []Issue {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	var all []Issue
	for _, i := range r.issues {
		all = append(all, *i)
	}
	return all
}

// IndexIssues makes all issues visible to searches.
func (r *Repo) IndexIssues() {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	for _, i := range r.issues {
		i.Unindexed = false
	}
}

// Close closes the issue with this number.
func (r *Repo) Close(number int) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	for _, i := range r.issues {
		if i.Number == number {
			i.State = "closed"
		}
	}
}

// AddLabels adds labels.
func (r *Repo) AddLabels(names ...string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.labels = append(r.labels, names...)
}

// AddUsers adds users that can be assigned.
func (r *Repo) AddUsers(names ...string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.users = append(r.users, names...)
}

// AddMilestone adds a milestone and returns its number. state is "open" or "closed".
func (r *Repo) AddMilestone(title, state string) int {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.milestones = append(r.milestones, milestone{len(r.milestones) + 1, title, state})
	return len(r.milestones)
}

// Rename changes the name. Requests for the old name are redirected.
func (r *Repo) Rename(name string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.former, r.name = append(r.former, r.name), name
}

// DisableIssues disables issues: requests for them fail with 410.
func (r *Repo) DisableIssues() {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.issuesDisabled = true
}

// find returns the repository with a current or earlier name. moved is true for an earlier one.
func (s *Server) find(name string) (r *Repo, moved bool) {
	for _, r := range s.repos {
		if strings.EqualFold(r.name, name) {
			return r, false
		}
	}
	for _, r := range s.repos {
		if slices.ContainsFunc(r.former, func(f string) bool { return strings.EqualFold(f, name) }) {
			return r, true
		}
	}
	return nil, false
}

func (s *Server) repository(w http.ResponseWriter, r *http.Request, name string, rest []string) {
	repo, moved := s.find(name)
	if repo == nil {
		notFound(w)
		return
	}
	if moved {
		status := http.StatusMovedPermanently
		if r.Method != http.MethodGet {
			status = http.StatusTemporaryRedirect
		}
		to := fmt.Sprintf("http://%s/repositories/%d/%s", r.Host, repo.id, strings.Join(rest, "/"))
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		writeError(w, status, "Moved Permanently", "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects")
		return
	}
	repo.serve(w, r, rest)
}

func (r *Repo) serve(w http.ResponseWriter, req *http.Request, rest []string) {
	path := strings.Join(rest, "/")
	switch {
	case path == "" && req.Method == http.MethodGet:
		owner, name, _ := strings.Cut(r.name, "/")
		writeJSON(w, req, http.StatusOK, map[string]any{"id": r.id, "name": name, "full_name": r.name, "private": false, "owner": user(owner), "has_issues": !r.issuesDisabled})
	case path == "issues" && r.issuesDisabled:
		writeError(w, http.StatusGone, "Issues has been disabled in this repository.", "https://docs.github.com/v3/issues/")
	case path == "issues" && req.Method == http.MethodGet:
		r.list(w, req)
	case path == "issues" && req.Method == http.MethodPost:
		r.create(w, req)
	case path == "labels" && req.Method == http.MethodGet:
		var all []map[string]any
		for _, name := range r.labels {
			all = append(all, label(name))
		}
		writeJSON(w, req, http.StatusOK, list(paginate(w, req, all)))
	case len(rest) == 2 && rest[0] == "assignees" && req.Method == http.MethodGet:
		if slices.ContainsFunc(r.users, func(u string) bool { return strings.EqualFold(u, rest[1]) }) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		notFound(w)
	case len(rest) > 0 && rest[0] == "milestones" && req.Method == http.MethodGet:
		r.milestone(w, req, rest[1:])
	default:
		notFound(w)
	}
}

func (r *Repo) milestone(w http.ResponseWriter, req *http.Request, rest []string) {
	state := req.URL.Query().Get("state")
	var all []map[string]any
	for _, m := range r.milestones {
		switch {
		case len(rest) == 1 && rest[0] == strconv.Itoa(m.number):
			writeJSON(w, req, http.StatusOK, m.json())
			return
		case state == "all" || m.state == state || state == "" && m.state == "open":
			all = append(all, m.json())
		}
	}
	if len(rest) > 0 {
		notFound(w)
		return
	}
	writeJSON(w, req, http.StatusOK, list(paginate(w, req, all)))
}

func (r *Repo) list(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	since, _ := time.Parse(time.RFC3339, q.Get("since"))
	var found []map[string]any
	for _, i := range slices.Backward(r.issues) { // the newest first
		state := q.Get("state")
		if state == "" {
			state = "open"
		}
		if state != "all" && i.State != state || i.Updated.Before(since) || !i.assigned(q.Get("assignee")) {
			continue
		}
		if names := q.Get("labels"); names == "" || i.labelled(strings.Split(names, ",")...) {
			found = append(found, r.json(req, i))
		}
	}
	writeJSON(w, req, http.StatusOK, list(paginate(w, req, found)))
}

func (r *Repo) create(w http.ResponseWriter, req *http.Request) {
	var in struct {
		Title, Body       string
		Labels, Assignees []string
		Milestone         int
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		writeError(w, http.StatusBadRequest, "Problems parsing JSON", "https://docs.github.com/rest/issues/issues#create-an-issue")
		return
	}
	const page = "https://docs.github.com/rest/issues/issues#create-an-issue"
	switch {
	case in.Title == "":
		writeError(w, http.StatusUnprocessableEntity, "Validation Failed", page, map[string]string{"resource": "Issue", "code": "missing_field", "field": "title"})
		return
	case in.Milestone != 0 && !slices.ContainsFunc(r.milestones, func(m milestone) bool { return m.number == in.Milestone }):
		writeError(w, http.StatusUnprocessableEntity, "Validation Failed", page, map[string]string{"resource": "Issue", "code": "invalid", "field": "milestone", "value": strconv.Itoa(in.Milestone)})
		return
	}
	i := r.add(Issue{Title: in.Title, Body: in.Body, Labels: in.Labels, Assignees: in.Assignees, Milestone: in.Milestone, Unindexed: true})
	w.Header().Set("Location", fmt.Sprintf("http://%s/repos/%s/issues/%d", req.Host, r.name, i.Number))
	writeJSON(w, req, http.StatusCreated, r.json(req, i))
}
