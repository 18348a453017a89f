// Command chunks serves functions instead of files. An MCP client lists, reads and replaces single functions of a project, searches
// its symbols and gets a map of it. Run it in a terminal for help.
//
// The commands index, map, show and watch do the same for a person.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/chunks"
)

func main() {
	os.Exit(chunks.New(chunks.Options{}).Main(os.Args[1:]))
}
