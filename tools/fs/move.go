package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
)

// MoveArgs are the arguments of move_file.
type MoveArgs struct {
	// Source is relative to the project root, or absolute and inside the project; what the trash holds, too. A link at its end is
	// moved itself.
	Source string `json:"source"`
	// Destination is the whole new path, of which only the last name may be missing.
	Destination string `json:"destination"`
	// Overwrite allows a file or a link to be there already, which goes to the trash then. A directory is never overwritten.
	Overwrite bool `json:"overwrite,omitempty"`
}

// MoveResult is what move_file answers.
type MoveResult struct {
	Source      string `json:"source"`      // links in directories resolved
	Destination string `json:"destination"` // as ReadResult.Path
	Type        string `json:"type"`        // as DeleteResult.Type
	Entries     int    `json:"entries,omitempty"`
	// ReplacedPath is where the file is, in the trash, that was at the destination.
	ReplacedPath string `json:"replacedPath,omitempty"`
}

// TextContent is what a model reads.
func (r MoveResult) TextContent() string {
	text := fmt.Sprintf("[moved the %s %s to %s]", described(r.Type, r.Entries), r.Source, r.Destination)
	if r.ReplacedPath != "" {
		text += "\n[what was there: " + r.ReplacedPath + "]"
	}
	return text
}

// Move is move_file: it moves or renames files, links and directories. An overwritten file goes to the trash.
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

func notMoved(args MoveArgs, err error) error {
	err = advise(err, security.AlreadyExists, func(string) string {
		return "Choose another destination, or call again with overwrite=true to move what is there to the trash."
	})
	return about("moving", args.Source, err)
}
