package github

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	maxTitle       = 256 // characters of a title (a limit of GitHub)
	maxBodyExcerpt = 300 // characters of a body that are returned
	maxNames       = 100 // labels or assignees that are returned
)

// withoutPullRequests removes pull requests and invalid entries from a list.
func withoutPullRequests(all []*api.Issue) []*api.Issue {
	return slices.DeleteFunc(all, func(i *api.Issue) bool { return i.GetNumber() <= 0 || i.IsPullRequest() })
}

// htmlComment matches comments, for example those of issue templates.
var htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// toIssue converts an issue of the API. requested is used if the issue does not name its repository.
func toIssue(i *api.Issue, asked repository) plugin.Issue {
	s := plugin.Issue{
		Key: "#" + strconv.Itoa(i.GetNumber()), Repo: repositoryOf(i, asked), Number: i.GetNumber(), Title: truncate.Line(i.GetTitle(), 4*maxTitle), State: truncate.Line(i.GetState(), 20),
		URL: safehttp.PageURL(i.GetHTMLURL(), maxURL), Author: truncate.Line(i.GetUser().GetLogin(), 100), Comments: i.GetComments(), Updated: i.GetUpdatedAt().Time,
		Body: excerpt(htmlComment.ReplaceAllString(i.GetBody(), ""), maxBodyExcerpt),
	}
	for _, l := range i.Labels[:min(len(i.Labels), maxNames)] {
		s.Labels = append(s.Labels, truncate.Line(l.GetName(), 4*maxLabel))
	}
	for _, u := range i.Assignees[:min(len(i.Assignees), maxNames)] {
		s.Assignees = append(s.Assignees, truncate.Line(u.GetLogin(), 100))
	}
	return s
}

// repositoryOf returns the repository of an issue as "owner/name".
func repositoryOf(i *api.Issue, asked repository) string {
	_, name, found := strings.Cut(i.GetRepositoryURL(), "/repos/")
	if r, err := parseRepository(name); found && err == nil {
		return r.String()
	}
	return asked.String()
}

// maxURL is the maximum length of the URL of an issue, in bytes.
const maxURL = 1000

var emptyLines = regexp.MustCompile(`\n\s*\n\s*`)

// excerpt returns the first limit characters of a text, without control characters and repeated blank lines.
func excerpt(text string, most int) string {
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
