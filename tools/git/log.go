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
	// Path restricts the answer to commits that have changed a file or directory.
	Path string `json:"path,omitempty"`
	// Ref is a branch, a tag or a commit; what is checked out by default. Since is one whose commits are left out.
	Ref     string `json:"ref,omitempty" jsonschema:"description=Branch\\, tag or commit; default HEAD"`
	Without string `json:"without,omitempty" jsonschema:"description=Leaves out what this branch or commit has"`
	// Author and Grep are texts that the author, as "Name <mail>", and the message must hold; case makes no difference.
	Author string `json:"author,omitempty"`
	Grep   string `json:"grep,omitempty" jsonschema:"description=Text of the message"`
	// Since and Until are dates, as git knows them.
	Since string `json:"since,omitempty" jsonschema:"description=Such as 2026-01-31 or 2 weeks ago"`
	Until string `json:"until,omitempty"`
	// Body shows whole messages, Files the files that each commit has changed.
	Body  bool `json:"body,omitempty" jsonschema:"description=Whole messages"`
	Files bool `json:"files,omitempty" jsonschema:"description=What each commit has changed"`
	// Limit is how many commits are answered at most.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,default=20"`
	// Cursor goes on where the last answer ended.
	Cursor string `json:"cursor,omitempty"`
}

// LogResult is what git_log answers.
type LogResult struct {
	// Commits are the newest first.
	Commits []Commit `json:"commits"`
	// Cursor goes on with older ones.
	Cursor string `json:"cursor,omitempty"`
	// Part is the directory of the repository that the project is, if the repository begins above: the commits are the ones that have
	// changed something in it.
	Part string `json:"part,omitempty"`
	// Shallow says that the repository does not have the whole history.
	Shallow bool `json:"shallow,omitempty"`
	// Note says why there are no commits, if the path is the reason.
	Note string `json:"note,omitempty"`
}

// Commit is one of the history.
type Commit struct {
	Hash    string   `json:"hash"`
	Parents []string `json:"parents,omitempty"` // unless there is one
	Author  string   `json:"author"`
	Date    string   `json:"date"` // RFC 3339
	Subject string   `json:"subject"`
	Body    string   `json:"body,omitempty"`
	Refs    string   `json:"refs,omitempty"` // the branches and tags that stand there
	// Files are the paths that it has changed, with A, M, D, R or T before them; at most 100.
	Files []string `json:"files,omitempty"`
}

const (
	defaultCommits = 20
	mostCommits    = 200
	mostListed     = 100
)

// Log is git_log.
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
	question := cursor.Of("log", r.path("."), strings.Join(filter, "\x00"), strings.Join(revisions, " "))
	place, ok := question.Place(args.Cursor)
	if !ok {
		return LogResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is of another question, or there are new commits")
	}
	skip, _ := strconv.Atoi(place)
	out, err := r.Run(ctx, gitcmd.Call{Limit: localTimeout, Most: 16 << 20, Args: slices.Concat(
		[]string{"log", "-z", "-n", strconv.Itoa(args.Limit + 1), "--skip=" + strconv.Itoa(max(skip, 0)), "--no-show-signature", "--no-mailmap", "--no-color", "--decorate=short", "--encoding=UTF-8", "--no-patch",
			"--format=%H%n%P%n%aI%n%an <%ae>%n%D%n%B"}, revisions, filter)})
	if err != nil {
		return LogResult{}, failed("reading the history", err)
	}
	if len(out) == 0 && isPattern(args.Path) {
		return LogResult{}, invalid("Give a file or a directory.", "no commit has changed a file named %s, and patterns are not taken here", quote(args.Path))
	}
	result, err := r.logResult(ctx, args, string(out), skip, question)
	if err == nil && len(out) == 0 && args.Path != "" {
		result.Note, err = r.pathNote(ctx, args, revisions[0], filter[len(filter)-1])
	}
	return result, err
}

// pathNote tells of a path that no commit up to a revision has. It is empty if a commit has the path and the other arguments leave the
// commit out.
func (r *repo) pathNote(ctx context.Context, args LogArgs, revision, path string) (string, error) {
	out, err := r.Run(ctx, gitcmd.Call{Limit: localTimeout, Args: []string{"rev-list", "-n", "1", revision, "--", path}})
	switch {
	case err != nil:
		return "", failed("reading the history", err)
	case len(out) > 0:
		return "", nil
	}
	note := fmt.Sprintf("no commit of %s has the path %s", name(args.Ref), name(args.Path))
	if _, err := r.g.root.Lstat(ctx, args.Path); err != nil {
		return note + ", and there is no such file; check the path", nil
	}
	return note + ": the file is not committed", nil
}

// revisions are the commits that the answer begins and ends at, by their hashes.
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

// logFilter are the options that leave commits out, and the path.
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
		p, err := r.inRepository(ctx, args.Path)
		if err != nil {
			return nil, err
		}
		filter = append(filter, p)
	} else if r.part != "" {
		filter = append(filter, r.part)
	}
	return filter, nil
}

// logResult reads what git log has said, as far as there is room.
func (r *repo) logResult(ctx context.Context, args LogArgs, out string, skip int, question cursor.Question) (LogResult, error) {
	result := LogResult{Commits: []Commit{}, Part: r.part, Shallow: r.shallow(ctx)}
	entries := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	room := r.g.limits.Answer
	for i, entry := range entries {
		if entry == "" {
			continue
		}
		c, err := parseCommit(entry, args.Body)
		if err != nil {
			return LogResult{}, failed("reading the history", err)
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

func (r *repo) shallow(ctx context.Context) bool {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"rev-parse", "--is-shallow-repository"}})
	return err == nil && trim(out) == "true"
}

func parseCommit(entry string, body bool) (Commit, error) {
	parts := strings.SplitN(strings.ToValidUTF8(entry, "\uFFFD"), "\n", 6)
	if len(parts) != 6 {
		return Commit{}, fmt.Errorf("git log says what is not known: %.100q", entry)
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

// changedBy lists what a commit has changed, against its first parent.
func (r *repo) changedBy(ctx context.Context, hash string) ([]string, error) {
	args := slices.Concat([]string{"diff-tree", "-r", "--root", "-m", "--first-parent", "--no-commit-id", "-z", "--name-status", "--no-renames", "--ignore-submodules=dirty"}, []string{hash, "--"}, r.pathspec(selection{}))
	out, err := r.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout})
	if err != nil && len(out) == 0 {
		return nil, failed("reading a commit", err)
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

func (c Commit) size() int {
	size := len(c.Hash) + len(c.Author) + len(c.Date) + len(c.Subject) + len(c.Body) + len(c.Refs) + 60
	for _, f := range c.Files {
		size += len(f) + 4
	}
	return size
}

// TextContent has a line for each commit, and what else was asked for below.
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

func shallowText(shallow bool) string {
	if !shallow {
		return ""
	}
	return "[a shallow clone: older commits may be missing]\n"
}
