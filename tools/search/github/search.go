package github

import (
	"context"
	"errors"
	"strings"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// maxPages limits the pages that are read of a list. Lists also contain pull requests, which are dropped.
const maxPages = 10

// SearchIssues implements plugin.Issues. Issues are ordered by relevance, or newest first without a text. If GitHub is
// unreachable, a cached result of up to ten minutes is returned with its Age.
func (p *Plugin) SearchIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	a, err := p.parseQuery(q)
	if err != nil {
		return plugin.IssueList{}, err
	}
	ctx, cancel, err := p.withLifetime(ctx)
	if err != nil {
		return plugin.IssueList{}, err
	}
	defer cancel()
	fresh, f := allowStale(ctx)
	ask := p.queryIssues
	if a.canList() {
		ask = p.listIssues
	}
	list, err := ask(fresh, a)
	if err != nil {
		return plugin.IssueList{}, p.explain(ctx, err, a.repo, "searching the issues of "+a.repo.String())
	}
	if list.Age = f.age; f.age == 0 {
		p.health.record(nil)
	}
	return list, nil
}

// errUnexpectedResult is the error of a response without a valid list of issues.
var errUnexpectedResult = errors.New("the response is not a list of issues")

// queryIssues uses the search API.
func (p *Plugin) queryIssues(ctx context.Context, a issueQuery) (plugin.IssueList, error) {
	list := plugin.IssueList{Issues: []plugin.Issue{}}
	o := &api.SearchOptions{ListOptions: api.ListOptions{PerPage: min(a.limit, 100), Page: 1}}
	name := "" // current name of a renamed repository
	for len(list.Issues) < a.limit {
		got, answer, err := p.client.Search.Issues(ctx, a.query(), o)
		if err != nil {
			return plugin.IssueList{}, err
		}
		if got.Total == nil {
			return plugin.IssueList{}, errUnexpectedResult
		}
		list.Total, list.Incomplete = max(got.GetTotal(), 0), list.Incomplete || got.GetIncompleteResults()
		for _, i := range withoutPullRequests(got.Issues) {
			s := toIssue(i, a.repo)
			if len(list.Issues) == a.limit {
				break
			}
			if !a.repo.equals(s.Repo) && name == "" {
				if name, err = p.currentName(ctx, a.repo); err != nil {
					return plugin.IssueList{}, err
				}
			}
			if a.repo.equals(s.Repo) || strings.EqualFold(name, s.Repo) {
				list.Issues = append(list.Issues, s)
			}
		}
		if answer.NextPage <= o.Page || answer.NextPage > maxPages {
			break
		}
		o.Page = answer.NextPage
	}
	return list, nil
}

// currentName returns the current name of a repository that may have been renamed.
func (p *Plugin) currentName(ctx context.Context, r repository) (string, error) {
	got, _, err := p.client.Repositories.Get(ctx, r.owner, r.name)
	if err != nil {
		return "", err
	}
	return got.GetFullName(), nil
}

// listIssues lists the newest issues.
func (p *Plugin) listIssues(ctx context.Context, a issueQuery) (plugin.IssueList, error) {
	list := plugin.IssueList{Issues: []plugin.Issue{}}
	o := &api.IssueListByRepoOptions{
		State: a.state, Labels: a.labels, Assignee: a.assignee, Sort: "created", Direction: "desc",
		ListOptions: api.ListOptions{PerPage: min(max(a.limit, 30), 100), Page: 1},
	}
	for {
		got, answer, err := p.client.Issues.ListByRepo(ctx, a.repo.owner, a.repo.name, o)
		if err != nil {
			return plugin.IssueList{}, err
		}
		for _, i := range withoutPullRequests(got) {
			if list.Total++; len(list.Issues) < a.limit {
				list.Issues = append(list.Issues, toIssue(i, a.repo))
			}
		}
		if answer.NextPage <= o.ListOptions.Page || len(list.Issues) == a.limit {
			return list, nil
		}
		if answer.NextPage > maxPages {
			list.Incomplete = true // further pages may contain issues
			return list, nil
		}
		o.ListOptions.Page = answer.NextPage
	}
}
