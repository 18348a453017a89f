package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
)

// DeleteArgs are the arguments of delete_file.
type DeleteArgs struct {
	// Path is relative to the project root, or absolute and inside the project. A link at its end is deleted itself.
	Path string `json:"path"`
	// Recursive deletes a directory with everything in it; else only an empty one.
	Recursive bool `json:"recursive,omitempty"`
	// ExpectedSHA256 is the digest that the file must still have, as the last read or write told it; else it is STALE_FILE
	// and nothing is deleted.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// DeleteResult is what delete_file answers.
type DeleteResult struct {
	Path string `json:"path"` // that it had, links in directories resolved
	Type string `json:"type"` // file, directory, symlink, or other: a device, FIFO or socket
	// TrashPath is where it is now, for Move, which restores it: see security.TrashDir.
	TrashPath string `json:"trashPath"`
	Entries   int    `json:"entries,omitempty"` // that were in the directory, at every level
}

// TextContent is what a model reads.
func (r DeleteResult) TextContent() string {
	return fmt.Sprintf("[%s: deleted the %s]\n[it is in the trash; to restore it, move %s to %s]", r.Path, described(r.Type, r.Entries), r.TrashPath, r.Path)
}

// described is a type of entry with what is in it.
func described(kind string, entries int) string {
	switch {
	case kind == "symlink":
		return "link"
	case kind == "other":
		return "special file"
	case kind == "directory" && entries > 0:
		return "directory with " + count(int64(entries), "entry")
	case kind == "directory":
		return "empty directory"
	}
	return kind
}

// Delete is delete_file. What is deleted goes to the trash. Without Options.AllowDestructive the user is asked first, through the
// client of the call; where that is not possible, as for a Go program without a call, it is DESTRUCTIVE_NOT_ALLOWED.
func (f *Files) Delete(ctx context.Context, args DeleteArgs) (DeleteResult, error) {
	o := security.TrashOptions{Recursive: args.Recursive, ExpectedSHA256: args.ExpectedSHA256}
	if !f.options.AllowDestructive {
		try := o
		try.DryRun = true
		would, err := f.root.Trash(ctx, args.Path, try)
		if err != nil {
			return DeleteResult{}, notDeleted(args, err)
		}
		question := fmt.Sprintf("Delete the %s %s? It goes to the trash, from where it can be restored.", described(would.Kind.String(), would.Entries), quote(would.From.Path))
		if err := f.consent(ctx, "delete", question); err != nil {
			return DeleteResult{}, err
		}
	}
	done, err := f.root.Trash(ctx, args.Path, o)
	if err != nil {
		return DeleteResult{}, notDeleted(args, err)
	}
	f.ledger.Forget(ctx, done.From.Path)
	return DeleteResult{Path: done.From.Path, Type: done.Kind.String(), TrashPath: done.Trash.Path, Entries: done.Entries}, nil
}

func notDeleted(args DeleteArgs, err error) error {
	return about("deleting", args.Path, advise(err, security.IsDirectory, func(string) string {
		return "To delete it with everything in it, call again with recursive=true."
	}))
}
