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

// Entry is a file that differs from the commit.
type Entry struct {
	// Path is relative to the top of the worktree, with slashes.
	Path string
	// Index is the difference between commit and index, Tree that between index and worktree: '.', 'M', 'T', 'A', 'D' or 'U'.
	// Both are '?' for an untracked file.
	Index, Tree byte
	// Committed means that the commit contains the file.
	Committed bool
	// CommitMode and TreeMode are the modes in the commit and the worktree, for example 100644. They are zeros if the file is
	// missing there, and empty if unknown.
	CommitMode, TreeMode string
	// From is the former path of a renamed file; see Look.
	From string
	// Conflicted means that the file has merge conflicts, Submodule that it is a submodule.
	Conflicted, Submodule bool
}

// Untracked reports whether the file is untracked.
func (e Entry) Untracked() bool { return e.Tree == '?' }

// Deleted reports whether the file was deleted.
func (e Entry) Deleted() bool { return e.Tree == 'D' || e.Index == 'D' && e.Tree == '.' }

// Status returns the files that differ from the commit, untracked files included, and the commit, "" if there is none.
// Submodules are skipped. here restricts the result to Prefix. With ErrTooMuch the first entries are returned.
func (r *Repository) Status(ctx context.Context, here bool) (commit string, entries []Entry, err error) {
	head, entries, err := r.Overview(ctx, here)
	return head.Commit, entries, err
}

// Head is the checked-out commit and branch.
type Head struct {
	// Commit is "" before the first commit, Branch if HEAD is detached.
	Commit, Branch string
	// Upstream is the tracked branch, or "". Ahead and Behind count the commits that only one side has, as of the last fetch.
	Upstream      string
	Ahead, Behind int
	// Compared means that Ahead and Behind are known: there is a fetched upstream.
	Compared bool
}

// Overview is Status with the checked-out branch.
func (r *Repository) Overview(ctx context.Context, here bool) (head Head, entries []Entry, err error) {
	l := Look{Untracked: "all", Submodules: "all"}
	if here {
		l.Paths = []string{"."}
	}
	return r.Look(ctx, l)
}

// Look selects the content of a status.
type Look struct {
	// Paths restrict the status; they are relative to Prefix. None means everything.
	Paths []string
	// Renames reports a renamed file as one entry.
	Renames bool
	// Untracked is "all", "normal" (untracked directories as one entry), or "no".
	Untracked string
	// Submodules is "all" to skip submodules, or "dirty" to report only submodules with another commit checked out.
	Submodules string
	// Limit is the timeout of git. The default is 10 seconds.
	Limit time.Duration
}

// Look returns the checked-out branch and the differences of index and worktree. With ErrTooMuch the first entries are
// returned.
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

// parseStatus parses porcelain format 2 with NUL as the line end.
func parseStatus(out []byte) (head Head, entries []Entry, err error) {
	lines := bytes.Split(out, []byte{0})
	for i := 0; i < len(lines); i++ {
		line := string(lines[i])
		kind, rest, _ := strings.Cut(line, " ")
		var e Entry
		fields := 0 // number of fields before the path
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
		case "2": // the former path follows
			fields = 8
			if i++; i < len(lines) {
				e.From = string(lines[i])
			}
		case "u":
			fields = 9
			e.Conflicted = true
		default:
			return Head{}, nil, fmt.Errorf("unexpected output of git status: %.100q", line)
		}
		if fields > 0 {
			parts := strings.SplitN(rest, " ", fields+1)
			if len(parts) != fields+1 || len(parts[0]) != 2 {
				return Head{}, nil, fmt.Errorf("unexpected output of git status: %.100q", line)
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

// read parses a header line.
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
