package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Entry is a file that differs from what is committed.
type Entry struct {
	// Path is relative to the top of the work tree, with slashes.
	Path string
	// Index and Tree are how the index differs from the commit, and the work tree from the index: '.', 'M', 'T', 'A', 'D', 'U', and
	// both '?' for what git does not know.
	Index, Tree byte
	// Committed says that the commit has the file.
	Committed bool
	// CommitMode and TreeMode are the modes of the file in the commit and in the work tree, such as 100644; zeros where it is not, and
	// empty if they are not known.
	CommitMode, TreeMode string
	// From is what the file was called before, if it was renamed; see Look.
	From string
	// Conflicted says that it has to be merged by hand, Submodule that it is another repository.
	Conflicted, Submodule bool
}

// Untracked says that git does not know the file.
func (e Entry) Untracked() bool { return e.Tree == '?' }

// Deleted says that the file is not there any more.
func (e Entry) Deleted() bool { return e.Tree == 'D' || e.Index == 'D' && e.Tree == '.' }

// Status answers the files that differ from what is committed, and those that git does not know; and the commit, "" if there is none.
// Submodules are left out. here restricts it to the directory that the repository is seen from. With ErrTooMuch come the first of them.
func (r *Repository) Status(ctx context.Context, here bool) (commit string, entries []Entry, err error) {
	head, entries, err := r.Overview(ctx, here)
	return head.Commit, entries, err
}

// Head is what is checked out.
type Head struct {
	// Commit is "" if there is none, Branch if it is detached.
	Commit, Branch string
	// Upstream is the branch that Branch follows, "" if none, and Ahead and Behind how many commits only one of them has, as far as
	// was last fetched.
	Upstream      string
	Ahead, Behind int
	// Compared says that Ahead and Behind are known: there is an upstream, and it was fetched.
	Compared bool
}

// Overview is Status with what is checked out.
func (r *Repository) Overview(ctx context.Context, here bool) (head Head, entries []Entry, err error) {
	l := Look{Untracked: "all", Submodules: "all"}
	if here {
		l.Paths = []string{"."}
	}
	return r.Look(ctx, l)
}

// Look says what of the work tree is looked at.
type Look struct {
	// Paths restrict it, relative to the directory that the repository is seen from; none is everything.
	Paths []string
	// Renames has files that were renamed told as one.
	Renames bool
	// Untracked is "all", "normal", which tells of directories that git does not know as such, or "no".
	Untracked string
	// Submodules is "all" to leave them out, and "dirty" to tell of those that have another commit checked out.
	Submodules string
	// Limit is after how long git is ended: 10 seconds by default.
	Limit time.Duration
}

// Look answers what is checked out, and how the index and the work tree differ from it. With ErrTooMuch come the first entries.
func (r *Repository) Look(ctx context.Context, l Look) (head Head, entries []Entry, err error) {
	args := []string{"status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=" + l.Untracked, "--ignore-submodules=" + l.Submodules}
	if l.Renames {
		args[4] = "--find-renames"
	}
	if len(l.Paths) > 0 {
		args = append(append(args, "--"), l.Paths...)
	}
	out, err := r.run(ctx, l.Limit, args...)
	if err != nil && !errors.Is(err, ErrTooMuch) {
		return Head{}, nil, err
	}
	head, entries, unknown := parseStatus(out[:bytes.LastIndexByte(out, 0)+1])
	return head, entries, cmp.Or(unknown, err)
}

// parseStatus reads porcelain format 2 with NUL at the ends of lines.
func parseStatus(out []byte) (head Head, entries []Entry, err error) {
	lines := bytes.Split(out, []byte{0})
	for i := 0; i < len(lines); i++ {
		line := string(lines[i])
		kind, rest, _ := strings.Cut(line, " ")
		var e Entry
		fields := 0 // before the path
		switch kind {
		case "":
			continue
		case "#":
			head.read(rest)
			continue
		case "!":
			continue
		case "?":
			e = Entry{Path: rest, Index: '?', Tree: '?'}
		case "1":
			fields = 7
		case "2": // the old name follows
			fields = 8
			if i++; i < len(lines) {
				e.From = string(lines[i])
			}
		case "u":
			fields = 9
			e.Conflicted = true
		default:
			return Head{}, nil, fmt.Errorf("git status says what is not known: %.100q", line)
		}
		if fields > 0 {
			parts := strings.SplitN(rest, " ", fields+1)
			if len(parts) != fields+1 || len(parts[0]) != 2 {
				return Head{}, nil, fmt.Errorf("git status says what is not known: %.100q", line)
			}
			e.Path, e.Index, e.Tree = parts[fields], parts[0][0], parts[0][1]
			if !e.Conflicted {
				e.CommitMode, e.TreeMode = parts[2], parts[4]
			}
			e.Committed, e.Submodule = strings.Trim(parts[2], "0") != "", strings.HasPrefix(parts[1], "S")
		}
		entries = append(entries, e)
	}
	return head, entries, nil
}

// read takes what a header says.
func (h *Head) read(header string) {
	what, value, _ := strings.Cut(header, " ")
	switch what {
	case "branch.oid":
		if value != "(initial)" {
			h.Commit = value
		}
	case "branch.head":
		if value != "(detached)" {
			h.Branch = value
		}
	case "branch.upstream":
		h.Upstream = value
	case "branch.ab": // +1 -2
		ahead, behind, _ := strings.Cut(value, " ")
		h.Ahead, _ = strconv.Atoi(ahead)
		h.Behind, _ = strconv.Atoi(strings.TrimPrefix(behind, "-"))
		h.Compared = true
	}
}
