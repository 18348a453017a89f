// Package plugin says what the set of package search can be fed from: plugins,
// which a configuration enables by name. A Plugin says what it can do by the
// interfaces that it implements besides: Documents, Issues.
package plugin

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Plugin is a source of what can be found.
type Plugin interface {
	// Name is that of the configuration: "filesystem", "github".
	Name() string
	// Health is nil while the plugin works. It answers within a second, from what
	// is known, and asks nobody elsewhere.
	Health(ctx context.Context) error
	// Close ends what runs. Nothing of the plugin is used then.
	Close(ctx context.Context) error
}

// Documents is a plugin that keeps an index of files.
type Documents interface {
	Plugin
	Index() index.Index
	// Status tells how current the index is.
	Status() Status
	// Refresh brings it up to date. It returns when that is done, or when ctx ends,
	// while the work goes on; a second call joins the first.
	Refresh(ctx context.Context, o RefreshOptions) (Report, error)
	// Read is the text of a file as the index has it or would have it now, with the
	// time of modification. The errors are those of package security.
	Read(ctx context.Context, path string) (text []byte, modified time.Time, err error)
	// Changed has f called whenever what can be found has changed, until stop is.
	// f must not block. paths are nil when they are too many to name.
	Changed(f func(paths []string)) (stop func())
}

// RefreshOptions say what Refresh does; the zero value looks for what has changed.
type RefreshOptions struct {
	// Path is a file or directory; empty for everything.
	Path string
	// Full reads files that have not changed again.
	Full bool
}

// Report tells what Refresh has done.
type Report struct {
	Files, Added, Updated, Removed, Unchanged int
	Duration                                  time.Duration
	Skipped                                   []Skipped
	Joined                                    bool // another call had begun it
}

// Skipped are files that were not indexed for one reason.
type Skipped struct {
	Reason   string   `json:"reason"` // "binary", "too large", "not readable" …
	Files    int      `json:"files"`
	Examples []string `json:"examples,omitempty"` // at most 3 paths
}

// State says what an index is doing.
type State string

// The states.
const (
	Empty    State = "empty"    // nothing was indexed yet
	Building State = "building" // for the first time: what is found is a part
	Updating State = "updating" // what is found may be older
	Ready    State = "ready"
	Failed   State = "failed" // the last attempt; see Status.Error
)

// Status tells how current an index is.
type Status struct {
	State State
	index.Stats
	// Pending is how many files are known to have changed since they were indexed;
	// Done of Total tell how far a running work has come.
	Pending, Done, Total int
	// Checked is when all files were last looked at; Watching says that changes are
	// noticed since.
	Checked  time.Time
	Watching bool
	// Covered are the directories that are indexed, as the Root names them.
	Covered []string
	Skipped []Skipped
	Error   string
}
