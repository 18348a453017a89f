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

// CreateDirectoryResult is the result of create_directory.
type CreateDirectoryResult struct {
	Path    string `json:"path"`    // as ReadResult.Path
	Created bool   `json:"created"` // the directory did not exist before
}

// TextContent returns the text for the model.
func (r CreateDirectoryResult) TextContent() string {
	if r.Created {
		return fmt.Sprintf("[%s: created]", r.Path)
	}
	return fmt.Sprintf("[%s: is a directory already]", r.Path)
}

// CreateDirectory implements create_directory. It creates missing parents. An existing directory is no error.
func (f *Files) CreateDirectory(ctx context.Context, args CreateDirectoryArgs) (CreateDirectoryResult, error) {
	done, err := f.root.MakeDir(ctx, args.Path, true)
	if err != nil {
		return CreateDirectoryResult{}, wrapPath("making", args.Path, err)
	}
	return CreateDirectoryResult{Path: done.Path, Created: done.Created}, nil
}
