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
	// mostIssue is how long the text of an issue may be with its key, in characters,
	// as GitHub has it.
	mostIssue = 65_536
	// mostAssignees is how many users an issue can have.
	mostAssignees = 10
	mostKey       = 200
	// derivedFor is how long an issue that was made without a key of the caller's
	// counts as the same: later, the same text means that it happened again.
	derivedFor = 24 * time.Hour
)

// draft is a checked NewIssue.
type draft struct {
	repo              repository
	title, body       string
	labels, assignees []string
	milestone         string
	duplicates        bool // allowed
	dry               bool
	key               string // as it is written into the issue
	derived           bool
}

func (p *Plugin) draft(n plugin.NewIssue) (d draft, err error) {
	if d.repo, err = p.repository(n.Repo); err != nil {
		return d, err
	}
	d.title = tidyTitle(n.Title)
	switch length := utf8.RuneCountInString(d.title); {
	case length == 0:
		return d, invalid("Say in a few words what it is about.", "the issue has no title")
	case length > mostTitle:
		return d, invalid("Put the details into the body.", "the title has %d characters; at most %d are taken", length, mostTitle)
	case !utf8.ValidString(n.Title) || !utf8.ValidString(n.Body):
		return d, invalid("Send text.", "the issue has bytes that are no UTF-8")
	}
	d.body = strings.TrimRight(mark.ReplaceAllString(strings.ReplaceAll(n.Body, "\x00", ""), ""), " \t\r\n")
	if d.labels, err = readLabels(n.Labels); err != nil {
		return d, err
	}
	for _, given := range n.Assignees {
		name, err := readAssignee(given)
		if err != nil || !login.MatchString(name) || name == "none" {
			return d, invalid("Give logins such as octocat.", "%q is no user of GitHub", truncate.Line(given, 100))
		}
		if !slices.ContainsFunc(d.assignees, func(a string) bool { return strings.EqualFold(a, name) }) {
			d.assignees = append(d.assignees, name)
		}
	}
	if len(d.assignees) > mostAssignees {
		return d, invalid(fmt.Sprintf("Give at most %d.", mostAssignees), "there are %d assignees", len(d.assignees))
	}
	if d.milestone = strings.TrimSpace(n.Milestone); utf8.RuneCountInString(d.milestone) > mostTitle {
		return d, invalid("Give its title, or its number.", "the name of the milestone is too long")
	}
	if len(n.Key) > mostKey {
		return d, invalid("Use a short one.", "the key has %d bytes; at most %d are taken", len(n.Key), mostKey)
	}
	d.duplicates, d.dry, d.derived = n.AllowDuplicate, n.DryRun, n.Key == ""
	d.key = d.makeKey(n.Key)
	if length := utf8.RuneCountInString(d.text()); length > mostIssue {
		return d, invalid("Shorten it.", "the body has %d characters; at most %d are taken", utf8.RuneCountInString(d.body), mostIssue-len(d.comment())-2)
	}
	return d, nil
}

// tidyTitle is a title in one line.
func tidyTitle(title string) string {
	return strings.Join(strings.FieldsFunc(title, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// makeKey hashes a key, so that it can stand in a comment whatever it is. Without
// one it is made of all that the issue says; a second issue of the same text that
// was asked for is another one.
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
		add("derived", d.title, d.body, d.milestone, strconv.FormatBool(d.duplicates))
		add(slices.Sorted(slices.Values(d.labels))...)
		add(slices.Sorted(slices.Values(d.assignees))...)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// mark is the comment that holds a key.
var mark = regexp.MustCompile(`<!--\s*dougu:key=([0-9A-Za-z_-]*)\s*-->`)

func (d draft) comment() string { return "<!-- dougu:key=" + d.key + " -->" }

// text is the body with its key, as it is sent.
func (d draft) text() string {
	if d.body == "" {
		return d.comment()
	}
	return d.body + "\n\n" + d.comment()
}

// made reports whether an issue is the one that the draft stands for. Only a key at
// the very end counts: the text before it was somebody's.
func (d draft) made(i *api.Issue) bool {
	body := strings.TrimSpace(i.GetBody())
	if !strings.HasSuffix(body, d.comment()) {
		return false
	}
	return !d.derived || time.Since(i.GetCreatedAt().Time) < derivedFor
}

// alike is what two titles have in common that mean the same: letters and digits,
// without case.
func alike(title string) string {
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(title)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
	if plain == "" {
		return tidyTitle(title)
	}
	return plain
}
