package fs

import (
	"context"
	"fmt"
)

// CreateDirectoryArgs are the arguments of create_directory.
type CreateDirectoryArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
}

// CreateDirectoryResult is what create_directory answers.
type CreateDirectoryResult struct {
	Path    string `json:"path"`    // as ReadResult.Path
	Created bool   `json:"created"` // there was no directory before
}

// TextContent is what a model reads.
func (r CreateDirectoryResult) TextContent() string {
	if r.Created {
		return fmt.Sprintf("[%s: created]", r.Path)
	}
	return fmt.Sprintf("[%s: is a directory already]", r.Path)
}

// CreateDirectory is create_directory: it makes a directory, and those on the way to it. One that is there already is left as it is.
func (f *Files) CreateDirectory(ctx context.Context, args CreateDirectoryArgs) (CreateDirectoryResult, error) {
	done, err := f.root.MakeDir(ctx, args.Path, true)
	if err != nil {
		return CreateDirectoryResult{}, about("making", args.Path, err)
	}
	return CreateDirectoryResult{Path: done.Path, Created: done.Created}, nil
}
