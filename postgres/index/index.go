package index

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// Options say how an index works. The zero value has the defaults.
type Options struct {
	// Wait is how long Begin waits while another server writes, before its error is
	// index.ErrWriting. 0: 10 seconds; less: not at all.
	Wait time.Duration
	// Segment are the options of the index in memory.
	Segment segment.Options
}

// Open opens the index of a project. A new index is empty. Servers that share an index must
// index the same files: a file that one of them does not find is removed for all. The caller
// closes the DB after the Index.
func Open(ctx context.Context, db *postgres.DB, project string, o Options) (*segment.Index, error) {
	id, err := db.Project(ctx, project)
	if err != nil {
		return nil, err
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	return segment.OpenStore(ctx, &store{db: db, project: id, wait: o.Wait}, o.Segment)
}
