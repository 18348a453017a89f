// Command fakeagent simulates the Cursor CLI: it replays recorded event streams of agents. See
// package replay.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/agents/replay"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "fakeagent" { // as the executable of others is called
		args = args[1:]
	}
	os.Exit(replay.Main(args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
