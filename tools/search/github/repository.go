package github

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// repository is a checked repository name. Its parts are safe in URLs and queries.
type repository struct{ owner, name string }

func (r repository) String() string {
	if r == (repository{}) {
		return ""
	}
	return r.owner + "/" + r.name
}

// equals compares names without case, as GitHub does.
func (r repository) equals(name string) bool { return strings.EqualFold(r.String(), name) }

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$`)
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	login     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(\[bot\])?$`)
)

// parseRepository parses "owner/name".
func parseRepository(text string) (repository, error) {
	owner, name, _ := strings.Cut(text, "/")
	if !ownerName.MatchString(owner) || !repoName.MatchString(name) || name == "." || name == ".." {
		return repository{}, fmt.Errorf("%q is not a repository: write it as owner/name", truncate.Line(text, 100))
	}
	return repository{owner, name}, nil
}

// checkPattern checks an element of Options.Repos.
func checkPattern(text string) error {
	owner, name, _ := strings.Cut(text, "/")
	if text == "*" || ownerName.MatchString(owner) && name == "*" {
		return nil
	}
	_, err := parseRepository(text)
	return err
}

// repository returns the named repository, or the default one, if the options permit it.
func (p *Plugin) repository(named string) (repository, error) {
	if named == "" {
		if p.defaultRepo == (repository{}) {
			return repository{}, invalid("Name it as owner/name.", "no repository is configured, and none was named")
		}
		return p.defaultRepo, nil
	}
	r, err := parseRepository(named)
	switch {
	case err != nil:
		return repository{}, invalid("Name it as owner/name, or leave it out.", "%v", err)
	case p.defaultRepo.equals(named):
		return r, nil
	}
	name := strings.ToLower(r.String())
	for _, other := range p.allowedRepos {
		if other == "*" || other == name || other == strings.ToLower(r.owner)+"/*" {
			return r, nil
		}
	}
	return repository{}, deniedError(r, p.defaultRepo)
}
