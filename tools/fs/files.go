package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Options are the defaults of the tools. The zero value follows the CursorCLI specification. The schemas of the tools state
// these values. A profile can change the schemas further; it does not change the Go methods.
type Options struct {
	// CreateDirectories makes write_file create missing directories by default.
	CreateDirectories bool
	// CreateBackup makes write_file keep the former content by default; see security.BackupDir.
	CreateBackup bool
	// NewFileEncoding is the encoding of new files for the encoding auto of write_file. It must be an encoding of text. The
	// default is utf-8.
	NewFileEncoding string
	// AllowDestructive allows permanent deletions without a question. Otherwise the user is asked; if the client cannot ask,
	// the call is refused.
	AllowDestructive bool
	// RequireRead refuses to overwrite a file that the same peer has not read, or that has changed since the peer read it.
	RequireRead bool
	// Project is additional information for get_project_info.
	Project Project
}

// Project describes the server for get_project_info.
type Project struct {
	Name     string         // name of the project; default: name of the root directory
	Settings map[string]any // effective settings; a model reads them, so they must not contain secrets
	Toolsets []string       // names of the tool sets that the server offers
}

// Files is the set of file tools. It implements tools.Set. Its methods are safe for concurrent use.
type Files struct {
	root     *security.Root
	limits   tools.Limits
	options  Options
	encoding textfile.Encoding // encoding of new files; never Auto or Binary
	features mcp.Features
	ledger   *tools.Ledger
}

// New makes the set. env.Root is required and is not closed by Files. env.Limits bound the answers and the part of a file that
// is held in memory. New fails without a Root, or if Options.NewFileEncoding is unknown or binary.
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

// Features returns the tools of the set. It implements tools.Set.
func (f *Files) Features() mcp.Features { return f.features }

// Close implements tools.Set. Files holds no resources, so Close does nothing.
func (f *Files) Close(context.Context) error { return nil }

// valueOr returns the value of an optional argument, or its default.
func valueOr(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}
