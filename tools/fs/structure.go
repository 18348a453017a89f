package fs

import (
	"context"
	"path"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

const (
	defaultLevels    = 5
	maxLevels        = 10
	defaultTreeBytes = 24_000
	minTreeBytes     = 500
)

// WorkspaceStructureArgs are the arguments of get_workspace_structure.
type WorkspaceStructureArgs struct {
	// MaxDepth is the number of levels to show, at most 10. 0 is 5. Deeper entries are only counted.
	MaxDepth int `json:"maxDepth,omitempty" jsonschema:"minimum=1,maximum=10,default=5"`
	// ExcludePatterns exclude matching entries and everything below them, at most 64. The syntax is that of ListArgs.Pattern.
	ExcludePatterns []string `json:"excludePatterns,omitempty" jsonschema:"default=[],description=Globs (testdata\\, docs/**)"`
	// Path is the directory at the top, relative to the project root, or absolute and inside the project. The default is the root.
	Path string `json:"path,omitempty" jsonschema:"default=."`
	// MaxBytes bounds the tree in TextContent. The JSON of Root may have a third more. It is at least 500 and at most
	// tools.Limits.MaxAnswer. 0 is 24,000, or less if tools.Limits.Answer is lower.
	MaxBytes int `json:"maxBytes,omitempty" jsonschema:"minimum=500,default=24000"`
}

// WorkspaceStructure is the result of get_workspace_structure.
//
// Entries that do not fit are folded: only their number is shown. Folding begins with deep levels and large directories, so
// that small directories stay visible. Root and TextContent are folded separately, since JSON takes more space.
type WorkspaceStructure struct {
	Root TreeNode `json:"root"`
	// TotalFiles and TotalDirectories count all visited entries below the root, folded ones included.
	TotalFiles       int `json:"totalFiles"`
	TotalDirectories int `json:"totalDirectories"`
	// Truncated means that entries are folded, or that Incomplete is set.
	Truncated bool `json:"truncated"`
	// Incomplete means that the walk did not visit everything: there are more than 200,000 entries or 64 levels of directories,
	// the time was up, or there are Problems.
	Incomplete bool `json:"incomplete,omitempty"`
	LeftOut
	// Problems describe at most 8 directories that could not be read.
	Problems []string `json:"problems,omitempty"`

	tree string // the tree as text
}

// TreeNode is a file or a directory of the tree.
type TreeNode struct {
	Name     string     `json:"name"`
	Path     string     `json:"path"`              // path for other calls
	Type     string     `json:"type"`              // file, directory, symlink, or other: a device, FIFO or socket
	Size     *int64     `json:"size,omitempty"`    // bytes, of a file
	Children []TreeNode `json:"children,omitzero"` // of a directory: directories first, by name
	Folded   *Folded    `json:"folded,omitempty"`  // entries of the directory that Children omit
}

// Folded counts the omitted entries of a directory, on all levels.
type Folded struct {
	Files       int `json:"files"`
	Directories int `json:"directories"`
}

// WorkspaceStructure implements get_workspace_structure.
func (f *Files) WorkspaceStructure(ctx context.Context, args WorkspaceStructureArgs) (WorkspaceStructure, error) {
	if err := f.checkStructure(&args); err != nil {
		return WorkspaceStructure{}, err
	}
	start, err := f.startDir(ctx, args.Path)
	if err != nil {
		return WorkspaceStructure{}, err
	}
	exclude := make([]string, len(args.ExcludePatterns))
	for i, pattern := range args.ExcludePatterns {
		exclude[i] = "!" + strings.TrimPrefix(pattern, "!")
	}
	chosen, err := compileGlobs(exclude, f.names(start)...)
	if err != nil {
		return WorkspaceStructure{}, err
	}
	name := start.Name
	if name == "." {
		name = path.Base(slashed(f.root.Dirs()[start.Dir]))
	}
	t := newTree(name, start.Path)
	searching, done := shortenDeadline(ctx)
	defer done()
	stats, left, err := f.walkChosen(searching, start.Path, &chosen, security.WalkOptions{MaxEntries: maxVisited}, t.visit)
	if err != nil && (stats.Entries == 0 || !deadlinePassed(searching)) {
		return WorkspaceStructure{}, err
	}
	t.finish()
	result := WorkspaceStructure{
		TotalFiles: t.root.below.Files, TotalDirectories: t.root.below.Directories, Incomplete: stats.Incomplete || err != nil,
		LeftOut: leftOut(stats, left), Problems: limitProblems(stats.Problems),
	}
	shown := t.layout(args.MaxBytes+args.MaxBytes/3, args.MaxDepth, jsonCost)
	result.Root = shown.node(t.root, f.sizes(ctx))
	result.Truncated = result.Incomplete || shown.folds()
	result.tree = t.layout(args.MaxBytes, args.MaxDepth, textCost).text(t.root)
	return result, nil
}

// checkStructure validates the arguments and applies the defaults.
func (f *Files) checkStructure(args *WorkspaceStructureArgs) error {
	if args.MaxDepth == 0 {
		args.MaxDepth = defaultLevels
	}
	if args.MaxBytes == 0 {
		args.MaxBytes = max(min(defaultTreeBytes, f.limits.Answer*3/4), minTreeBytes)
	}
	switch {
	case args.MaxDepth < 0 || args.MaxDepth > maxLevels:
		return invalid("give a maxDepth of 1 to 10", "maxDepth %d is out of bounds", args.MaxDepth)
	case args.MaxBytes < minTreeBytes:
		return invalid("give a maxBytes of 500 or more", "maxBytes %d is out of bounds", args.MaxBytes)
	}
	args.MaxBytes = min(args.MaxBytes, f.limits.MaxAnswer)
	return nil
}

// sizes returns a function that returns the size of a regular file, or nil.
func (f *Files) sizes(ctx context.Context) func(path string) *int64 {
	return func(path string) *int64 {
		info, err := f.root.Lstat(ctx, path)
		if err != nil || info.Kind != security.RegularFile {
			return nil
		}
		return new(info.Size)
	}
}

// TextContent returns the text for the model: an indented tree. An ellipsis and a count stand for folded entries.
func (r WorkspaceStructure) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + r.Root.Path + ": " + plural.Count(int64(r.TotalFiles), "file") + ", " + plural.Count(int64(r.TotalDirectories), "directory"))
	b.WriteString(r.text() + "]\n" + r.tree)
	writeProblems(&b, r.Problems)
	if r.Incomplete {
		b.WriteString("[not everything was looked at; ask for a directory below with path]\n")
	}
	if strings.Contains(r.tree, ellipsis) {
		b.WriteString("[… is folded; ask for a directory with path to see more of it, or raise maxBytes]\n")
	}
	return b.String()
}
