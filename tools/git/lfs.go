package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

const (
	// pointerStart is the beginning of a Git LFS pointer file. maxPointer is its largest size in bytes.
	pointerStart = "version https://git-lfs.github.com/spec/v"
	maxPointer   = 1024
	// maxPushOutput is the most bytes of git output about the commits to push.
	maxPushOutput = 32 << 20
)

// checkLFS refuses to push commits with Git LFS pointers: the remote would not get the LFS objects, so its clones could not be
// checked out. The hook of git-lfs, if it runs, sends the objects.
func (r *repo) checkLFS(ctx context.Context, args PushArgs, head Head, to *remote) error {
	if args.Hooks && r.sendsLFS(ctx) {
		return nil
	}
	blobs, err := r.sentBlobs(ctx, head.Commit, to.name)
	if err != nil {
		return err
	}
	pointers, err := r.pointers(ctx, blobs)
	if err != nil || len(pointers) == 0 {
		return err
	}
	next := "Ask the user to run git push in a terminal, where git-lfs sends the objects first."
	if r.g.options.Hooks && r.sendsLFS(ctx) {
		next = "Call again with hooks=true: the hook pre-push sends the objects. Or ask the user to run git push in a terminal."
	}
	return problem(codeLFS, next, "nothing was sent: the commits have %s of Git LFS (%s), whose objects this call does not send; without them no user could check out the commits",
		plural.Count(len(pointers), "file"), quote(r.listPaths(pointers)))
}

// sendsLFS reports whether the pre-push hook of the repository is that of git-lfs.
func (r *repo) sendsLFS(ctx context.Context) bool {
	out, err := r.WithHooks().Run(ctx, gitcmd.Call{Args: []string{"rev-parse", "--git-path", "hooks/pre-push"}})
	if err != nil {
		return false
	}
	name := trim(out)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Top(), name)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return false
	}
	text, err := os.ReadFile(name)
	return err == nil && (bytes.Contains(text, []byte("git lfs pre-push")) || bytes.Contains(text, []byte("git-lfs pre-push")))
}

// blob is the content of a file in a commit: its ID and the path relative to the top of the worktree.
type blob struct{ id, path string }

// sentBlobs returns the blobs that the commits to push add or change. If there are too many commits, it returns those of the
// last commit.
func (r *repo) sentBlobs(ctx context.Context, commit, remote string) ([]blob, error) {
	var blobs []blob
	out, err := r.Run(ctx, gitcmd.Call{Limit: localTimeout, Most: maxPushOutput, Args: []string{"log", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "--root", "-z",
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit, "--not", "--remotes=" + remote, "--"}})
	if err == nil {
		parts := strings.Split(string(out), "\x00")
		for i := 0; i+1 < len(parts); i++ {
			// ":100644 100644 <from> <to> M", after a line end at the beginning of a commit
			fields := strings.Fields(strings.TrimLeft(parts[i], "\n"))
			if len(fields) != 5 || !strings.HasPrefix(fields[0], ":") {
				continue
			}
			i++
			if strings.HasPrefix(fields[1], "100") {
				blobs = append(blobs, blob{fields[3], parts[i]})
			}
		}
		return blobs, nil
	}
	if !errors.Is(err, gitcmd.ErrTooMuch) && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return nil, gitError("looking for files of Git LFS", err)
	}
	out, err = r.Run(ctx, gitcmd.Call{Limit: localTimeout, Most: maxPushOutput, Args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}})
	if err != nil {
		return nil, gitError("looking for files of Git LFS", err)
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[1] == "blob" {
			blobs = append(blobs, blob{fields[2], path})
		}
	}
	return blobs, nil
}

// pointers returns the paths of blobs that are LFS pointers and whose attributes require LFS.
func (r *repo) pointers(ctx context.Context, blobs []blob) ([]string, error) {
	paths := make([]string, 0, len(blobs))
	for _, b := range blobs {
		paths = append(paths, b.path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	filters, err := r.Attribute(ctx, "filter", paths)
	if err != nil {
		return nil, gitError("looking at attributes", err)
	}
	var asked strings.Builder
	pathOf := make(map[string]string)
	for _, b := range blobs {
		if _, known := pathOf[b.id]; !known && filters[b.path] == "lfs" {
			pathOf[b.id] = b.path
			asked.WriteString(b.id + "\n")
		}
	}
	if asked.Len() == 0 {
		return nil, nil
	}
	sizes, err := r.Run(ctx, gitcmd.Call{Args: []string{"cat-file", "--batch-check"}, Input: []byte(asked.String()), Limit: localTimeout, Most: maxPushOutput})
	if err != nil {
		return nil, gitError("looking for files of Git LFS", err)
	}
	asked.Reset()
	for line := range strings.Lines(string(sizes)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		if size, err := strconv.Atoi(fields[2]); err == nil && size <= maxPointer {
			asked.WriteString(fields[0] + "\n")
		}
	}
	texts, err := r.Run(ctx, gitcmd.Call{Args: []string{"cat-file", "--batch"}, Input: []byte(asked.String()), Limit: localTimeout, Most: maxPushOutput})
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) { // the first ones suffice
		return nil, gitError("looking for files of Git LFS", err)
	}
	var found []string
	for len(texts) > 0 {
		header, rest, _ := bytes.Cut(texts, []byte("\n"))
		fields := strings.Fields(string(header))
		if len(fields) != 3 {
			break
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size >= len(rest) {
			break
		}
		if bytes.HasPrefix(rest, []byte(pointerStart)) {
			found = append(found, pathOf[fields[0]])
		}
		texts = rest[size+1:]
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// listPaths returns the first paths for a message.
func (r *repo) listPaths(paths []string) string {
	const most = 5
	var shown []string
	for _, path := range paths[:min(len(paths), most)] {
		shown = append(shown, r.path(path))
	}
	if more := len(paths) - len(shown); more > 0 {
		shown = append(shown, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(shown, ", ")
}
