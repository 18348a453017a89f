package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// codeDestructive is the code of errors for a permanent deletion for which the user cannot be asked.
const codeDestructive = "DESTRUCTIVE_NOT_ALLOWED"

// DeleteArgs are the arguments of delete_file.
type DeleteArgs struct {
	// Path is relative to the project root, or absolute and inside the project. A link at its end is deleted itself.
	Path string `json:"path"`
	// Recursive deletes a directory with everything in it; else only an empty one.
	Recursive bool `json:"recursive,omitempty"`
	// ExpectedSHA256 is the digest that the file must still have, as the last read or write told it; else it is STALE_FILE
	// and nothing is deleted.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	// Permanent removes it for good, past the trash. The user is asked first, unless Options.AllowDestructive is set.
	Permanent bool `json:"permanent,omitempty" jsonschema:"description=Not to the trash: removed for good once the user agrees"`
}

// DeleteResult is what delete_file answers.
type DeleteResult struct {
	Path string `json:"path"` // that it had, links in directories resolved
	Type string `json:"type"` // file, directory, symlink, or other: a device, FIFO or socket
	// TrashPath is where it is now, for Move, which restores it: see security.TrashDir. Empty after a permanent deletion.
	TrashPath string `json:"trashPath,omitempty"`
	Entries   int    `json:"entries,omitempty"` // that were in the directory, at every level
}

// TextContent is what a model reads.
func (r DeleteResult) TextContent() string {
	if r.TrashPath == "" {
		return fmt.Sprintf("[%s: removed the %s for good]", r.Path, described(r.Type, r.Entries))
	}
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

// Delete is delete_file. The entry goes to the trash, which needs no question, since Move brings it back. Before a permanent
// deletion the user is asked through the client of the call, unless Options.AllowDestructive is set; where that is not possible, as
// for a Go program without a call, the error is DESTRUCTIVE_NOT_ALLOWED.
func (f *Files) Delete(ctx context.Context, args DeleteArgs) (DeleteResult, error) {
	o := security.TrashOptions{Recursive: args.Recursive, ExpectedSHA256: args.ExpectedSHA256, Permanent: args.Permanent}
	if args.Permanent && !f.options.AllowDestructive {
		try := o
		try.DryRun = true
		would, err := f.root.Trash(ctx, args.Path, try)
		if err != nil {
			return DeleteResult{}, notDeleted(args, err)
		}
		question := fmt.Sprintf("Delete the %s %s for good? It does not go to the trash and cannot be restored.", described(would.Kind.String(), would.Entries), quote(would.From.Path))
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

// consent asks the user for a deletion. It must come before any effect: the call may be run again with the answer.
func consent(ctx context.Context, question string) error {
	if !mcp.Supports(ctx, mcp.CapElicitForm) {
		return &mcp.ToolError{Code: codeDestructive, Message: "this needs the consent of the user, whom this client cannot ask",
			Next: "leave out permanent, which moves it to the trash; or tell the user, who can delete it or set security.allowDestructiveOperations in the settings of the server"}
	}
	return mcp.Confirm(ctx, "delete", question)
}

func notDeleted(args DeleteArgs, err error) error {
	return about("deleting", args.Path, advise(err, security.IsDirectory, func(string) string {
		return "To delete it with everything in it, call again with recursive=true."
	}))
}
