package git

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// selection is the set of files of a call: files, directories, and patterns such as *.go. The zero value selects all files of
// the project.
type selection struct {
	given []choice
}

// choice is one path or pattern of a call.
type choice struct {
	text string // text of the call
	// path relative to the top of the worktree; "" if text can only be a pattern
	path    string
	pattern *glob.Glob // nil if text is a path
}

// parseSelection parses the paths of a call. A text with *, ?, [ or { is a pattern, unless a file has this name. The directory before
// the first of these characters must pass the rules of the Root.
func (r *repo) parseSelection(ctx context.Context, texts []string) (selection, error) {
	var s selection
	for _, text := range texts {
		c := choice{text: text}
		var err error
		if c.path, err = r.repositoryPath(ctx, text); err == nil && (!isPattern(text) || r.exists(ctx, text)) {
			s.given = append(s.given, c)
			continue
		}
		if !isPattern(text) {
			return s, err
		}
		if _, err := r.g.root.Lstat(ctx, directoryOf(text)); err != nil && !isMissing(err) {
			return s, err
		}
		if c.pattern, err = glob.Compile(text, slices.Concat(r.g.root.Dirs(), r.g.real)...); err != nil {
			next := "Write it with *, ?, [a-z], {a,b} and **, such as *.go or src/**/*.ts."
			if bad, ok := errors.AsType[*glob.Error](err); ok {
				next = strings.ToUpper(bad.Next[:1]) + bad.Next[1:] + "."
			}
			return s, invalid(next, "%v", err)
		}
		s.given = append(s.given, c)
	}
	return s, nil
}

// isPattern reports whether a text contains wildcards.
func isPattern(text string) bool { return strings.ContainsAny(text, "*?[{") }

// directoryOf returns the directory before the first wildcard of a pattern.
func directoryOf(pattern string) string {
	plain := pattern[:strings.IndexAny(pattern, "*?[{")]
	switch at := strings.LastIndexByte(plain, '/'); {
	case at < 0:
		return "."
	case at == 0:
		return "/"
	default:
		return plain[:at]
	}
}

// exists reports whether the Root has an entry with the name.
func (r *repo) exists(ctx context.Context, name string) bool {
	_, err := r.g.root.Lstat(ctx, name)
	return err == nil
}

// isMissing reports whether an error means that a file does not exist.
func isMissing(err error) bool {
	code := security.CodeOf(err)
	return code == security.FileNotFound || code == security.NotDirectory
}

// pathspec returns the paths for git: the given ones, or the complete project for a pattern or an empty selection.
func (r *repo) pathspec(s selection) []string {
	var paths []string
	for _, c := range s.given {
		if c.pattern != nil {
			paths = nil
			break
		}
		paths = append(paths, c.path)
	}
	if len(paths) == 0 && r.partPath != "" {
		return []string{r.partPath}
	}
	return paths
}

// empty reports whether the selection has no paths.
func (s selection) empty() bool { return len(s.given) == 0 }

// texts returns the paths and patterns of the call.
func (s selection) texts() []string {
	texts := make([]string, 0, len(s.given))
	for _, c := range s.given {
		texts = append(texts, c.text)
	}
	return texts
}

// names reports whether one of the paths or patterns matches a file, given relative to the top of the worktree. An empty
// selection matches none.
func (r *repo) names(s selection, file string) bool {
	return slices.ContainsFunc(s.given, func(c choice) bool { return r.matchesChoice(c, file) })
}

// selects reports whether a file belongs to the answer: it is in the project and matches a non-empty selection.
func (r *repo) selects(s selection, file string) bool {
	return r.inProject(file) && (s.empty() || r.names(s, file))
}

// inProject reports whether a file of the repository belongs to the project.
func (r *repo) inProject(file string) bool {
	return r.partPath == "" || file == r.partPath || strings.HasPrefix(file, r.partPath+"/")
}

// matchesChoice reports whether a choice matches a file: by its path, by a pattern, or by a directory above it.
func (r *repo) matchesChoice(c choice, file string) bool {
	file = strings.TrimSuffix(file, "/")
	if c.path != "" && (c.path == "." || c.path == file || strings.HasPrefix(file, strings.TrimSuffix(c.path, "/")+"/")) {
		return true
	}
	if c.pattern == nil {
		return false
	}
	for name := r.rootPath(file); name != "." && name != "/" && !strings.HasPrefix(name, "../"); name = path.Dir(name) {
		if c.pattern.Match(path.Base(name), name) {
			return true
		}
	}
	return false
}

// unmatched returns the paths and patterns of a call that match no file of a commit, or of the index if commit is "". Without
// this note their files would appear unchanged. seen are the files of the answer.
func (r *repo) unmatched(ctx context.Context, s selection, commit string, seen []string) ([]string, error) {
	left := slices.DeleteFunc(slices.Clone(s.given), func(c choice) bool {
		return c.path == "." || c.path == r.partPath && r.partPath != "" || slices.ContainsFunc(seen, func(file string) bool { return r.matchesChoice(c, file) })
	})
	if len(left) == 0 {
		return nil, nil
	}
	args := []string{"ls-files", "--cached", "-z"}
	if commit != "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit}
	}
	spec := r.pathspec(selection{left})
	out, err := r.Run(ctx, gitcmd.Call{Args: slices.Concat(args, []string{"--"}, spec), Limit: localTimeout, Most: 64 << 20})
	if errors.Is(err, gitcmd.ErrTooMuch) {
		return nil, nil // the files are unknown
	}
	if err != nil {
		return nil, gitError("listing the files", err)
	}
	for file := range strings.SplitSeq(string(out), "\x00") {
		if len(left) == 0 {
			break
		}
		if file != "" {
			left = slices.DeleteFunc(left, func(c choice) bool { return r.matchesChoice(c, file) })
		}
	}
	return selection{left}.texts(), nil
}

// unmatchedText returns the note on unmatched paths and patterns.
func unmatchedText(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	shown := make([]string, 0, len(texts))
	for _, text := range texts {
		shown = append(shown, name(text))
	}
	return "[git knows no file that matches " + strings.Join(shown, ", ") + ": it is not there, or .gitignore leaves it out]\n"
}
