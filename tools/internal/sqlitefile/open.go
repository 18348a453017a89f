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
	LockTimeout = 10 * time.Second      // timeout of every statement, and of Open
	retryDelay  = 20 * time.Millisecond // delay between attempts of Open
)

// ErrDamaged is returned for a database that cannot be read.
var ErrDamaged = errors.New("the database is damaged")

// Open creates the file if it is missing, and calls open, which must open the database and create its tables. If other processes
// lock the database, open is called again, for at most LockTimeout. A SQLite error about damage wraps ErrDamaged.
func Open(ctx context.Context, file string, open func() error) error {
	for late := time.Now().Add(LockTimeout); ; {
		err := ownerOnly(file) // another process may have moved the file aside in the meantime
		if err == nil {
			err = open()
		}
		switch primaryCode(err) {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		default:
			return err
		}
		if time.Now().After(late) {
			return err
		}
		if wait.Sleep(ctx, retryDelay) != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}

// ownerOnly creates the file, readable only by its owner, if it is missing.
func ownerOnly(file string) error {
	made, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return made.Close()
}

// primaryCode returns the primary result code of a SQLite error, or 0.
func primaryCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// Writer returns a handle for writing the database in a file. Its transactions lock at their beginning (BEGIN IMMEDIATE). The file
// is opened at first use. pragmas, for example "cache_size(-4000)", are set for each connection.
func Writer(file string, pragmas ...string) (*sql.DB, error) {
	return handle(file, url.Values{"_pragma": slices.Concat(pragmas, []string{"journal_mode(wal)", "synchronous(normal)"}), "_txlock": {"immediate"}})
}

// Reader returns a read-only handle of the database in a file. pragmas are as in Writer.
func Reader(file string, pragmas ...string) (*sql.DB, error) {
	return handle(file, url.Values{"_pragma": slices.Concat(pragmas, []string{"query_only(on)"})})
}

// handle returns a handle with the pragmas of all databases.
func handle(file string, options url.Values) (*sql.DB, error) {
	options["_pragma"] = append([]string{
		"busy_timeout(" + strconv.FormatInt(LockTimeout.Milliseconds(), 10) + ")", "trusted_schema(off)", "cell_size_check(on)",
	}, options["_pragma"]...)
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: options.Encode()}
	return sql.Open("sqlite", name.String())
}
