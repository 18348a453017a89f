package codex_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
)

func Example() {
	x, err := codex.New(codex.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	exit, err := x.Run(context.Background(), executor.Spec{AgentID: "agent-1", Prompt: "Which tests are missing?", Dir: "/home/user/project", ReadOnly: true}, func(e executor.Event) {
		if e.Kind == executor.Said {
			fmt.Println(e.Text)
		}
	})
	fmt.Println(exit.Failed, err)
}
