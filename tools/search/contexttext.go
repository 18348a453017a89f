package search

import (
	"fmt"
	"strings"
	"time"
)

// TextContent returns one line for each fact, changed file, commit, file and issue. Warnings come
// first, because a part that they name is missing.
func (r ProjectContext) TextContent() string {
	var b strings.Builder
	for _, warning := range r.Warnings {
		b.WriteString("[" + warning + "]\n")
	}
	b.WriteString(r.Project.text() + "\n")
	if r.Git != nil {
		r.Git.appendText(&b)
	}
	if r.Files != nil {
		fmt.Fprintf(&b, "files: %d of %d, most important first\n", len(r.Files), r.TotalFiles)
		for _, f := range r.Files {
			fmt.Fprintf(&b, "  %s, %d bytes\n", f.Path, f.Size)
		}
	}
	if r.Issues != nil {
		fmt.Fprintf(&b, "open issues: %d\n", len(r.Issues))
		for _, i := range r.Issues {
			fmt.Fprintf(&b, "  %s %s", i.Label(), i.Title)
			if len(i.Labels) > 0 {
				b.WriteString(" [" + strings.Join(i.Labels, ", ") + "]")
			}
			if !i.Updated.IsZero() {
				b.WriteString(", updated " + i.Updated.UTC().Format(time.DateOnly))
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns name, version and description in one line.
func (p Project) text() string {
	text := p.Name
	if p.Version != "" {
		text += " " + p.Version
	}
	if p.Description != "" {
		text += ": " + p.Description
	}
	return text
}

// appendText writes the branch, the changed files and the last commits.
func (g *GitState) appendText(b *strings.Builder) {
	branch := g.Branch
	if branch == "" {
		branch = "detached HEAD"
	}
	b.WriteString("branch: " + branch)
	if g.Head != "" {
		b.WriteString(" at " + shortHash(g.Head))
	} else {
		b.WriteString(", no commit yet")
	}
	if g.Upstream != "" {
		b.WriteString(", upstream " + g.Upstream)
		if g.Ahead != nil && g.Behind != nil {
			fmt.Fprintf(b, " (%d ahead, %d behind)", *g.Ahead, *g.Behind)
		} else {
			b.WriteString(" (not fetched)")
		}
	}
	if g.Clean {
		b.WriteString(", clean")
	}
	b.WriteString("\n")
	if g.TotalChanged > 0 {
		fmt.Fprintf(b, "changed files: %d", g.TotalChanged)
		if len(g.ChangedFiles) < g.TotalChanged {
			fmt.Fprintf(b, ", the first %d", len(g.ChangedFiles))
		}
		b.WriteString("\n")
	}
	for _, f := range g.ChangedFiles {
		b.WriteString("  " + f.Status + " " + f.Path)
		if f.Staged {
			b.WriteString(" (staged)")
		}
		b.WriteString("\n")
	}
	if len(g.RecentCommits) > 0 {
		b.WriteString("last commits:\n")
	}
	for _, c := range g.RecentCommits {
		b.WriteString("  " + c.Hash + " " + c.Date.Format(time.DateOnly) + " " + c.Subject + "\n")
	}
}

// shortHash returns the first 12 digits of the hash of a commit.
func shortHash(hash string) string { return hash[:min(len(hash), 12)] }
