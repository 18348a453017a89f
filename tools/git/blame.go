package git

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// BlameArgs are the arguments of git_blame.
type BlameArgs struct {
	Where
	// Path of the file.
	Path string `json:"path"`
	// StartLine and EndLine are the first and last line, from 1.
	StartLine int `json:"startLine,omitempty" jsonschema:"minimum=1,default=1"`
	EndLine   int `json:"endLine,omitempty" jsonschema:"minimum=1"`
	// Ref is the commit of the file. The default is the file in the worktree.
	Ref string `json:"ref,omitempty"`
	// IgnoreRevs are commits to skip, for example commits that only reformat. IgnoreRevsFile lists further ones.
	IgnoreRevs     []string `json:"ignoreRevs,omitempty" jsonschema:"description=Commits to look through"`
	IgnoreRevsFile string   `json:"ignoreRevsFile,omitempty"`
}

// BlameResult is the result of git_blame.
type BlameResult struct {
	// Ranges are consecutive lines with the same commit.
	Ranges []BlameRange `json:"ranges"`
	// NextLine is the startLine of the next call, 0 at the end.
	NextLine int `json:"nextLine,omitempty"`
	// Oldest are boundary commits of a shallow clone. Their lines can be from older commits, which the clone lacks.
	Oldest []string `json:"oldest,omitempty"`
}

// BlameRange is a range of lines of one commit.
type BlameRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
	// Commit is empty for uncommitted lines.
	Commit  string   `json:"commit"`
	Author  string   `json:"author,omitempty"`
	Date    string   `json:"date,omitempty"`
	Subject string   `json:"subject,omitempty"`
	Lines   []string `json:"lines"`

	boundary bool // the known history begins at the commit
}

// maxBlameLines is the most lines of one answer.
const maxBlameLines = 1000

// Blame implements git_blame.
func (g *Git) Blame(ctx context.Context, args BlameArgs) (BlameResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return BlameResult{}, err
	}
	path, err := r.repositoryPath(ctx, args.Path)
	if err != nil {
		return BlameResult{}, err
	}
	start := max(args.StartLine, 1)
	end := start + maxBlameLines - 1
	if args.EndLine > 0 {
		if args.EndLine < start {
			return BlameResult{}, invalid("Give an endLine that is not before startLine.", "lines %d to %d are no range", start, args.EndLine)
		}
		end = min(end, args.EndLine)
	}
	// One additional line shows whether the file continues.
	command := []string{"blame", "--line-porcelain", "--no-textconv", "--ignore-revs-file=", "-L", fmt.Sprintf("%d,%d", start, end+1)}
	if err := r.checkIgnoreRevs(ctx); err != nil {
		return BlameResult{}, err
	}
	ignored, err := r.ignoreRevOptions(ctx, args)
	if err != nil {
		return BlameResult{}, err
	}
	command = append(command, ignored...)
	if args.Ref != "" {
		commit, err := r.resolve(ctx, args.Ref)
		if err != nil {
			return BlameResult{}, err
		}
		command = append(command, commit)
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: append(command, "--", path), Limit: localTimeout, Most: 8 << 20})
	if err != nil && len(out) == 0 {
		return BlameResult{}, blameError(args.Path, err)
	}
	result := g.parseBlame(string(out), end)
	for _, part := range result.Ranges {
		if part.boundary && !slices.Contains(result.Oldest, part.Commit) {
			result.Oldest = append(result.Oldest, part.Commit)
		}
	}
	if len(result.Oldest) > 0 && !r.shallow(ctx) {
		result.Oldest = nil // the history is complete and this is its first commit
	}
	return result, nil
}

// checkIgnoreRevs refuses a repository whose configuration names a file of revisions that tools must not read. Git reads this
// file in every case, and its error message contains a line of it.
func (r *repo) checkIgnoreRevs(ctx context.Context) error {
	settings, err := r.Settings(ctx)
	if err != nil {
		return gitError("reading the settings of the repository", err)
	}
	for _, name := range settings.IgnoreRevs {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Top(), path)
		}
		if _, err := r.g.root.Stat(ctx, path); err != nil {
			return problem(codeUnsafe, "Ask the user to remove blame.ignoreRevsFile from the configuration of the repository.",
				"blame.ignoreRevsFile of the repository names %s, which is not a readable file of the project", quote(name))
		}
	}
	return nil
}

