package github

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// repository is a repository that was checked: its parts can stand in an address
// and in a query as they are.
type repository struct{ owner, name string }

func (r repository) String() string {
	if r == (repository{}) {
		return ""
	}
	return r.owner + "/" + r.name
}

// is compares names as GitHub does.
func (r repository) is(name string) bool { return strings.EqualFold(r.String(), name) }

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$`)
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	login     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(\[bot\])?$`)
)

func readRepository(text string) (repository, error) {
	owner, name, _ := strings.Cut(text, "/")
	if !ownerName.MatchString(owner) || !repoName.MatchString(name) || name == "." || name == ".." {
		return repository{}, fmt.Errorf("%q is not a repository: write it as owner/name", truncate.Line(text, 100))
	}
	return repository{owner, name}, nil
}

// checkPattern says what is wrong with a member of Options.Repos.
func checkPattern(text string) error {
	owner, name, _ := strings.Cut(text, "/")
	if text == "*" || ownerName.MatchString(owner) && name == "*" {
		return nil
	}
	_, err := readRepository(text)
	return err
}

// repository is the one that is meant, if it may be touched.
func (p *Plugin) repository(named string) (repository, error) {
	if named == "" {
		if p.own == (repository{}) {
			return repository{}, invalid("Name it as owner/name.", "no repository is configured, and none was named")
		}
		return p.own, nil
	}
	r, err := readRepository(named)
	switch {
	case err != nil:
		return repository{}, invalid("Name it as owner/name, or leave it out.", "%v", err)
	case p.own.is(named):
		return r, nil
	}
	whole := strings.ToLower(r.String())
	for _, other := range p.others {
		if other == "*" || other == whole || other == strings.ToLower(r.owner)+"/*" {
			return r, nil
		}
	}
	return repository{}, denied(r, p.own)
}
