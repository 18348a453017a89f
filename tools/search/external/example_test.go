package external_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func ExampleNew() {
	ctx := context.Background()
	pages := newWiki() // implements plugin.Source
	pages.put(plugin.Document{ID: "Deploy/Rollback", Title: "Roll back", URL: "https://wiki.example.com/rollback", Text: "Switch to the previous image."})

	documents, err := external.New(pages, external.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer documents.Close(ctx) // search.New takes the plugin, and closes it
	if _, err := documents.Refresh(ctx, plugin.RefreshOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	status := documents.Status()
	page, _ := documents.Describe("wiki:/Deploy/Rollback")
	fmt.Println(status.State, status.Files, page.Title, page.URL)
	// Output:
	// ready 1 Roll back https://wiki.example.com/rollback
}
