package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Options are what a call that says nothing gets. The zero value is that of the CursorCLI specification. The schemas of
// the tools state what is chosen here; a profile can change the schemas further, but not what the Go methods do.
type Options struct {
	// CreateDirectories makes write_file create directories that are missing.
	CreateDirectories bool
	// CreateBackup makes write_file keep the former content, see security.BackupDir.
	CreateBackup bool
	// NewFileEncoding is what auto means for a file that write_file makes: the name of an encoding of text. The default is
	// utf-8.
	NewFileEncoding string
	// AllowDestructive allows permanent deletions. Without it the user is asked, and where the client cannot ask, the call is
	// refused.
	AllowDestructive bool
	// RequireRead refuses to overwrite a file that the same peer has not read, or not since it has changed.
	RequireRead bool
	// Project is what get_project_info tells beside what it finds.
	Project Project
}

// Project is what get_project_info tells of the server itself.
type Project struct {
	Name     string         // default: that of the root directory
	Settings map[string]any // without secrets: a model reads them
	Toolsets []string       // the sets that the server offers
}

// Files is the set of file tools. Its methods may be called from several goroutines at once.
type Files struct {
	root     *security.Root
	limits   tools.Limits
	options  Options
	encoding textfile.Encoding // of new files
	features mcp.Features
	ledger   *tools.Ledger
}

// New makes the set. The environment needs a Root; its Limits bound answers and what is held of one file in memory. The
// Root stays the caller's to close.
func New(env tools.Env, o Options) (*Files, error) {
	if env.Root == nil {
		return nil, fmt.Errorf("making the file tools: the environment has no root")
	}
	encoding, err := textfile.Parse(o.NewFileEncoding)
	switch {
	case err != nil:
		return nil, fmt.Errorf("making the file tools: %w", err)
	case encoding == textfile.Binary:
		return nil, fmt.Errorf("making the file tools: new files cannot have the encoding %s", encoding)
	case encoding == textfile.Auto:
		encoding = textfile.UTF8
	}
	f := &Files{root: env.Root, limits: env.Limits.WithDefaults(), options: o, encoding: encoding, ledger: env.Ledger()}
	defined, err := f.define()
	if err != nil {
		return nil, fmt.Errorf("making the file tools: %w", err)
	}
	f.features = mcp.Features{Tools: env.WithNotices(defined...)}
	return f, nil
}

// Features implements tools.Set.
func (f *Files) Features() mcp.Features { return f.features }

// Close implements tools.Set. There is nothing to release.
func (f *Files) Close(context.Context) error { return nil }

// or is the value of an optional argument.
func or(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}
