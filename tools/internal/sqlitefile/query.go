package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Change runs do in a transaction, which is rolled back if do fails.
func Change(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		if undone := tx.Rollback(); !errors.Is(undone, sql.ErrTxDone) { // the transaction was rolled back when ctx ended
			err = errors.Join(err, undone)
		}
		return err
	}
	return tx.Commit()
}

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each calls row for each row of a query, and stops at its first error.
func Each(ctx context.Context, from Querier, row func(scan func(...any) error) error, query string, args ...any) (err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Check runs an integrity check (PRAGMA quick_check). The error of a damaged database wraps ErrDamaged.
func Check(ctx context.Context, tx *sql.Tx) error {
	var damage string
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&damage); err != nil {
		return err
	}
	if damage != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, damage)
	}
	return nil
}
