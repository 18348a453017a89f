package vectors_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
	"github.com/dougu-go/dougu/postgres/vectors"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// model is an Embedder that records the requested texts.
type model struct {
	name string

	mu    sync.Mutex
	asked []string
	err   error
}

func (m *model) Model() string   { return m.name }
func (m *model) Dimensions() int { return 3 }

func (m *model) Embed(_ context.Context, texts []string) (list [][]float32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, texts...)
	for _, text := range texts {
		list = append(list, []float32{float32(len(text)), -0.5, float32(strings.Count(text, "a"))})
	}
	return list, m.err
}

// take returns the texts that were requested since the last call.
func (m *model) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

func connect(t *testing.T, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestServersShare(t *testing.T) {
	address := server.Database(t)
	a, b, other := &model{name: "m"}, &model{name: "m"}, &model{name: "other"}
	first, second := vectors.New(connect(t, address), a, nil), vectors.New(connect(t, address), b, nil)
	embed := func(c *vectors.Cache, texts ...string) [][]float32 {
		t.Helper()
		list, err := c.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := embed(first, "apple", "pear", "apple")
	if got := a.take(); !slices.Equal(got, []string{"apple", "pear", "apple"}) {
		t.Errorf("the model was asked for %q", got)
	}
	got := embed(second, "fig", "pear", "apple")
	if asked := b.take(); !slices.Equal(asked, []string{"fig"}) {
		t.Errorf("the second server asks for %q", asked)
	}
	if !slices.Equal(got[1], want[1]) || !slices.Equal(got[2], want[0]) || got[0][0] != 3 {
		t.Errorf("other vectors come back: %v, %v", got, want)
	}
	embed(vectors.New(connect(t, address), other, nil), "pear")
	if asked := other.take(); len(asked) != 1 {
		t.Error("another model has the vectors of the first")
	}
	if second.Model() != "m" || second.Dimensions() != 3 {
		t.Error("another model is named")
	}
	embed(second)
}

// Vectors without a request for a long time can be deleted. Damaged vectors are made again.
func TestPrune(t *testing.T) {
	address := server.Database(t)
	db, m := connect(t, address), &model{name: "m"}
	c := vectors.New(db, m, nil)
	for range 2 {
		if _, err := c.Embed(t.Context(), []string{"old", "new", "bad"}); err != nil {
			t.Fatal(err)
		}
	}
	m.take()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), `UPDATE dougu.vectors SET used = current_date - 30 WHERE key = sha256('old')`)
	if err == nil {
		_, err = conn.Exec(t.Context(), `UPDATE dougu.vectors SET numbers = '\x01' WHERE key = sha256('bad')`)
	}
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := vectors.Prune(t.Context(), db, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Embed(t.Context(), []string{"old", "new", "bad"}); err != nil {
		t.Fatal(err)
	}
	if asked := m.take(); !slices.Equal(asked, []string{"old", "bad"}) {
		t.Errorf("the model was asked for %q", asked)
	}
	if _, err := c.Embed(t.Context(), []string{"old", "new", "bad"}); err != nil {
		t.Fatal(err)
	}
	if asked := m.take(); len(asked) != 0 {
		t.Errorf("the model was asked again for %q", asked)
	}
}

// Without the database the model is asked, and its errors are told.
func TestNoDatabase(t *testing.T) {
	var own pgtest.Server
	defer own.Close()
	m := &model{name: "m"}
	c := vectors.New(connect(t, own.Database(t)), m, nil)
	own.Stop()
	if list, err := c.Embed(t.Context(), []string{"x"}); err != nil || len(list) != 1 {
		t.Errorf("without a database: %v, %v", list, err)
	}
	m.err = errors.New("the model is away")
	if _, err := c.Embed(t.Context(), []string{"x"}); !errors.Is(err, m.err) {
		t.Errorf("without a model: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Embed(gone, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
