package vectors_test

import (
	"context"
	"log"
	"os"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/vectors"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/embed"
)

// Servers use the embeddings of each other.
func Example() {
	ctx := context.Background()
	db, err := postgres.Open(ctx, os.Getenv("SEARCH_POSTGRES"), postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	model, err := embed.NewOllama(embed.Options{URL: "http://localhost:11434", Model: "nomic-embed-text"})
	if err != nil {
		log.Fatal(err)
	}
	embedding := &search.Embedding{Embedder: vectors.New(db, model, nil), Dir: "/var/cache/vectors"}
	_ = search.Options{Embedding: embedding}
}
