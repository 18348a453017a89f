package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// recentIssues is the number of newest issues that are checked before a creation.
	recentIssues = 30
	// maxDuplicates limits the returned duplicates.
	maxDuplicates = 10
)

// prepare searches for an earlier creation and for duplicates, and resolves labels, assignees and the milestone. created.Issue
// is set if the issue exists.
func (p *Plugin) prepare(ctx context.Context, d draft) (created plugin.Created, request *api.IssueRequest, err error) {
	recent, _, err := p.client.Issues.ListByRepo(ctx, d.repo.owner, d.repo.name, &api.IssueListByRepoOptions{
		State: "all", Sort: "created", Direction: "desc", ListOptions: api.ListOptions{PerPage: recentIssues},
	})
	if err != nil {
		return created, nil, err
	}
	if slices.ContainsFunc(recent, func(i *api.Issue) bool { return i.GetNumber() <= 0 }) {
		return created, nil, errUnexpectedResult // the list is incomplete and may omit the issue
	}
	recent = withoutPullRequests(recent)
	for _, i := range recent {
		if d.matches(i) {
			issue := toIssue(i, d.repo)
			return plugin.Created{Issue: &issue, Existing: true, Milestone: i.GetMilestone().GetNumber()}, nil, nil
		}
	}
	request = &api.IssueRequest{Title: &d.title, Body: api.Ptr(d.text())}
	labels, err := p.labels(ctx, d)
	if err != nil {
		return created, nil, err
	}
	if err := p.assignees(ctx, d); err != nil {
		return created, nil, err
	}
	if created.Milestone, err = p.milestone(ctx, d); err != nil {
		return created, nil, err
	}
	if !d.allowDuplicates {
		if created.Duplicates, err = p.duplicates(ctx, d, recent); err != nil {
			return plugin.Created{}, nil, err
		}
	}
	if len(labels) > 0 {
		request.Labels = &labels
	}
	if len(d.assignees) > 0 {
		request.Assignees = &d.assignees
	}
	if created.Milestone > 0 {
		request.Milestone = &created.Milestone
	}
	return created, request, nil
}

// duplicates returns open issues with the same title, from the recent ones, which searches do not contain yet, and from a
// search.
func (p *Plugin) duplicates(ctx context.Context, d draft, recent []*api.Issue) ([]plugin.Issue, error) {
	var found []plugin.Issue
	add := func(all []*api.Issue) {
		for _, i := range all {
			s := toIssue(i, d.repo)
			if i.GetState() != "open" || titleKey(i.GetTitle()) != titleKey(d.title) || len(found) == maxDuplicates ||
				slices.ContainsFunc(found, func(f plugin.Issue) bool { return f.Number == s.Number }) {
				continue
			}
			found = append(found, s)
		}
	}
	add(recent)
	got, _, err := p.client.Search.Issues(ctx, titleQuery(d), &api.SearchOptions{ListOptions: api.ListOptions{PerPage: recentIssues}})
	if err != nil {
		return nil, err
	}
	add(withoutPullRequests(got.Issues))
	return found, nil
}

// maxTitleQuery is the number of characters of a title that are searched. The limit of a query includes other parts; titles are
// compared afterwards.
const maxTitleQuery = 120

// titleQuery returns a query for open issues with the words of a title.
func titleQuery(d draft) string {
	query := "repo:" + d.repo.String() + " is:issue state:open in:title"
	left := maxTitleQuery
	for _, word := range strings.Fields(titleKey(d.title)) {
		letters := []rune(word)
		letters = letters[:min(len(letters), left)]
		if word = quoteWord(string(letters)); word == "" {
			continue
		}
		query += " " + word
		if left -= len(letters) + 1; left <= 0 {
			break
		}
	}
	return query
}

// labels returns the labels of the draft as spelled in the repository. Unknown labels are an error, because GitHub would create
// or silently drop them.
func (p *Plugin) labels(ctx context.Context, d draft) ([]string, error) {
	if len(d.labels) == 0 {
		return nil, nil
	}
	var known []string
	o := &api.ListOptions{PerPage: 100, Page: 1}
	for o.Page > 0 && o.Page <= maxPages {
		got, answer, err := p.client.Issues.ListLabels(ctx, d.repo.owner, d.repo.name, o)
		if err != nil {
			return nil, err
		}
		for _, l := range got {
			known = append(known, l.GetName())
		}
		o.Page = answer.NextPage
	}
	complete := o.Page == 0
	var labels []string
	for _, label := range d.labels {
		at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, label) })
		switch {
		case at >= 0:
			labels = append(labels, known[at])
		case complete:
			return nil, missingError("label", label, d.repo, known)
		default:
			labels = append(labels, label) // the repository has more labels than were listed
		}
	}
	return labels, nil
}

// missingError is the error of a name that the repository does not have.
func missingError(kind, name string, r repository, known []string) error {
	next := "Omit it, or ask the user to create it."
	if near := nearest.Name(name, known); near != "" {
		next = "Did you mean " + strconv.Quote(truncate.Line(near, maxLabel)) + "? Otherwise leave it out."
	} else if len(known) > 0 {
		next = "There are " + truncate.Line(strings.Join(known[:min(len(known), 20)], ", "), 400) + ". Use one of them, or leave it out."
	}
	return invalid(next, "%s has no %s %q", r, kind, truncate.Line(name, maxLabel))
}

// assignees checks that the assignees can be assigned, because GitHub silently drops others.
func (p *Plugin) assignees(ctx context.Context, d draft) error {
	for _, name := range d.assignees {
		ok, _, err := p.client.Issues.IsAssignee(ctx, d.repo.owner, d.repo.name, name)
		if err != nil {
			return err
		}
		if !ok {
			return invalid("Omit it, or name a collaborator of the repository.", "%s cannot be assigned to issues of %s", name, d.repo)
		}
	}
	return nil
}

// milestone returns the number of the milestone; 0 for none.
func (p *Plugin) milestone(ctx context.Context, d draft) (int, error) {
	if d.milestone == "" {
		return 0, nil
	}
	var known []string
	for _, state := range []string{"open", "closed"} {
		o := &api.MilestoneListOptions{State: state, ListOptions: api.ListOptions{PerPage: 100, Page: 1}}
		for o.Page > 0 && o.Page <= maxPages {
			got, answer, err := p.client.Issues.ListMilestones(ctx, d.repo.owner, d.repo.name, o)
			if err != nil {
				return 0, err
			}
			for _, m := range got {
				if strings.EqualFold(cleanTitle(m.GetTitle()), cleanTitle(d.milestone)) && m.GetNumber() > 0 {
					return m.GetNumber(), nil
				}
				known = append(known, m.GetTitle())
			}
			o.Page = answer.NextPage
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(d.milestone, "#")); err == nil && n > 0 {
		got, _, err := p.client.Issues.GetMilestone(ctx, d.repo.owner, d.repo.name, n)
		var answer *api.ErrorResponse
		switch {
		case err == nil && got.GetNumber() == n:
			return n, nil
		case err != nil && !(errors.As(err, &answer) && answer.Response.StatusCode == http.StatusNotFound):
			return 0, err
		}
	}
	return 0, missingError("milestone", d.milestone, d.repo, known)
}
