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
	// newest is how many issues are looked through before one is made.
	newest = 30
	// mostDuplicates is how many issues that are like one are answered.
	mostDuplicates = 10
)

// prepare finds out whether the issue was made before, or others like it, and what
// its labels, assignees and milestone stand for.
func (p *Plugin) prepare(ctx context.Context, d draft) (created plugin.Created, request *api.IssueRequest, err error) {
	recent, _, err := p.client.Issues.ListByRepo(ctx, d.repo.owner, d.repo.name, &api.IssueListByRepoOptions{
		State: "all", Sort: "created", Direction: "desc", ListOptions: api.ListOptions{PerPage: newest},
	})
	if err != nil {
		return created, nil, err
	}
	if slices.ContainsFunc(recent, func(i *api.Issue) bool { return i.GetNumber() <= 0 }) {
		return created, nil, errNoResult // it cannot be told whether the issue is in it
	}
	recent = issuesOf(recent)
	for _, i := range recent {
		if d.made(i) {
			issue := short(i, d.repo)
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
	if !d.duplicates {
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

// duplicates are open issues with the same title: among the newest ones, since a
// search does not know them yet, and among all.
func (p *Plugin) duplicates(ctx context.Context, d draft, recent []*api.Issue) ([]plugin.Issue, error) {
	var found []plugin.Issue
	add := func(all []*api.Issue) {
		for _, i := range all {
			s := short(i, d.repo)
			if i.GetState() != "open" || alike(i.GetTitle()) != alike(d.title) || len(found) == mostDuplicates ||
				slices.ContainsFunc(found, func(f plugin.Issue) bool { return f.Number == s.Number }) {
				continue
			}
			found = append(found, s)
		}
	}
	add(recent)
	got, _, err := p.client.Search.Issues(ctx, titled(d), &api.SearchOptions{ListOptions: api.ListOptions{PerPage: newest}})
	if err != nil {
		return nil, err
	}
	add(issuesOf(got.Issues))
	return found, nil
}

// mostTitled is how much of a title is searched for, in characters: room is left
// for the rest of the query, and titles are compared afterwards.
const mostTitled = 120

// titled is the search for open issues with the words of a title.
func titled(d draft) string {
	query := "repo:" + d.repo.String() + " is:issue state:open in:title"
	left := mostTitled
	for _, word := range strings.Fields(alike(d.title)) {
		letters := []rune(word)
		letters = letters[:min(len(letters), left)]
		if word = bare(string(letters)); word == "" {
			continue
		}
		query += " " + word
		if left -= len(letters) + 1; left <= 0 {
			break
		}
	}
	return query
}

// labels are those of the draft as the repository spells them. GitHub would make
// ones that are not there, or leave them out without a word.
func (p *Plugin) labels(ctx context.Context, d draft) ([]string, error) {
	if len(d.labels) == 0 {
		return nil, nil
	}
	var known []string
	o := &api.ListOptions{PerPage: 100, Page: 1}
	for o.Page > 0 && o.Page <= mostPages {
		got, answer, err := p.client.Issues.ListLabels(ctx, d.repo.owner, d.repo.name, o)
		if err != nil {
			return nil, err
		}
		for _, l := range got {
			known = append(known, l.GetName())
		}
		o.Page = answer.NextPage
	}
	whole := o.Page == 0
	var labels []string
	for _, label := range d.labels {
		at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, label) })
		switch {
		case at >= 0:
			labels = append(labels, known[at])
		case whole:
			return nil, missing("label", label, d.repo, known)
		default:
			labels = append(labels, label) // there are too many to know
		}
	}
	return labels, nil
}

// missing is the error about a name that a repository does not have.
func missing(kind, name string, r repository, known []string) error {
	next := "Leave it out, or ask the user to make it."
	if near := nearest.Name(name, known); near != "" {
		next = "Did you mean " + strconv.Quote(truncate.Line(near, mostLabel)) + "? Otherwise leave it out."
	} else if len(known) > 0 {
		next = "There are " + truncate.Line(strings.Join(known[:min(len(known), 20)], ", "), 400) + ". Use one of those, or leave it out."
	}
	return invalid(next, "%s has no %s %q", r, kind, truncate.Line(name, mostLabel))
}

// assignees checks that GitHub would take them: others it leaves out.
func (p *Plugin) assignees(ctx context.Context, d draft) error {
	for _, name := range d.assignees {
		ok, _, err := p.client.Issues.IsAssignee(ctx, d.repo.owner, d.repo.name, name)
		if err != nil {
			return err
		}
		if !ok {
			return invalid("Leave it out, or name somebody who works on the repository.", "%s cannot be assigned to issues of %s", name, d.repo)
		}
	}
	return nil
}

// milestone is the number of the draft's milestone; 0 for none.
func (p *Plugin) milestone(ctx context.Context, d draft) (int, error) {
	if d.milestone == "" {
		return 0, nil
	}
	var known []string
	for _, state := range []string{"open", "closed"} {
		o := &api.MilestoneListOptions{State: state, ListOptions: api.ListOptions{PerPage: 100, Page: 1}}
		for o.Page > 0 && o.Page <= mostPages {
			got, answer, err := p.client.Issues.ListMilestones(ctx, d.repo.owner, d.repo.name, o)
			if err != nil {
				return 0, err
			}
			for _, m := range got {
				if strings.EqualFold(tidyTitle(m.GetTitle()), tidyTitle(d.milestone)) && m.GetNumber() > 0 {
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
	return 0, missing("milestone", d.milestone, d.repo, known)
}
