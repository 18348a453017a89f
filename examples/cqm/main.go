// Command cqm searches a project for several AI clients. It ranks code and documents together, finds similar code, summarizes the
// project and its changes, and searches and creates issues on GitHub. Run it in a terminal for help.
//
// The commands search, similar and status do the same for a person.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/cqm"
)

func main() {
	os.Exit(cqm.New(cqm.Options{}).Main(os.Args[1:]))
}
