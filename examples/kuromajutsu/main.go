// Command kuromajutsu lets an agent run other agents. An MCP client gives them tasks, and they work in parallel as processes of the
// Cursor CLI. A dashboard in the browser shows them live. Run it in a terminal for help.
//
// "kuromajutsu demo" shows the dashboard with recorded agents, without other programs.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/kuromajutsu"
)

func main() {
	if code, ok := kuromajutsu.RunRecorded(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(kuromajutsu.New(kuromajutsu.Options{}).Main(os.Args[1:]))
}
