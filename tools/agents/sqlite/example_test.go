package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	// One process stores records.
	db, err := sqlite.Open(ctx, filepath.Join(dir, "agents.db"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_ = db.CreateGroup(ctx, record.Group{ID: "grp-1", Description: "Sign-in", Status: record.GroupActive, CreatedAt: time.Now()})
	_ = db.CreateAgent(ctx, record.Agent{ID: "impl-code-1", GroupID: "grp-1", Status: record.Completed, CreatedAt: time.Now()})
	_ = db.Outputs().Append(ctx, "impl-code-1", record.Text, []byte("Done."))
	_ = db.Close()

	// The next process reads them.
	db, err = sqlite.Open(ctx, filepath.Join(dir, "agents.db"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	a, _ := db.Agent(ctx, "impl-code-1")
	said, _ := db.Outputs().Output(ctx, a.ID, record.Text, 0, 100)
	fmt.Println(a.Status, said.Text)
	// Output: completed Done.
}
