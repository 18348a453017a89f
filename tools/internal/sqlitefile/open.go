package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dougu-go/dougu/internal/wait"
)

// Waiting for other processes that use the database.
const (
	Patience = 10 * time.Second // of every statement, and of Open
	pause    = 20 * time.Millisecond
)

// ErrDamaged says that a database cannot be read.
var ErrDamaged = errors.New("it is damaged")

// Open makes the file, if it is missing, and calls a function that opens the database in
// it and makes its tables. Two processes that do so at once can be in each other's way
// although they wait: then the function is called again, for as long as Patience. An error
// of SQLite by which the file is damaged, or no database, is ErrDamaged as well.
func Open(ctx context.Context, file string, open func() error) error {
	for late := time.Now().Add(Patience); ; {
		err := ownerOnly(file) // each time: meanwhile another process may have moved the file aside
		if err == nil {
			err = open()
		}
		switch primary(err) {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		default:
			return err
		}
		if time.Now().After(late) {
			return err
		}
		if wait.Sleep(ctx, pause) != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}

// ownerOnly makes the file, if it is missing, so that nobody else can read it.
func ownerOnly(file string) error {
	made, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return made.Close()
}

// primary is the code of an error of SQLite without what details it; 0 for other errors.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// Writer is for changing the database in a file, whose transactions wait for each other at
// their beginning. Nothing is done with the file yet. The pragmas, as "cache_size(-4000)",
// are added to those that every database has.
func Writer(file string, pragmas ...string) (*sql.DB, error) {
	return handle(file, url.Values{"_pragma": slices.Concat(pragmas, []string{"journal_mode(wal)", "synchronous(normal)"}), "_txlock": {"immediate"}})
}

// Reader is for asking the database in a file, which cannot be changed with it. It is
// otherwise like Writer.
func Reader(file string, pragmas ...string) (*sql.DB, error) {
	return handle(file, url.Values{"_pragma": slices.Concat(pragmas, []string{"query_only(on)"})})
}

func handle(file string, options url.Values) (*sql.DB, error) {
	options["_pragma"] = append([]string{
		"busy_timeout(" + strconv.FormatInt(Patience.Milliseconds(), 10) + ")", "trusted_schema(off)", "cell_size_check(on)",
	}, options["_pragma"]...)
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: options.Encode()}
	return sql.Open("sqlite", name.String())
}
