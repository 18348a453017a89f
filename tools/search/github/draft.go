package github

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	api "github.com/google/go-github/v75/github"
	"golang.org/x/text/unicode/norm"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// maxIssueText is the maximum length of a body with its key, in characters (a limit of GitHub).
	maxIssueText = 65_536
	// maxAssignees is the maximum number of assignees (a limit of GitHub).
	maxAssignees = 10
	maxKey       = 200 // bytes of NewIssue.IdempotencyKey
	// derivedKeyLifetime is the time for which an issue without an explicit key counts as the same. The same text a day later
	// reports a new event.
	derivedKeyLifetime = 24 * time.Hour
)

// draft is a checked NewIssue.
type draft struct {
	repo              repository
	title, body       string
	labels, assignees []string
	milestone         string
	allowDuplicates   bool // allowed
	dryRun            bool
	key               string // hashed key as written into the issue
	derivedKey        bool   // whether the key was derived from the content
}

// draft checks a NewIssue and normalizes its texts.
func (p *Plugin) draft(n plugin.NewIssue) (d draft, err error) {
	if d.repo, err = p.repository(n.Repo); err != nil {
		return d, err
	}
	d.title = cleanTitle(n.Title)
	switch length := utf8.RuneCountInString(d.title); {
	case length == 0:
		return d, invalid("Give a short title.", "the issue has no title")
	case length > maxTitle:
		return d, invalid("Put the details into the body.", "the title has %d characters, the maximum is %d", length, maxTitle)
	case !utf8.ValidString(n.Title) || !utf8.ValidString(n.Body):
		return d, invalid("Send valid UTF-8.", "the issue contains invalid UTF-8")
	}
	d.body = strings.TrimRight(keyComment.ReplaceAllString(strings.ReplaceAll(n.Body, "\x00", ""), ""), " \t\r\n")
	if d.labels, err = parseLabels(n.Labels); err != nil {
		return d, err
	}
	for _, given := range n.Assignees {
		name, err := parseAssignee(given)
		if err != nil || !login.MatchString(name) || name == "none" {
			return d, invalid("Give logins such as octocat.", "%q is not a GitHub user name", truncate.Line(given, 100))
		}
		if !slices.ContainsFunc(d.assignees, func(a string) bool { return strings.EqualFold(a, name) }) {
			d.assignees = append(d.assignees, name)
		}
	}
	if len(d.assignees) > maxAssignees {
		return d, invalid(fmt.Sprintf("Give at most %d.", maxAssignees), "there are %d assignees", len(d.assignees))
	}
	if d.milestone = strings.TrimSpace(n.Milestone); utf8.RuneCountInString(d.milestone) > maxTitle {
		return d, invalid("Give its title, or its number.", "the name of the milestone is too long")
	}
	if len(n.IdempotencyKey) > maxKey {
		return d, invalid("Use a short one.", "the key has %d bytes, the maximum is %d", len(n.IdempotencyKey), maxKey)
	}
	d.allowDuplicates, d.dryRun, d.derivedKey = n.AllowDuplicate, n.DryRun, n.IdempotencyKey == ""
	d.key = d.makeKey(n.IdempotencyKey)
	if length := utf8.RuneCountInString(d.text()); length > maxIssueText {
		return d, invalid("Shorten it.", "the body has %d characters, the maximum is %d", utf8.RuneCountInString(d.body), maxIssueText-len(d.comment())-2)
	}
	return d, nil
}

// cleanTitle returns a title in one line.
func cleanTitle(title string) string {
	return strings.Join(strings.FieldsFunc(title, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// makeKey returns a hash of the given key. Without one it hashes all content of the issue, and the permission for duplicates,
// which requests a separate issue.
func (d draft) makeKey(given string) string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, part := range parts {
			h.Write(strconv.AppendQuote(nil, part))
		}
		h.Write([]byte{'\n'})
	}
	add(strings.ToLower(d.repo.String()))
	if given != "" {
		add("given", given)
	} else {
		add("derived", d.title, d.body, d.milestone, strconv.FormatBool(d.allowDuplicates))
		add(slices.Sorted(slices.Values(d.labels))...)
		add(slices.Sorted(slices.Values(d.assignees))...)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// keyComment matches the comment that contains a key.
var keyComment = regexp.MustCompile(`<!--\s*dougu:key=([0-9A-Za-z_-]*)\s*-->`)

// comment returns the comment with the key of the draft.
func (d draft) comment() string { return "<!-- dougu:key=" + d.key + " -->" }

// text returns the body with its key, as it is sent.
func (d draft) text() string {
	if d.body == "" {
		return d.comment()
	}
	return d.body + "\n\n" + d.comment()
}

// matches reports whether i was created from this draft. Only a key at the very end of the body counts, because the text before
// it can be quoted from other issues.
func (d draft) matches(i *api.Issue) bool {
	body := strings.TrimSpace(i.GetBody())
	if !strings.HasSuffix(body, d.comment()) {
		return false
	}
	return !d.derivedKey || time.Since(i.GetCreatedAt().Time) < derivedKeyLifetime
}

// titleKey returns the letters and digits of a title, for a comparison without case and punctuation.
func titleKey(title string) string {
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(title)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
	if plain == "" {
		return cleanTitle(title)
	}
	return plain
}
