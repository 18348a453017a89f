package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// LogArgs are the arguments of git_log.
type LogArgs struct {
	Where
	// Path restricts the answer to commits that changed a file or directory.
	Path string `json:"path,omitempty"`
	// Ref is a branch, tag or commit; the default is HEAD. Without excludes the commits of another branch or commit.
	Ref     string `json:"ref,omitempty" jsonschema:"description=Branch\\, tag or commit; default HEAD"`
	Without string `json:"without,omitempty" jsonschema:"description=Exclude commits of this branch or commit"`
	// Author and Grep are texts in the author ("Name <mail>") and the message, in any case.
	Author string `json:"author,omitempty"`
	Grep   string `json:"grep,omitempty" jsonschema:"description=Text of the message"`
	// Since and Until are dates in a format of git.
	Since string `json:"since,omitempty" jsonschema:"description=Such as 2026-01-31 or 2 weeks ago"`
	Until string `json:"until,omitempty"`
	// Body adds the complete messages, Files the changed files of each commit.
	Body  bool `json:"body,omitempty" jsonschema:"description=Whole messages"`
	Files bool `json:"files,omitempty" jsonschema:"description=Changed files of each commit"`
	// Limit is the most commits of an answer. 0 is 20.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,default=20"`
	// Cursor is the Cursor of an earlier answer to the same arguments.
	Cursor string `json:"cursor,omitempty"`
}

// LogResult is the result of git_log.
type LogResult struct {
	// Commits are sorted newest first.
	Commits []Commit `json:"commits"`
	// Cursor continues with older commits.
	Cursor string `json:"cursor,omitempty"`
	// Part is the directory of the project in the repository, if the repository begins above it. Commits contains only commits
	// that changed it.
	Part string `json:"part,omitempty"`
	// Shallow means that the clone lacks a part of the history.
	Shallow bool `json:"shallow,omitempty"`
	// Note explains an empty list if the path is the reason.
	Note string `json:"note,omitempty"`
}

// Commit is a commit of the history.
type Commit struct {
	Hash    string   `json:"hash"`
	Parents []string `json:"parents,omitempty"` // set unless there is exactly one parent
	Author  string   `json:"author"`
	Date    string   `json:"date"` // RFC 3339
	Subject string   `json:"subject"`
	Body    string   `json:"body,omitempty"`
	Refs    string   `json:"refs,omitempty"` // branches and tags at the commit
	// Files are the changed paths, each with A, M, D, R or T before it, at most 100.
	Files []string `json:"files,omitempty"`
}

const (
	defaultCommits = 20
	mostCommits    = 200
	mostListed     = 100
)

// Log implements git_log.
func (g *Git) Log(ctx context.Context, args LogArgs) (LogResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return LogResult{}, err
	}
	if args.Limit <= 0 {
		args.Limit = defaultCommits
	}
	args.Limit = min(args.Limit, mostCommits)
	if args.Ref == "" {
		args.Ref = "HEAD"
		if r.CheckCommit(ctx) != nil {
			return LogResult{Commits: []Commit{}}, nil
		}
	}
	revisions, err := r.revisions(ctx, args)
	if err != nil {
		return LogResult{}, err
	}
	filter, err := r.logFilter(ctx, args)
	if err != nil {
		return LogResult{}, err
	}
	question := cursor.NewListID("log", r.path("."), strings.Join(filter, "\x00"), strings.Join(revisions, " "))
	place, ok := question.Position(args.Cursor)
	if !ok {
		return LogResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is of another question, or there are new commits")
	}
	skip, _ := strconv.Atoi(place)
	out, err := r.Run(ctx, gitcmd.Call{Limit: localTimeout, Most: 16 << 20, Args: slices.Concat(
		[]string{"log", "-z", "-n", strconv.Itoa(args.Limit + 1), "--skip=" + strconv.Itoa(max(skip, 0)), "--no-show-signature", "--no-mailmap", "--no-color", "--decorate=short", "--encoding=UTF-8", "--no-patch",
			"--format=%H%n%P%n%aI%n%an <%ae>%n%D%n%B"}, revisions, filter)})
	if err != nil {
		return LogResult{}, gitError("reading the history", err)
	}
	if len(out) == 0 && isPattern(args.Path) {
		return LogResult{}, invalid("Give a file or a directory.", "no commit has changed a file named %s, and patterns are not supported here", quote(args.Path))
	}
	result, err := r.logResult(ctx, args, string(out), skip, question)
	if err == nil && len(out) == 0 && args.Path != "" {
		result.Note, err = r.pathNote(ctx, args, revisions[0], filter[len(filter)-1])
	}
	return result, err
}

// pathNote returns a note if no commit up to the revision has the path. It is empty if the other arguments exclude the commits.
func (r *repo) pathNote(ctx context.Context, args LogArgs, revision, path string) (string, error) {
	out, err := r.Run(ctx, gitcmd.Call{Limit: localTimeout, Args: []string{"rev-list", "-n", "1", revision, "--", path}})
	switch {
	case err != nil:
		return "", gitError("reading the history", err)
	case len(out) > 0:
		return "", nil
	}
	note := fmt.Sprintf("no commit of %s has the path %s", name(args.Ref), name(args.Path))
	if _, err := r.g.root.Lstat(ctx, args.Path); err != nil {
		return note + ", and there is no such file; check the path", nil
	}
	return note + ": the file is not committed", nil
}

