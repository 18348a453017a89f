package githubtest

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// condition is one operand of OR in a query.
type condition struct {
	repos, labels, words []string
	state, assignee      string
	author               string
	issues, titles       bool
	unassigned           bool // only issues without assignees
}

// search serves a search like GitHub: several repositories are alternatives, and a bare OR starts a new condition without the
// qualifiers of the previous one.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query().Get("q")
	if utf8.RuneCountInString(q) > 1000 || strings.TrimSpace(q) == "" {
		writeError(w, http.StatusUnprocessableEntity, "Validation Failed", "https://docs.github.com/v3/search", map[string]string{"resource": "Search", "field": "q", "code": "missing"})
		return
	}
	conditions := parseQuery(q)
	for _, c := range conditions {
		for _, name := range c.repos {
			if repo, _ := s.find(name); repo == nil {
				writeError(w, http.StatusUnprocessableEntity, "Validation Failed", "https://docs.github.com/v3/search/", map[string]string{
					"message":  "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
					"resource": "Search", "field": "q", "code": "invalid",
				})
				return
			}
		}
	}
	var found []map[string]any
	for _, repo := range s.repos {
		for _, i := range slices.Backward(repo.issues) {
			if !i.Unindexed && slices.ContainsFunc(conditions, func(c condition) bool { return c.matches(s, repo, i) }) {
				v := repo.json(r, i)
				v["score"] = 1.0
				found = append(found, v)
			}
		}
	}
	shown := paginate(w, r, found[:min(len(found), 1000)])
	writeJSON(w, r, http.StatusOK, map[string]any{"total_count": len(found), "incomplete_results": false, "items": list(shown)})
}

// matches reports whether an issue fulfils the condition.
func (c condition) matches(s *Server, repo *Repo, i *Issue) bool {
	text := strings.ToLower(i.Title)
	if !c.titles {
		text += "\n" + strings.ToLower(i.Body)
	}
	return (len(c.repos) == 0 || slices.ContainsFunc(c.repos, func(name string) bool { r, _ := s.find(name); return r == repo })) &&
		!(c.issues && i.PullRequest) && (c.state == "" || c.state == i.State) && i.labelled(c.labels...) && i.assigned(c.assignee) &&
		!(c.unassigned && len(i.Assignees) > 0) && (c.author == "" || strings.EqualFold(c.author, i.Author)) &&
		!slices.ContainsFunc(c.words, func(word string) bool { return !strings.Contains(text, word) })
}

// parseQuery parses a query into its conditions.
func parseQuery(q string) []condition {
	all := []condition{{}}
	for q = strings.TrimSpace(q); q != ""; q = strings.TrimLeftFunc(q, unicode.IsSpace) {
		var word string
		var quoted bool
		word, quoted, q = nextToken(q)
		c := &all[len(all)-1]
		name, value, found := strings.Cut(word, ":")
		value = strings.Trim(value, `"`)
		switch {
		case quoted || !found && word != "OR":
			c.words = append(c.words, strings.ToLower(strings.Trim(word, `"`)))
		case word == "OR":
			all = append(all, condition{})
		case name == "repo":
			c.repos = append(c.repos, value)
		case name == "is" && value == "issue":
			c.issues = true
		case name == "state" || name == "is":
			c.state = value
		case name == "label":
			c.labels = append(c.labels, value)
		case name == "assignee":
			c.assignee = value
		case name == "author":
			c.author = value
		case name == "no" && value == "assignee":
			c.unassigned = true
		case name == "in":
			c.titles = value == "title"
		}
	}
	return all
}

// nextToken returns the first word of a query and the rest. A quoted phrase is one word.
func nextToken(q string) (word string, quoted bool, rest string) {
	within := false
	for at, r := range q {
		switch {
		case r == '"':
			within = !within
		case !within && unicode.IsSpace(r):
			return q[:at], strings.HasPrefix(q, `"`), q[at:]
		}
	}
	return q, strings.HasPrefix(q, `"`), ""
}
