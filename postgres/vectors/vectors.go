// Package vectors shares the vectors of an embedding model between servers: a Cache reads
// vectors from a PostgreSQL database, and asks the model only for missing ones.
//
// The key of a vector is the digest of its text and the name of the model, so that only an
// owner of the text finds it. The search is the one of package embed, over the vectors that
// each server has of its own project: no extension of PostgreSQL is needed, and the results
// are the same as without a database.
package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/tools/search/embed"
)

// Cache is an embed.Embedder that asks another Embedder for the vectors that the database
// does not have. Without the database it asks for all vectors.
type Cache struct {
	embed.Embedder
	db  *postgres.DB
	log *slog.Logger
}

var _ embed.Embedder = (*Cache)(nil)

// New returns a Cache of an Embedder. The Model of the Embedder must name all properties on
// which its vectors depend. log receives failures of the database; it may be nil.
func New(db *postgres.DB, e embed.Embedder, log *slog.Logger) *Cache {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Cache{e, db, log}
}

// Embed answers with one vector for each text.
func (c *Cache) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	keys := make([][]byte, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		keys[i] = sum[:]
	}
	known, err := c.find(ctx, keys)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		c.log.Warn("vectors cannot be looked up in the database", "error", err)
	}
	vectors := make([][]float32, len(texts))
	var asked []string
	var places []int
	for i, key := range keys {
		if vectors[i] = known[string(key)]; vectors[i] == nil {
			asked, places = append(asked, texts[i]), append(places, i)
		}
	}
	if len(asked) == 0 {
		return vectors, nil
	}
	made, err := c.Embedder.Embed(ctx, asked)
	if err != nil {
		return nil, err
	}
	if len(made) != len(asked) {
		return nil, fmt.Errorf("%d vectors for %d texts: %w", len(made), len(asked), embed.ErrAnswer)
	}
	rows := make([][]byte, len(made))
	some := make([][]byte, len(made))
	for n, vector := range made {
		vectors[places[n]] = vector
		some[n], rows[n] = keys[places[n]], appendVector(nil, vector)
	}
	if err := c.keep(ctx, some, rows); err != nil {
		c.log.Warn("vectors cannot be kept in the database", "error", err)
	}
	return vectors, nil
}

// find looks vectors up, and notes that they are of use.
func (c *Cache) find(ctx context.Context, keys [][]byte) (map[string][]float32, error) {
	known := make(map[string][]float32)
	err := c.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, `WITH used AS (UPDATE vectors SET used = current_date WHERE model = $1 AND key = ANY ($2) AND used < current_date - 7)
			SELECT key, numbers FROM vectors WHERE model = $1 AND key = ANY ($2)`, []byte(c.Model()), keys)
		if err != nil {
			return err
		}
		var key, numbers []byte
		_, err = pgx.ForEachRow(rows, []any{&key, &numbers}, func() error {
			if vector := readVector(numbers); vector != nil {
				known[string(key)] = vector
			}
			return nil
		})
		return err
	})
	return known, err
}

// keep stores vectors, in one order for all, so that two servers never wait for each
// other.
func (c *Cache) keep(ctx context.Context, keys, vectors [][]byte) error {
	return c.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error { // doing so twice does no harm
		_, err := conn.Exec(ctx, `INSERT INTO vectors (model, key, numbers)
			SELECT DISTINCT ON (key) $1::bytea, key, numbers FROM unnest($2::bytea[], $3::bytea[]) AS new (key, numbers) ORDER BY key
			ON CONFLICT (model, key) DO UPDATE SET numbers = excluded.numbers`, []byte(c.Model()), keys, vectors)
		return err
	})
}

// Prune deletes the vectors of all models that were not requested for the time unused, or
// for eight days if unused is shorter.
func Prune(ctx context.Context, db *postgres.DB, unused time.Duration) error {
	days := max(int32(math.Ceil(unused.Hours()/24)), 8)
	return db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, "DELETE FROM vectors WHERE used < current_date - $1::int", days)
		return err
	})
}

func appendVector(b []byte, v []float32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// readVector decodes a vector. It returns nil for invalid bytes.
func readVector(b []byte) []float32 {
	if len(b) == 0 || len(b)%4 != 0 || len(b)/4 > embed.MaxDimensions {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
