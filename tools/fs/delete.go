package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// codeDestructive is the code for a permanent deletion without the possibility to ask the user.
const codeDestructive = "DESTRUCTIVE_NOT_ALLOWED"

// DeleteArgs are the arguments of delete_file.
type DeleteArgs struct {
	// Path is relative to the project root, or absolute and inside the project. A link at its end is deleted itself.
	Path string `json:"path"`
	// Recursive deletes a directory with its entries. Without it only an empty directory is deleted.
	Recursive bool `json:"recursive,omitempty"`
	// ExpectedSHA256 is the digest of the last read or write. If the file has another digest, the call fails with STALE_FILE
	// and deletes nothing.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// Permanent deletes the entry without the trash. The user is asked first, unless Options.AllowDestructive is set.
	Permanent bool `json:"permanent,omitempty" jsonschema:"description=Delete for good\\, not to the trash; asks the user"`
}

// DeleteResult is the result of delete_file.
type DeleteResult struct {
	Path string `json:"path"` // former path, with links in directories resolved
	Type string `json:"type"` // file, directory, symlink, or other: a device, FIFO or socket
	// TrashPath is the path in the trash, from which Move restores the entry; see security.TrashDir. It is empty after a
	// permanent deletion.
	TrashPath string `json:"trashPath,omitempty"`
	Entries   int    `json:"entries,omitempty"` // number of entries of the directory, on all levels
}

// TextContent returns the text for the model.
func (r DeleteResult) TextContent() string {
	if r.TrashPath == "" {
		return fmt.Sprintf("[%s: removed the %s for good]", r.Path, describeEntry(r.Type, r.Entries))
	}
	return fmt.Sprintf("[%s: deleted the %s]\n[it is in the trash; to restore it, move %s to %s]", r.Path, describeEntry(r.Type, r.Entries), r.TrashPath, r.Path)
}

// describeEntry returns the type of an entry and the number of its entries.
func describeEntry(kind string, entries int) string {
	switch {
	case kind == "symlink":
		return "link"
	case kind == "other":
		return "special file"
	case kind == "directory" && entries > 0:
		return "directory with " + plural.Count(int64(entries), "entry")
	case kind == "directory":
		return "empty directory"
	}
	return kind
}

// Delete implements delete_file. It moves the entry to the trash without a question, since Move restores it. Before a permanent
// deletion it asks the user through the client of the call, unless Options.AllowDestructive is set. If no client can ask, the
// error is DESTRUCTIVE_NOT_ALLOWED.
func (f *Files) Delete(ctx context.Context, args DeleteArgs) (DeleteResult, error) {
	o := security.TrashOptions{Recursive: args.Recursive, ExpectedSHA256: args.ExpectedSHA256, Permanent: args.Permanent}
	if args.Permanent && !f.options.AllowDestructive {
		try := o
		try.DryRun = true
		would, err := f.root.Trash(ctx, args.Path, try)
		if err != nil {
			return DeleteResult{}, notDeleted(args, err)
		}
		question := fmt.Sprintf("Delete the %s %s for good? It does not go to the trash and cannot be restored.", describeEntry(would.Kind.String(), would.Entries), quote(would.From.Path))
		if err := consent(ctx, question); err != nil {
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

// consent asks the user for a deletion. It must run before any effect, because a replay runs the handler again.
func consent(ctx context.Context, question string) error {
	if !mcp.Supports(ctx, mcp.CapElicitForm) {
		return &mcp.ToolError{Code: codeDestructive, Message: "this needs the consent of the user, and this client cannot ask the user",
			Next: "leave out permanent, which moves it to the trash; or tell the user, who can delete it or set security.allowDestructiveOperations in the settings of the server"}
	}
	return mcp.Confirm(ctx, "delete", question)
}

// notDeleted adds the path and advice to the error of a deletion.
func notDeleted(args DeleteArgs, err error) error {
	return wrapPath("deleting", args.Path, withNextStep(err, security.IsDirectory, func(string) string {
		return "To delete it with everything in it, call again with recursive=true."
	}))
}
