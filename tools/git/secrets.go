package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/redact"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

const (
	maxSecrets      = 10
	maxScannedBytes = 16 << 20 // most bytes of changes that are scanned
)

// checkSecrets refuses a commit whose additions look like a password or a key. It is a hint and prevents accidents only.
func (r *repo) checkSecrets(ctx context.Context, p *commitPlan) error {
	var found []string
	var known, staged []string
	for _, e := range p.entries {
		switch {
		case e.Untracked():
			lines, err := r.secretsOfFile(ctx, e.Path)
			if err != nil {
				return err
			}
			found = append(found, lines...)
		case len(p.paths) == 0 || p.fullIndex && !slices.Contains(p.stage, e.Path):
			if r.isBlocked(ctx, e.Path) && e.Index != 'D' {
				found = append(found, r.path(e.Path)+": files of that name hold secrets")
			}
			staged = append(staged, e.Path)
		default:
			known = append(known, e.Path)
		}
	}
	base := p.head.Commit
	if base == "" {
		var err error
		if base, err = r.emptyTree(ctx); err != nil {
			return err
		}
	}
	parts := []struct{ args, paths []string }{{[]string{"--cached", base}, staged}, {[]string{base}, known}}
	if p.allChanges {
		parts = parts[1:]
		parts[0].paths = []string{"."}
	}
	for _, part := range parts {
		lines, err := r.secretsOfDiff(ctx, part.args, part.paths)
		if err != nil {
			return err
		}
		found = append(found, lines...)
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	if n := len(found); n > maxSecrets {
		found = append(found[:maxSecrets], fmt.Sprintf("and %d more", n-maxSecrets))
	}
	return problem(codeSecrets, "Take the secrets out, and read them from the environment or a file that is not committed. If they are none, or the user wants that, call again with allowSecrets=true.",
		"the commit seems to contain secrets:\n%s", strings.Join(found, "\n"))
}

// secretsOfFile scans an untracked file.
func (r *repo) secretsOfFile(ctx context.Context, path string) ([]string, error) {
	text, _, err := r.g.root.ReadFile(ctx, r.path(path), r.g.limits.MaxFile)
	switch code := security.CodeOf(err); {
	case code == security.Timeout || code == security.Cancelled:
		return nil, err
	case err != nil: // a link, too large, or with an unusable name
		return nil, nil
	}
	var found []string
	n := 0
	for line := range strings.Lines(decoded(text)) {
		n++
		found = appendSecret(found, r.path(path), n, line)
	}
	return found, nil
}

// secretsOfDiff scans the added lines of a difference.
func (r *repo) secretsOfDiff(ctx context.Context, args, paths []string) ([]string, error) {
	var found []string
	for batch := range slices.Chunk(paths, 200) {
		command := slices.Concat([]string{"diff"}, diffOptions, []string{"--no-renames", "-U0", "--no-prefix"}, args, []string{"--"}, batch)
		out, err := r.Run(ctx, gitcmd.Call{Args: command, Limit: localTimeout, Most: maxScannedBytes})
		if err != nil && len(out) == 0 {
			return nil, gitError("looking for secrets", err)
		}
		file, line := "", 0
		header := false
		for text := range strings.Lines(decoded(out)) {
			switch {
			case strings.HasPrefix(text, "diff --git "):
				header = true
			case header && strings.HasPrefix(text, "+++ "):
				file = strings.TrimSpace(strings.TrimPrefix(text, "+++ "))
			case strings.HasPrefix(text, "@@"):
				header = false
				_, to, _ := strings.Cut(text, "+")
				to, _, _ = strings.Cut(to, " ")
				to, _, _ = strings.Cut(to, ",")
				line, _ = strconv.Atoi(to)
			case !header && strings.HasPrefix(text, "+"):
				found = appendSecret(found, r.path(file), line, text[1:])
				line++
			}
		}
	}
	return found, nil
}

// appendSecret adds the location of a secret in a line, without the secret.
func appendSecret(found []string, path string, line int, text string) []string {
	const most = 4 << 10 // longest scanned line; longer lines are generated
	var redactor *redact.Redactor
	text = strings.TrimSpace(text[:min(len(text), most)])
	start, end := redactor.FindSecret(text)
	if end == 0 {
		return found
	}
	head := text[:start]
	if len(head) > 60 {
		head = "…" + strings.ToValidUTF8(head[len(head)-60:], "")
	}
	return append(found, fmt.Sprintf("%s:%d: %s[…]", name(path), line, redactor.Redact(head)))
}
