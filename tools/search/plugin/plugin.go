// Package plugin defines the sources of the search tools (package search). A configuration enables plugins by name.
//
// [Plugin] is the common interface. A plugin also implements [Documents], if it has an index of files, or [Issues], or both.
// Package filesystem implements Documents, package github implements Issues. Implementations must be safe for concurrent use.
//
// [Source] is the smaller interface for documents outside of the project. Package external indexes a Source and is its plugin.
// Package plugintest tests implementations.
package plugin

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Plugin is a source of search results.
type Plugin interface {
	// Name returns the name in the configuration: "filesystem", "github".
	Name() string
	// Health returns nil while the plugin works. It returns within a second and sends no requests.
	Health(ctx context.Context) error
	// Close ends background work. The plugin is not used afterwards.
	Close(ctx context.Context) error
}

// Documents is a plugin with an index of files.
type Documents interface {
	Plugin
	// Index returns the index. The plugin closes it.
	Index() index.Index
	// Status returns the state of the index.
	Status() Status
	// Refresh updates the index. It returns at the end, or when ctx ends while the update continues. A second call joins a
	// running update.
	Refresh(ctx context.Context, o RefreshOptions) (Report, error)
	// Read returns the current searchable text of a file, as the index would store it, and its modification time. Errors are
	// those of package security.
	Read(ctx context.Context, path string) (text []byte, modified time.Time, err error)
	// Changed registers f, which is called after each change of the index until stop is called. f must not block. paths are the
	// changed files; nil if there are too many.
	Changed(f func(paths []string)) (stop func())
}

// RefreshOptions configure Refresh. The zero value updates changed files.
type RefreshOptions struct {
	// Path is a file or directory; empty for all files.
	Path string
	// Full also indexes unchanged files again.
	Full bool
}

// Report is the result of Refresh, with numbers of files.
type Report struct {
	Files, Added, Updated, Removed, Unchanged int
	Duration                                  time.Duration
	Skipped                                   []Skipped // files that were not indexed, by reason
	Joined                                    bool      // whether another call had started the update
}

// Skipped is the number of files that were not indexed for one reason.
type Skipped struct {
	Reason   string   `json:"reason"` // for example "binary", "too large" or "not readable"
	Files    int      `json:"files"`
	Examples []string `json:"examples,omitempty"` // at most 3 paths
}

// State is the state of an index.
type State string

// States of an index.
const (
	Empty    State = "empty"    // not built yet
	Building State = "building" // first build is running; files are missing
	Updating State = "updating" // update is running; files may be outdated
	Ready    State = "ready"
	Failed   State = "failed" // the last update failed; see Status.Error
)

// Status describes the state of an index.
type Status struct {
	// State is Ready if the index is up to date.
	State State
	index.Stats
	// Pending is the number of changed files that are not indexed yet. Done and Total are the progress of a running update, in
	// files.
	Pending, Done, Total int
	// Checked is the time of the last complete check of all files; zero before the first one.
	Checked time.Time
	// Watching is true if changes are noticed at once.
	Watching bool
	// Covered are the indexed directories, as paths of the Root.
	Covered []string
	// Skipped are the files that are not indexed, by reason.
	Skipped []Skipped
	// Error is the last error; empty if the index works.
	Error string
}