// revisions returns the hashes at which the answer begins and ends.
func (r *repo) revisions(ctx context.Context, args LogArgs) ([]string, error) {
	ref, err := r.resolve(ctx, args.Ref)
	if err != nil {
		return nil, err
	}
	all := []string{ref}
	if args.Without != "" {
		without, err := r.resolve(ctx, args.Without)
		if err != nil {
			return nil, err
		}
		all = append(all, "^"+without)
	}
	return all, nil
}

// logFilter returns the options that filter commits, and the path.
func (r *repo) logFilter(ctx context.Context, args LogArgs) ([]string, error) {
	filter := []string{"--fixed-strings", "--regexp-ignore-case"}
	for _, o := range []struct{ name, value string }{{"author", args.Author}, {"grep", args.Grep}, {"since", args.Since}, {"until", args.Until}} {
		if strings.ContainsAny(o.value, "\x00\n") {
			return nil, invalid("Give one line.", "%s holds more than a line", o.name)
		}
		if o.value != "" {
			filter = append(filter, "--"+o.name+"="+o.value)
		}
	}
	filter = append(filter, "--")
	if args.Path != "" {
		p, err := r.repositoryPath(ctx, args.Path)
		if err != nil {
			return nil, err
		}
		filter = append(filter, p)
	} else if r.partPath != "" {
		filter = append(filter, r.partPath)
	}
	return filter, nil
}

// logResult parses the output of git log, within the budget.
func (r *repo) logResult(ctx context.Context, args LogArgs, out string, skip int, question cursor.ListID) (LogResult, error) {
	result := LogResult{Commits: []Commit{}, Part: r.partPath, Shallow: r.shallow(ctx)}
	entries := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	room := r.g.limits.Answer
	for i, entry := range entries {
		if entry == "" {
			continue
		}
		c, err := parseCommit(entry, args.Body)
		if err != nil {
			return LogResult{}, gitError("reading the history", err)
		}
		full := len(result.Commits) == args.Limit
		if args.Files && !full {
			if c.Files, err = r.changedBy(ctx, c.Hash); err != nil {
				return LogResult{}, err
			}
		}
		if room -= c.size(); full || room < 0 && len(result.Commits) > 0 {
			result.Cursor = question.Cursor(strconv.Itoa(skip + i))
			break
		}
		result.Commits = append(result.Commits, c)
	}
	return result, nil
}

// shallow reports whether the clone is shallow.
func (r *repo) shallow(ctx context.Context) bool {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"rev-parse", "--is-shallow-repository"}})
	return err == nil && trim(out) == "true"
}

// parseCommit parses one entry of git log.
func parseCommit(entry string, body bool) (Commit, error) {
	parts := strings.SplitN(strings.ToValidUTF8(entry, "\uFFFD"), "\n", 6)
	if len(parts) != 6 {
		return Commit{}, fmt.Errorf("unexpected output of git log: %.100q", entry)
	}
	subject, rest, _ := strings.Cut(strings.TrimLeft(parts[5], "\n"), "\n")
	c := Commit{Hash: parts[0], Date: parts[2], Author: truncate.Line(parts[3], 200), Subject: truncate.Line(subject, 300), Refs: truncate.Line(parts[4], 500)}
	if parents := strings.Fields(parts[1]); len(parents) != 1 {
		c.Parents = parents
	}
	if body {
		c.Body = strings.Map(visible, truncate.Cut(strings.TrimSpace(rest), 16<<10))
	}
	return c, nil
}

// changedBy returns the files that a commit changed against its first parent.
func (r *repo) changedBy(ctx context.Context, hash string) ([]string, error) {
	args := slices.Concat([]string{"diff-tree", "-r", "--root", "-m", "--first-parent", "--no-commit-id", "-z", "--name-status", "--no-renames", "--ignore-submodules=dirty"}, []string{hash, "--"}, r.pathspec(selection{}))
	out, err := r.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout})
	if err != nil && len(out) == 0 {
		return nil, gitError("reading a commit", err)
	}
	var all []string
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		if len(all) == mostListed {
			all = append(all, fmt.Sprintf("… and %d more", (len(parts)-i)/2))
			break
		}
		all = append(all, parts[i]+" "+r.path(parts[i+1]))
	}
	return all, nil
}

// size returns an estimate of the bytes of a commit in an answer.
func (c Commit) size() int {
	size := len(c.Hash) + len(c.Author) + len(c.Date) + len(c.Subject) + len(c.Body) + len(c.Refs) + 60
	for _, f := range c.Files {
		size += len(f) + 4
	}
	return size
}

// TextContent returns the text for the model: one line for each commit, with the requested details below.
func (r LogResult) TextContent() string {
	if len(r.Commits) == 0 {
		note := ""
		if r.Note != "" {
			note = ": " + r.Note
		}
		return "[no commits" + note + "]\n" + partText(r.Part) + shallowText(r.Shallow)
	}
	var b strings.Builder
	for _, c := range r.Commits {
		refs := ""
		if c.Refs != "" {
			refs = " (" + c.Refs + ")"
		}
		fmt.Fprintf(&b, "%s %s %s%s: %s\n", short(c.Hash), c.Date, c.Author, refs, c.Subject)
		for line := range strings.Lines(c.Body) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
		for _, f := range c.Files {
			b.WriteString("  " + name(f) + "\n")
		}
	}
	b.WriteString(partText(r.Part) + shallowText(r.Shallow))
	if r.Cursor != "" {
		fmt.Fprintf(&b, "[more: cursor=%s]\n", r.Cursor)
	}
	return b.String()
}

// shallowText returns the note on a shallow clone.
func shallowText(shallow bool) string {
	if !shallow {
		return ""
	}
	return "[a shallow clone: older commits may be missing]\n"
}
