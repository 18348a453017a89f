package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Store returns the database as an index.Store. Closing the store leaves the database
// open.
func (d *DB) Store() index.Store { return store{d} }

type store struct{ *DB }

func (s store) Load(ctx context.Context) ([]*index.File, error) {
	var files []*index.File
	damaged := 0
	err := s.each(ctx, func(scan func(...any) error) error {
		var content sql.RawBytes
		if err := scan(&content); err != nil {
			return err
		}
		f := new(index.File)
		// A damaged record is skipped; the index parses its file again.
		if f.UnmarshalBinary(content) != nil {
			damaged++
			return nil
		}
		files = append(files, f)
		return nil
	}, "SELECT content FROM files ORDER BY path")
	if err != nil {
		return nil, fmt.Errorf("loading the index: %w", err)
	}
	switch {
	case s.anew.Load():
		return files, fmt.Errorf("%w: the database could not be read and was created again", index.ErrDamaged)
	case damaged > 0:
		return files, fmt.Errorf("%w: %s of the database cannot be read, %d can", index.ErrDamaged, plural.Count(damaged, "entry"), len(files))
	}
	return files, nil
}

func (s store) Save(ctx context.Context, changed []*index.File, removed []string) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, "INSERT INTO files (path, content) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET content = excluded.content")
		if err != nil {
			return err
		}
		defer put.Close()
		for _, f := range changed {
			content, err := f.AppendBinary(nil)
			if err != nil {
				return err
			}
			if _, err := put.ExecContext(ctx, f.Path, content); err != nil {
				return err
			}
		}
		for _, path := range removed {
			if _, err := tx.ExecContext(ctx, "DELETE FROM files WHERE path = ?", path); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("saving the index: %w", err)
	}
	s.anew.Store(false)
	return nil
}

func (store) Close() error { return nil }
