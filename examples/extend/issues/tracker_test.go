package issues_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/issues"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/modelapi"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
)

func TestTracker_Contract(t *testing.T) {
	plugintest.RunIssues(t, func(_ *testing.T, given []plugin.Issue) plugin.Issues {
		tracker := issues.New("ABC", "https://tracker.example.com/browse/")
		for _, issue := range given {
			tracker.Add(issue)
		}
		return tracker
	})
}

// TestTracker_Key checks that the key of an issue finds the issue.
func TestTracker_Key(t *testing.T) {
	tracker := issues.New("ABC", "https://tracker.example.com/browse/")
	for _, title := range []string{"Login fails", "Logout fails, see ABC-1"} {
		tracker.Add(plugin.Issue{Title: title, State: "open"})
	}
	found, err := tracker.SearchIssues(t.Context(), plugin.IssueQuery{Text: "abc-1", Limit: 10})
	if err != nil || found.Total != 2 || found.Issues[0].Key != "ABC-1" {
		t.Errorf("%+v, %v", found, err)
	}
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	tracker := issues.New("ABC", "https://tracker.example.com/browse/")
	tracker.Add(plugin.Issue{Title: "Login fails", State: "open"})
	set, err := search.New(tools.Env{Root: root}, search.Options{Plugins: []plugin.Plugin{tracker}})
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, set)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)

	for _, title := range []string{"Login fails!", "Export is slow"} {
		arguments, _ := json.Marshal(search.CreateArgs{Title: title})
		result, err := box.Call(ctx, "createIssue", arguments)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(modelapi.Text(result))
	}
	// Output:
	// Issue not created: open issues are like it. Comment on one of them, or call again with allowDuplicate=true.
	// ABC-1 Login fails https://tracker.example.com/browse/ABC-1
	// Issue created: ABC-2 https://tracker.example.com/browse/ABC-2
	// [resource https://tracker.example.com/browse/ABC-2]
}
