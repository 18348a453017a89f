package agents_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Two agents work concurrently, and a third one reviews their results. The example replays
// recordings; cursor.New runs real agents.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	ctx := context.Background()
	crew, err := agents.New(ctx, tools.Env{Root: root}, agents.Options{
		Executors: []executor.Executor{&fakeExecutor{name: "fake"}},
		Roles:     usualRoles,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer crew.Close(ctx)

	group, err := crew.CreateGroup(ctx, agents.GroupArgs{Description: "tea"})
	if err != nil {
		log.Fatal(err)
	}
	var work []string
	for _, prompt := range []string{"boil the water", "warm the pot"} {
		agent, err := crew.Run(ctx, agents.RunArgs{GroupID: group.GroupID, Role: "impl-code", Prompt: prompt})
		if err != nil {
			log.Fatal(err)
		}
		work = append(work, agent.AgentID)
	}
	review, err := crew.Run(ctx, agents.RunArgs{GroupID: group.GroupID, Role: "code-review", Prompt: "taste it", DependsOn: work})
	if err != nil {
		log.Fatal(err)
	}
	ended, err := crew.Wait(ctx, agents.WaitArgs{AgentIDs: append(work, review.AgentID)})
	if err != nil {
		log.Fatal(err)
	}
	for _, agent := range ended.Completed {
		fmt.Println(agent.Status, agent.Summary)
	}
	// Output:
	// completed Done.
	// completed Done.
	// completed Done.
}
