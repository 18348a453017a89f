// Command kuromajutsu lets an agent run other agents: an MCP client gives them
// tasks, they work in parallel as processes of the Cursor CLI, and a dashboard in the
// browser shows all of it live. Run on a terminal it explains itself.
//
// "kuromajutsu demo" shows the dashboard with recorded agents, and needs nothing
// else.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/kuromajutsu"
)

func main() {
	if code, ok := kuromajutsu.RunRecorded(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(kuromajutsu.New().Main(os.Args[1:]))
}
