// Command chunks serves functions instead of files: an MCP client lists, reads
// and replaces single functions of a project, searches its symbols and sees a map
// of it. Run on a terminal it explains itself.
//
// "chunks index", "map", "show" and "watch" do the same for a person.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/chunks"
)

func main() {
	os.Exit(chunks.New().Main(os.Args[1:]))
}
