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
	// mostText is how long the text of a search may be, in characters: a limit of
	// GitHub's ("Limitations on query length").
	mostText   = 256
	mostLabels = 50
	mostLabel  = 100
	// mostFound is how many issues are answered at most. GitHub shows the first
	// 1,000 of a search.
	mostFound = 500
)

// narrowing are the qualifiers that a text may have, since each leaves something
// out and none leads to another repository.
var narrowing = []string{
	"assignee", "author", "closed", "commenter", "comments", "created", "in", "involves", "label", "linked",
	"mentions", "milestone", "no", "reactions", "reason", "updated",
}

// qualifier is the beginning of a word that may be one.
var qualifier = regexp.MustCompile(`^-?([a-z]+):$`)

// qualified is the value of one, where it is not quoted.
var qualified = regexp.MustCompile(`^[A-Za-z0-9@_.:<>=*+,/-]+$`)

// searched is the text of a search as GitHub is to understand it: the words, and
// the qualifiers that only narrow it. What would mean something else is quoted, so
// that it is looked for.
func searched(text string) (words string, err error) {
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
	if length > mostText+1 {
		return "", invalid("Ask with the few words that matter.", "the text has %d characters, and GitHub searches for at most %d", length-1, mostText)
	}
	return strings.Join(out, " "), nil
}

// nextWord takes the first word off a text. plain is false for a qualifier, which
// does not count for the length.
func nextWord(text string) (word string, plain bool, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(text)
	}
	head, rest := text[:end], text[end:]
	if !strings.HasPrefix(rest, `"`) {
		return bare(head), !allowed(head), rest
	}
	phrase, rest, _ := strings.Cut(rest[1:], `"`)
	phrase = tidy(phrase)
	if m := qualifier.FindStringSubmatch(head); m != nil && slices.Contains(narrowing, m[1]) && phrase != "" {
		return head + `"` + phrase + `"`, false, rest
	}
	if head != "" { // a quotation mark within a word ends it
		return bare(head), true, text[end:]
	}
	if phrase == "" {
		return "", true, rest
	}
	return `"` + phrase + `"`, true, rest
}

// allowed reports whether a word is a qualifier with a value that may stand as
// it is.
func allowed(word string) bool {
	at := strings.IndexByte(word, ':')
	if at < 0 {
		return false
	}
	m := qualifier.FindStringSubmatch(word[:at+1])
	return m != nil && slices.Contains(narrowing, m[1]) && qualified.MatchString(word[at+1:])
}

// bare is a word without quotation marks, which is put in some if it would mean
// anything but itself.
func bare(word string) string {
	if allowed(word) {
		return word
	}
	word = tidy(word)
	switch upper := strings.ToUpper(word); {
	case word == "":
		return ""
	case upper == "AND", upper == "OR", upper == "NOT", strings.HasPrefix(word, "-"), strings.ContainsAny(word, ` :()@`):
		return `"` + word + `"`
	}
	return word
}

// tidy is a text in one line, without what could end a quotation.
func tidy(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '"' || r == '\\'
	}), " ")
}

// asked is a checked IssueQuery.
type asked struct {
	repo     repository
	words    string
	state    string // "open", "closed" or "all"
	labels   []string
	assignee string
	limit    int
}

func (p *Plugin) read(q plugin.IssueQuery) (a asked, err error) {
	if a.repo, err = p.repository(q.Repo); err != nil {
		return a, err
	}
	if a.words, err = searched(q.Text); err != nil {
		return a, err
	}
	switch a.state = q.State; a.state {
	case "":
		a.state = "open"
	case "open", "closed", "all":
	default:
		return a, invalid("Use open, closed or all.", "%q is no state of issues", truncate.Line(q.State, 50))
	}
	if a.labels, err = readLabels(q.Labels); err != nil {
		return a, err
	}
	if a.assignee, err = readAssignee(q.Assignee); err != nil {
		return a, err
	}
	if a.limit = q.Limit; a.limit < 1 || a.limit > mostFound {
		return a, invalid(fmt.Sprintf("Give a limit from 1 to %d.", mostFound), "the limit is %d", q.Limit)
	}
	return a, nil
}

func readLabels(given []string) ([]string, error) {
	if len(given) > mostLabels {
		return nil, invalid(fmt.Sprintf("Give at most %d.", mostLabels), "there are %d labels", len(given))
	}
	var labels []string
	for _, label := range given {
		label = strings.TrimSpace(label)
		if label == "" || utf8.RuneCountInString(label) > mostLabel || label != tidy(label) {
			return nil, invalid("Give the names of labels as the repository has them.", "%q is no name of a label", truncate.Line(label, mostLabel))
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, label) }) {
			labels = append(labels, label)
		}
	}
	return labels, nil
}

// readAssignee takes the name of a user, "none", "*" for anybody, and "@me".
func readAssignee(given string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(given), "@")
	switch {
	case name == "", name == "none", name == "*":
		return name, nil
	case name == "me" && strings.Contains(given, "@"):
		return "@me", nil
	case !login.MatchString(name):
		return "", invalid("Give a login such as octocat, none, or * for anybody.", "%q is no user of GitHub", truncate.Line(given, 100))
	}
	return name, nil
}

// query is the whole search, as GitHub has it.
func (a asked) query() string {
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

// listed reports whether the issues can simply be listed: that costs nothing of the
// few searches, and shows what was made a moment ago.
func (a asked) listed() bool {
	return a.words == "" && a.assignee != "@me" && !slices.ContainsFunc(a.labels, func(l string) bool { return strings.Contains(l, ",") })
}
