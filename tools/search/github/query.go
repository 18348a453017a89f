package github

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// maxText is the maximum length of a query, in characters; see "Limitations on query length" in the documentation of
	// GitHub.
	maxText   = 256
	maxLabels = 50
	maxLabel  = 100 // characters of a label
	// maxIssues limits the returned issues. GitHub returns at most the first 1,000 of a search.
	maxIssues = 500
)

// narrowingQualifiers are the permitted qualifiers: each excludes issues, and none selects another repository.
var narrowingQualifiers = []string{
	"assignee", "author", "closed", "commenter", "comments", "created", "in", "involves", "label", "linked",
	"mentions", "milestone", "no", "reactions", "reason", "updated",
}

// qualifier matches the name of a qualifier with its colon.
var qualifier = regexp.MustCompile(`^-?([a-z]+):$`)

// qualifierValue matches an unquoted value of a qualifier.
var qualifierValue = regexp.MustCompile(`^[A-Za-z0-9@_.:<>=*+,/-]+$`)

// sanitizeText returns the words and permitted qualifiers of a query. Other syntax is quoted, so that it is searched as text.
func sanitizeText(text string) (words string, err error) {
	var out []string
	length := 0
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\\' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimLeftFunc(rest, unicode.IsSpace) {
		var word string
		var plain bool
		if word, plain, rest = nextWord(rest); word == "" {
			continue
		}
		if plain {
			length += utf8.RuneCountInString(word) + 1
		}
		out = append(out, word)
	}
	if length > maxText+1 {
		return "", invalid("Use fewer words.", "the text has %d characters, the maximum of GitHub is %d", length-1, maxText)
	}
	return strings.Join(out, " "), nil
}

// nextWord returns the first word of a text and the rest. plain is false for a qualifier, which does not count toward the
// length.
func nextWord(text string) (word string, plain bool, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(text)
	}
	head, rest := text[:end], text[end:]
	if !strings.HasPrefix(rest, `"`) {
		return quoteWord(head), !isNarrowingQualifier(head), rest
	}
	phrase, rest, _ := strings.Cut(rest[1:], `"`)
	phrase = cleanText(phrase)
	if m := qualifier.FindStringSubmatch(head); m != nil && slices.Contains(narrowingQualifiers, m[1]) && phrase != "" {
		return head + `"` + phrase + `"`, false, rest
	}
	if head != "" { // a quotation mark within a word ends it
		return quoteWord(head), true, text[end:]
	}
	if phrase == "" {
		return "", true, rest
	}
	return `"` + phrase + `"`, true, rest
}

// isNarrowingQualifier reports whether a word is a permitted qualifier with a valid value.
func isNarrowingQualifier(word string) bool {
	at := strings.IndexByte(word, ':')
	if at < 0 {
		return false
	}
	m := qualifier.FindStringSubmatch(word[:at+1])
	return m != nil && slices.Contains(narrowingQualifiers, m[1]) && qualifierValue.MatchString(word[at+1:])
}

// quoteWord returns a word without quotation marks. It adds quotation marks if the word is an operator of the query syntax.
func quoteWord(word string) string {
	if isNarrowingQualifier(word) {
		return word
	}
	word = cleanText(word)
	switch upper := strings.ToUpper(word); {
	case word == "":
		return ""
	case upper == "AND", upper == "OR", upper == "NOT", strings.HasPrefix(word, "-"), strings.ContainsAny(word, ` :()@`):
		return `"` + word + `"`
	}
	return word
}

// cleanText returns a text in one line, without quotation marks and backslashes.
func cleanText(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '"' || r == '\\'
	}), " ")
}

// issueQuery is a checked IssueQuery.
type issueQuery struct {
	repo     repository
	words    string
	state    string // "open", "closed" or "all"
	labels   []string
	assignee string
	limit    int
}

// parseQuery checks an IssueQuery and applies the defaults.
func (p *Plugin) parseQuery(q plugin.IssueQuery) (a issueQuery, err error) {
	if a.repo, err = p.repository(q.Repo); err != nil {
		return a, err
	}
	if a.words, err = sanitizeText(q.Text); err != nil {
		return a, err
	}
	switch a.state = q.State; a.state {
	case "":
		a.state = "open"
	case "open", "closed", "all":
	default:
		return a, invalid("Use open, closed or all.", "%q is not a state of issues", truncate.Line(q.State, 50))
	}
	if a.labels, err = parseLabels(q.Labels); err != nil {
		return a, err
	}
	if a.assignee, err = parseAssignee(q.Assignee); err != nil {
		return a, err
	}
	if a.limit = q.Limit; a.limit < 1 || a.limit > maxIssues {
		return a, invalid(fmt.Sprintf("Give a limit from 1 to %d.", maxIssues), "the limit is %d", q.Limit)
	}
	return a, nil
}

// parseLabels checks labels and removes duplicates.
func parseLabels(given []string) ([]string, error) {
	if len(given) > maxLabels {
		return nil, invalid(fmt.Sprintf("Give at most %d.", maxLabels), "there are %d labels", len(given))
	}
	var labels []string
	for _, label := range given {
		label = strings.TrimSpace(label)
		if label == "" || utf8.RuneCountInString(label) > maxLabel || label != cleanText(label) {
			return nil, invalid("Give the names of labels as the repository has them.", "%q is not a label name", truncate.Line(label, maxLabel))
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, label) }) {
			labels = append(labels, label)
		}
	}
	return labels, nil
}

// parseAssignee checks a user name, "none", "*" for any user, or "@me".
func parseAssignee(given string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(given), "@")
	switch {
	case name == "", name == "none", name == "*":
		return name, nil
	case name == "me" && strings.Contains(given, "@"):
		return "@me", nil
	case !login.MatchString(name):
		return "", invalid("Give a login such as octocat, none, or * for any user.", "%q is not a GitHub user name", truncate.Line(given, 100))
	}
	return name, nil
}

// query returns the complete query string.
func (a issueQuery) query() string {
	parts := []string{"repo:" + a.repo.String(), "is:issue"}
	if a.state != "all" {
		parts = append(parts, "state:"+a.state)
	}
	for _, label := range a.labels {
		parts = append(parts, `label:"`+label+`"`)
	}
	switch a.assignee {
	case "":
	case "none":
		parts = append(parts, "no:assignee")
	default:
		parts = append(parts, "assignee:"+a.assignee)
	}
	if a.words != "" {
		parts = append(parts, a.words)
	}
	return strings.Join(parts, " ")
}

// canList reports whether the list API can serve the query. It does not count as a search, and contains new issues at once.
func (a issueQuery) canList() bool {
	return a.words == "" && a.assignee != "@me" && !slices.ContainsFunc(a.labels, func(l string) bool { return strings.Contains(l, ",") })
}
