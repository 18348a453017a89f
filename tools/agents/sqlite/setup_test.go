package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

// TestMain also runs the test binary as another process of the database.
func TestMain(m *testing.M) {
	if what := os.Getenv("DOUGU_TEST_AGENTS"); what != "" {
		if err := other(what, os.Getenv("DOUGU_TEST_FILE")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "new", "agents.db") }

func open(t testing.TB, file string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	d, err := sqlite.Open(t.Context(), file, o)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func newGroup(t testing.TB, d *sqlite.DB, id string) {
	t.Helper()
	must(t, d.CreateGroup(t.Context(), record.Group{ID: id, Status: record.GroupActive, CreatedAt: time.Now()}))
}

func newAgent(t testing.TB, d *sqlite.DB, group, id string, status record.Status) {
	t.Helper()
	must(t, d.CreateAgent(t.Context(), record.Agent{ID: id, GroupID: group, Status: status, CreatedAt: time.Now()}))
}

// set changes an agent.
func set(t testing.TB, d *sqlite.DB, id string, do func(*record.Agent)) record.Agent {
	t.Helper()
	a, err := d.UpdateAgent(t.Context(), id, func(a *record.Agent) error { do(a); return nil })
	must(t, err)
	return a
}

func read(t testing.TB, d *sqlite.DB, id string) record.Agent {
	t.Helper()
	a, err := d.Agent(t.Context(), id)
	must(t, err)
	return a
}

// ids returns the stored groups and agents.
func ids(t testing.TB, d *sqlite.DB) (all string) {
	t.Helper()
	groups, err := d.Groups(t.Context(), true)
	must(t, err)
	for _, g := range groups {
		all += fmt.Sprint(g.ID, g.AgentIDs, " ")
	}
	return all
}
