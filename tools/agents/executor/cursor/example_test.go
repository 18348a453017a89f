package cursor_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// The example plays a recording. Without Program and Args, the executor runs the installed
// Cursor CLI.
func Example() {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	x, err := cursor.New(cursor.Options{Program: self, Args: []string{"fakeagent"}})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	spec := executor.Spec{AgentID: "agent-1", Model: "auto", Prompt: "Hello, respond with exactly: OK", Dir: os.TempDir(), Trust: true, Env: []string{"FAKEAGENT_SPEED=0"}}
	exit, err := x.Run(context.Background(), spec, func(e executor.Event) {
		if e.Kind == executor.Said {
			fmt.Println("said", e.Text)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("finished", exit.Finished, "failed", exit.Failed)
	// Output:
	// said OK
	// finished true failed false
}
