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

// selection is the files that a call means: files and directories by their names, and patterns such as *.go. The zero selection is
// every file of the project.
type selection struct {
	given []choice
}

// choice is one path or pattern of a call.
type choice struct {
	text    string     // as the call has it
	path    string     // relative to the top of the work tree; "" if text can only be a pattern
	pattern *glob.Glob // nil if text is a name
}

// selected reads the paths of a call. A text with *, ?, [ or { is a pattern, unless a file has that very name. The directory before the
// first of these characters passes the rules of the Root, as every path does.
func (r *repo) selected(ctx context.Context, texts []string) (selection, error) {
	var s selection
	for _, text := range texts {
		c := choice{text: text}
		var err error
		if c.path, err = r.inRepository(ctx, text); err == nil && (!isPattern(text) || r.exists(ctx, text)) {
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

func isPattern(text string) bool { return strings.ContainsAny(text, "*?[{") }

// directoryOf is the part of a pattern that has nothing special.
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

func (r *repo) exists(ctx context.Context, name string) bool {
	_, err := r.g.root.Lstat(ctx, name)
	return err == nil
}

// isMissing reports whether an error of the Root says that a file is not there, which is no refusal.
func isMissing(err error) bool {
	code := security.CodeOf(err)
	return code == security.FileNotFound || code == security.NotDirectory
}

// pathspec is the paths that git is asked for: the given ones, or the whole project if there is a pattern or nothing was given.
func (r *repo) pathspec(s selection) []string {
	var paths []string
	for _, c := range s.given {
		if c.pattern != nil {
			paths = nil
			break
		}
		paths = append(paths, c.path)
	}
	if len(paths) == 0 && r.part != "" {
		return []string{r.part}
	}
	return paths
}

// empty reports whether the call has named nothing.
func (s selection) empty() bool { return len(s.given) == 0 }

// texts are the paths and patterns as the call has them.
func (s selection) texts() []string {
	texts := make([]string, 0, len(s.given))
	for _, c := range s.given {
		texts = append(texts, c.text)
	}
	return texts
}

// names reports whether one of the paths or patterns means a file, which is relative to the top of the work tree. Without any, none does.
func (r *repo) names(s selection, file string) bool {
	return slices.ContainsFunc(s.given, func(c choice) bool { return r.chosen(c, file) })
}

// selects reports whether a file belongs to the answer: it is in the project, and named if anything is.
func (r *repo) selects(s selection, file string) bool {
	return r.inProject(file) && (s.empty() || r.names(s, file))
}

// inProject reports whether a file of the repository belongs to the project.
func (r *repo) inProject(file string) bool {
	return r.part == "" || file == r.part || strings.HasPrefix(file, r.part+"/")
}

// chosen reports whether a choice means a file: by its name, by a pattern, or by one of the directories that hold it.
func (r *repo) chosen(c choice, file string) bool {
	file = strings.TrimSuffix(file, "/")
	if c.path != "" && (c.path == "." || c.path == file || strings.HasPrefix(file, strings.TrimSuffix(c.path, "/")+"/")) {
		return true
	}
	if c.pattern == nil {
		return false
	}
	for name := r.inRoot(file); name != "." && name != "/" && !strings.HasPrefix(name, "../"); name = path.Dir(name) {
		if c.pattern.Match(path.Base(name), name) {
			return true
		}
	}
	return false
}

// unmatched answers the paths and patterns of a call that no file of a commit means, of the index without one. An answer about them
// would otherwise look as if their files had not changed. seen are files that the answer has.
func (r *repo) unmatched(ctx context.Context, s selection, commit string, seen []string) ([]string, error) {
	left := slices.DeleteFunc(slices.Clone(s.given), func(c choice) bool {
		return c.path == "." || c.path == r.part && r.part != "" || slices.ContainsFunc(seen, func(file string) bool { return r.chosen(c, file) })
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
		return nil, nil // it is not known
	}
	if err != nil {
		return nil, failed("listing the files", err)
	}
	for file := range strings.SplitSeq(string(out), "\x00") {
		if len(left) == 0 {
			break
		}
		if file != "" {
			left = slices.DeleteFunc(left, func(c choice) bool { return r.chosen(c, file) })
		}
	}
	return selection{left}.texts(), nil
}

// unmatchedText says that paths and patterns mean no file.
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
