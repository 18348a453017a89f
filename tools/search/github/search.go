package github

import (
	"context"
	"errors"
	"strings"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// mostPages is how many pages of a list are read: it has pull requests as well,
// which are left out.
const mostPages = 10

// SearchIssues implements plugin.Issues. Issues come in GitHub's order: the best
// first, or, without a text, the newest. Pull requests are none.
func (p *Plugin) SearchIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	a, err := p.read(q)
	if err != nil {
		return plugin.IssueList{}, err
	}
	ctx, cancel, err := p.within(ctx)
	if err != nil {
		return plugin.IssueList{}, err
	}
	defer cancel()
	fresh, f := oldWillDo(ctx)
	ask := p.find
	if a.listed() {
		ask = p.list
	}
	list, err := ask(fresh, a)
	if err != nil {
		return plugin.IssueList{}, p.explain(ctx, err, a.repo, "searching the issues of "+a.repo.String())
	}
	if list.Age = f.age; f.age == 0 {
		p.health.note(nil)
	}
	return list, nil
}

var errNoResult = errors.New("the answer is no list of issues")

// find asks the search of GitHub.
func (p *Plugin) find(ctx context.Context, a asked) (plugin.IssueList, error) {
	list := plugin.IssueList{Issues: []plugin.Issue{}}
	o := &api.SearchOptions{ListOptions: api.ListOptions{PerPage: min(a.limit, 100), Page: 1}}
	name := "" // as GitHub has it now, when it is another
	for len(list.Issues) < a.limit {
		got, answer, err := p.client.Search.Issues(ctx, a.query(), o)
		if err != nil {
			return plugin.IssueList{}, err
		}
		if got.Total == nil {
			return plugin.IssueList{}, errNoResult
		}
		list.Total, list.Incomplete = max(got.GetTotal(), 0), list.Incomplete || got.GetIncompleteResults()
		for _, i := range issuesOf(got.Issues) {
			s := short(i, a.repo)
			if len(list.Issues) == a.limit {
				break
			}
			if !a.repo.is(s.Repo) && name == "" {
				if name, err = p.renamed(ctx, a.repo); err != nil {
					return plugin.IssueList{}, err
				}
			}
			if a.repo.is(s.Repo) || strings.EqualFold(name, s.Repo) {
				list.Issues = append(list.Issues, s)
			}
		}
		if answer.NextPage <= o.Page || answer.NextPage > mostPages {
			break
		}
		o.Page = answer.NextPage
	}
	return list, nil
}

// renamed is the name that a repository has now.
func (p *Plugin) renamed(ctx context.Context, r repository) (string, error) {
	got, _, err := p.client.Repositories.Get(ctx, r.owner, r.name)
	if err != nil {
		return "", err
	}
	return got.GetFullName(), nil
}

// list lists the newest issues.
func (p *Plugin) list(ctx context.Context, a asked) (plugin.IssueList, error) {
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
		for _, i := range issuesOf(got) {
			if list.Total++; len(list.Issues) < a.limit {
				list.Issues = append(list.Issues, short(i, a.repo))
			}
		}
		if answer.NextPage <= o.ListOptions.Page || len(list.Issues) == a.limit {
			return list, nil
		}
		if answer.NextPage > mostPages {
			list.Incomplete = true // the rest may be issues as well
			return list, nil
		}
		o.ListOptions.Page = answer.NextPage
	}
}
