package chunks

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Project is a project in a database.
type Project struct {
	db *postgres.DB
	id int32
}

// Open opens a project, which begins empty. The DB is closed by whoever opened it.
func Open(ctx context.Context, db *postgres.DB, name string) (*Project, error) {
	id, err := db.Project(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Project{db, id}, nil
}

// Store keeps an index: it is an index.Store. Closing it leaves the database open.
func (p *Project) Store() index.Store { return store{p} }

type store struct{ *Project }

func (store) Close() error { return nil }

func (s store) Load(ctx context.Context) ([]*index.File, error) {
	var files []*index.File
	err := s.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		files = nil
		rows, err := conn.Query(ctx, "SELECT content FROM chunk_files WHERE project = $1 ORDER BY path", s.id)
		if err != nil {
			return err
		}
		var content pgtype.DriverBytes
		_, err = pgx.ForEachRow(rows, []any{&content}, func() error {
			f := new(index.File)
			// The source of a damaged record, or one of another version, is read again.
			if f.UnmarshalBinary(content) == nil {
				files = append(files, f)
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("loading the index: %w", err)
	}
	return files, nil
}

// purpose is the name of the lock of changes to the chunks of a project.
const purpose = "chunks"

func (s store) Save(ctx context.Context, changed []*index.File, removed []string) error {
	err := s.db.Change(ctx, purpose, s.id, func(ctx context.Context, tx pgx.Tx) error {
		gone := make([][]byte, 0, len(changed)+len(removed))
		for _, f := range changed {
			gone = append(gone, digest(f.Path))
		}
		for _, path := range removed {
			gone = append(gone, digest(path))
		}
		if _, err := tx.Exec(ctx, "DELETE FROM chunk_files WHERE project = $1 AND sha256(path) = ANY ($2)", s.id, gone); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"chunk_files"}, []string{"project", "path", "content"}, pgx.CopyFromSlice(len(changed), func(i int) ([]any, error) {
			content, err := changed[i].AppendBinary(nil)
			return []any{s.id, []byte(changed[i].Path), content}, err
		}))
		return err
	})
	if err != nil {
		return fmt.Errorf("saving the index: %w", err)
	}
	return nil
}

// digest returns the key of a path or name in an index of the database, where keys have a
// limited length.
func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
