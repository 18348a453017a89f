package github

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	mostTitle = 256 // characters of a title, as GitHub has it
	mostBody  = 300 // characters of a text that are shown
	mostNames = 100 // labels or assignees that are shown
)

// issuesOf are those of a list that are issues: no pull requests, and nothing that
// is not there.
func issuesOf(all []*api.Issue) []*api.Issue {
	return slices.DeleteFunc(all, func(i *api.Issue) bool { return i.GetNumber() <= 0 || i.IsPullRequest() })
}

// comment is one that is not shown: the form that issues are made from has some.
var comment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// short is an issue as it is shown, with the name of its repository as GitHub
// tells it.
func short(i *api.Issue, asked repository) plugin.Issue {
	s := plugin.Issue{
		Repo: repositoryOf(i, asked), Number: i.GetNumber(), Title: truncate.Line(i.GetTitle(), 4*mostTitle), State: truncate.Line(i.GetState(), 20),
		URL: page(i.GetHTMLURL()), Author: truncate.Line(i.GetUser().GetLogin(), 100), Comments: i.GetComments(), Updated: i.GetUpdatedAt().Time,
		Body: beginning(comment.ReplaceAllString(i.GetBody(), ""), mostBody),
	}
	for _, l := range i.Labels[:min(len(i.Labels), mostNames)] {
		s.Labels = append(s.Labels, truncate.Line(l.GetName(), 4*mostLabel))
	}
	for _, u := range i.Assignees[:min(len(i.Assignees), mostNames)] {
		s.Assignees = append(s.Assignees, truncate.Line(u.GetLogin(), 100))
	}
	return s
}

// repositoryOf reads the repository off an issue.
func repositoryOf(i *api.Issue, asked repository) string {
	_, name, found := strings.Cut(i.GetRepositoryURL(), "/repos/")
	if r, err := readRepository(name); found && err == nil {
		return r.String()
	}
	return asked.String()
}

// page is the address of a page, or nothing.
func page(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(address) > 1000 {
		return ""
	}
	return u.String()
}

var emptyLines = regexp.MustCompile(`\n\s*\n\s*`)

// beginning is as much of a text as has so many characters.
func beginning(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	text = strings.TrimSpace(emptyLines.ReplaceAllString(text, "\n\n"))
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	n := 0
	for at := range text {
		if n++; n == most { // the mark is a character, too
			return strings.TrimSpace(text[:at]) + "…"
		}
	}
	return text
}
