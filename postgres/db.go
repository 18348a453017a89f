package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options say how a DB works. The zero value has the defaults.
type Options struct {
	// Schema is where the tables are: small letters, digits and "_", at most 40.
	// "": "dougu".
	Schema string
	// Timeout is how long one statement may take where the caller sets no limit.
	// 0: 30 seconds.
	Timeout time.Duration
	// Connections is the limit of connections in the pool. An open search.Writer, the lock
	// holder that changes an index, has one connection more. Default: the parameter
	// pool_max_conns of the address, or else the number of processors, but at least 4.
	Connections int32
}

// DB is a database. It may be used by several goroutines at once.
type DB struct {
	pool *pgxpool.Pool
	o    Options
}

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,39}$`)

// Open connects to a database and prepares its schema. The address is
// "postgres://user:password@host:port/database?sslmode=verify-full", or
// "host=… dbname=…". Missing parts come from PGHOST, PGPASSWORD and the other variables of
// PostgreSQL's own programs, and from ~/.pgpass. No error contains the password.
func Open(ctx context.Context, address string, o Options) (*DB, error) {
	o.Schema = cmp.Or(o.Schema, "dougu")
	o.Timeout = cmp.Or(max(o.Timeout, 0), 30*time.Second)
	if !schemaName.MatchString(o.Schema) {
		return nil, fmt.Errorf("the schema %.100q must be small letters, digits and \"_\", at most 40", o.Schema)
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		// The error of pgx may contain the password.
		return nil, errors.New(`the address of the database is neither of the form "postgres://user@host:5432/database" nor "host=… user=… dbname=…"`)
	}
	if o.Connections > 0 {
		config.MaxConns = o.Connections
	}
	c := config.ConnConfig
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	c.RuntimeParams["search_path"] = o.Schema
	c.RuntimeParams["application_name"] = cmp.Or(c.RuntimeParams["application_name"], applicationName())
	for name, value := range keepAlive {
		c.RuntimeParams[name] = cmp.Or(c.RuntimeParams[name], value)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("preparing connections to the database: %w", err)
	}
	db := &DB{pool: pool, o: o}
	if err := db.migrate(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return db, nil
}

// keepAlive are parameters for the server. It drops the connection of a machine that has
// disappeared after 30 seconds, and so releases the locks of the connection. The default
// of most systems is two hours.
var keepAlive = map[string]string{"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "4"}

// applicationName identifies this process as the holder of a lock.
func applicationName() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%.20s %.20s %d", filepath.Base(os.Args[0]), host, os.Getpid())
}

// Close ends all connections. Close everything that was opened with the DB before.
func (db *DB) Close() { db.pool.Close() }

// Limit gives a context a limit, if it has none.
func (db *DB) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, db.o.Timeout)
}

// Connect makes a connection outside of the pool, for locks that last as long as the
// connection.
func (db *DB) Connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
}

// Read runs do, which must change nothing, on a connection of the pool. If the connection
// is lost (see Lost), Read runs do again after 20, 60 and 180 ms.
func (db *DB) Read(ctx context.Context, do func(ctx context.Context, conn *pgxpool.Conn) error) error {
	ctx, cancel := db.Limit(ctx)
	defer cancel()
	for wait := firstRetry; ; wait *= 3 {
		err := db.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return do(ctx, conn) })
		if err == nil || wait > lastRetry || !Lost(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// Read waits firstRetry before its second attempt, and three times as long before each
// further one. It gives up instead of a wait above lastRetry.
const (
	firstRetry = 20 * time.Millisecond
	lastRetry  = 200 * time.Millisecond
)

// Change runs do in a transaction, one process at a time for a project and a purpose. It is
// not repeated after the loss of the connection, since the outcome of the transaction is then
// unknown.
func (db *DB) Change(ctx context.Context, purpose string, project int32, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := db.Limit(ctx)
	defer cancel()
	return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, $2)", db.LockClass(purpose), project); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

// LockClass is the first number of the advisory locks for a purpose; the second is
// the project.
func (db *DB) LockClass(purpose string) int32 {
	h := fnv.New32a()
	h.Write([]byte("dougu " + db.o.Schema + " " + purpose))
	return int32(h.Sum32())
}

// Project answers the number of a project, which is made if there is none.
func (db *DB) Project(ctx context.Context, name string) (int32, error) {
	if name == "" || len(name) > maxName {
		return 0, fmt.Errorf("the name of a project must have 1 to %d bytes", maxName)
	}
	var id int32
	err := db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		err := conn.QueryRow(ctx, "SELECT id FROM projects WHERE name = $1", name).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		// Doing so twice does no harm.
		return conn.QueryRow(ctx, "INSERT INTO projects (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id", name).Scan(&id)
	})
	if err != nil {
		return 0, fmt.Errorf("looking up the project %q: %w", name, err)
	}
	return id, nil
}

const maxName = 500

// Forget deletes a project with all that is kept of it. Servers that have it open
// must be ended before.
func (db *DB) Forget(ctx context.Context, name string) error {
	ctx, cancel := db.Limit(ctx)
	defer cancel()
	if _, err := db.pool.Exec(ctx, "DELETE FROM projects WHERE name = $1", name); err != nil {
		return fmt.Errorf("deleting the project %q: %w", name, err)
	}
	return nil
}
