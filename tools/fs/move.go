package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
)

// MoveArgs are the arguments of move_file.
type MoveArgs struct {
	// Source is relative to the project root, or absolute and inside the project. Paths in the trash are allowed. A link at its
	// end is moved itself.
	Source string `json:"source"`
	// Destination is the new path. Only its last element may be missing.
	Destination string `json:"destination"`
	// Overwrite allows to replace a file or a link, which goes to the trash. A directory is never replaced.
	Overwrite bool `json:"overwrite,omitempty"`
}

// MoveResult is the result of move_file.
type MoveResult struct {
	Source      string `json:"source"`            // links in directories resolved
	Destination string `json:"destination"`       // as ReadResult.Path
	Type        string `json:"type"`              // as DeleteResult.Type
	Entries     int    `json:"entries,omitempty"` // number of entries of a directory, on all levels
	// ReplacedPath is the path in the trash of the replaced file.
	ReplacedPath string `json:"replacedPath,omitempty"`
}

// TextContent returns the text for the model.
func (r MoveResult) TextContent() string {
	text := fmt.Sprintf("[moved the %s %s to %s]", describeEntry(r.Type, r.Entries), r.Source, r.Destination)
	if r.ReplacedPath != "" {
		text += "\n[what was there: " + r.ReplacedPath + "]"
	}
	return text
}

// Move implements move_file: it moves or renames a file, link or directory. A replaced file goes to the trash.
func (f *Files) Move(ctx context.Context, args MoveArgs) (MoveResult, error) {
	done, err := f.root.Move(ctx, args.Source, args.Destination, security.MoveOptions{Overwrite: args.Overwrite})
	if err != nil {
		return MoveResult{}, notMoved(args, err)
	}
	if done.Kind == security.RegularFile {
		f.ledger.Moved(ctx, done.From.Path, done.To.Path)
	}
	return MoveResult{Source: done.From.Path, Destination: done.To.Path, Type: done.Kind.String(), Entries: done.Entries, ReplacedPath: done.Replaced.Path}, nil
}

// notMoved adds the path and advice to the error of a move.
func notMoved(args MoveArgs, err error) error {
	err = withNextStep(err, security.AlreadyExists, func(string) string {
		return "Choose another destination, or call again with overwrite=true to move the existing file to the trash."
	})
	return wrapPath("moving", args.Source, err)
}