// ignoreRevOptions returns the options for the ignored commits.
func (r *repo) ignoreRevOptions(ctx context.Context, args BlameArgs) ([]string, error) {
	names := slices.Clone(args.IgnoreRevs)
	if args.IgnoreRevsFile != "" {
		text, _, err := r.g.root.ReadFile(ctx, args.IgnoreRevsFile, 1<<20)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); len(line) >= 40 && strings.Trim(line, "0123456789abcdefABCDEF") == "" {
				names = append(names, line)
			}
		}
	}
	const most = 500
	var options []string
	for _, name := range names[:min(len(names), most)] {
		commit, err := r.resolve(ctx, name)
		if err != nil && args.IgnoreRevsFile != "" && !slices.Contains(args.IgnoreRevs, name) {
			continue // the file can list commits that this clone lacks
		}
		if err != nil {
			return nil, err
		}
		options = append(options, "--ignore-rev="+commit)
	}
	return options, nil
}

// blameError returns the error of a failed git blame.
func blameError(path string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "has only"):
		return problem(codeBadRange, "Give a smaller startLine.", "the file is shorter: %s", sanitize(text))
	case strings.Contains(text, "no such path"), strings.Contains(text, "cannot stat path"):
		return problem(codeUnknown, "Commit the file first, or give a ref that has it.", "git does not know %s there", quote(path))
	}
	return gitError("reading the history of "+quote(path), err)
}

// parseBlame parses the output of git blame up to a line, within the budget.
func (g *Git) parseBlame(out string, last int) BlameResult {
	result := BlameResult{Ranges: []BlameRange{}}
	codes := decodeBlame(out)
	room := g.limits.Answer
	var now BlameRange
	line := 0
	for text := range strings.Lines(out) {
		text = strings.TrimSuffix(text, "\n")
		switch {
		case strings.HasPrefix(text, "\t"):
			code := ""
			if len(codes) > 0 {
				code, codes = codes[0], codes[1:]
			}
			if line > last {
				result.NextLine = line
				return result
			}
			code = truncate.Cut(strings.TrimSuffix(code, "\r"), 2<<10)
			cost := len(code) + 8
			if n := len(result.Ranges); n > 0 && result.Ranges[n-1].Commit == now.Commit && result.Ranges[n-1].End == line-1 {
				result.Ranges[n-1].End, result.Ranges[n-1].Lines = line, append(result.Ranges[n-1].Lines, code)
			} else {
				now.Start, now.End, now.Lines = line, line, []string{code}
				result.Ranges = append(result.Ranges, now)
				cost += len(now.Commit) + len(now.Author) + len(now.Subject) + 80
			}
			if room -= cost; room < 0 {
				result.NextLine = line + 1
				return result
			}
		default:
			now.read(text, &line)
		}
	}
	return result
}

// decodeBlame returns the code lines, decoded with the encoding of the file. The headers are always UTF-8.
func decodeBlame(out string) []string {
	var raw []byte
	for line := range strings.Lines(out) {
		if code, ok := strings.CutPrefix(line, "\t"); ok {
			raw = append(raw, code...)
		}
	}
	return strings.Split(decoded(raw), "\n")
}

// read parses one header line.
func (b *BlameRange) read(header string, line *int) {
	key, value, _ := strings.Cut(header, " ")
	switch key {
	case "author":
		b.Author = truncate.Line(value, 100)
	case "author-time":
		if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
			b.Date = time.Unix(seconds, 0).UTC().Format("2006-01-02")
		}
	case "boundary":
		b.boundary = true
	case "summary":
		b.Subject = truncate.Line(value, 200)
	default:
		fields := strings.Fields(value)
		if len(key) < 40 || len(fields) < 2 {
			return
		}
		*b = BlameRange{Commit: key}
		*line, _ = strconv.Atoi(fields[1])
		if strings.Trim(key, "0") == "" {
			b.Commit = ""
		}
	}
}

// TextContent returns the text for the model: one line for each range, with its code below.
func (r BlameResult) TextContent() string {
	var b strings.Builder
	if len(r.Oldest) > 0 {
		oldest := make([]string, len(r.Oldest))
		for i, commit := range r.Oldest {
			oldest[i] = short(commit)
		}
		fmt.Fprintf(&b, "[a shallow clone: lines of %s may be from older commits, which are missing]\n", strings.Join(oldest, ", "))
	}
	for _, part := range r.Ranges {
		if part.Commit == "" {
			fmt.Fprintf(&b, "[lines %d-%d: not committed]\n", part.Start, part.End)
		} else {
			fmt.Fprintf(&b, "[lines %d-%d: %s %s %s: %s]\n", part.Start, part.End, short(part.Commit), part.Date, part.Author, part.Subject)
		}
		for i, line := range part.Lines {
			fmt.Fprintf(&b, "%d\t%s\n", part.Start+i, line)
		}
	}
	if r.NextLine > 0 {
		fmt.Fprintf(&b, "[more: startLine=%d]\n", r.NextLine)
	}
	return b.String()
}
