// Command cursorcli serves the files of a project to Cursor, or to any MCP
// client, on standard input and output. Run on a terminal it explains itself.
//
// What can be set is in docs/configuration.md; "cursorcli config" shows what is
// set, and where.
package main

import (
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/cursorcli"
)

func main() {
	helper := sandbox.Main()
	os.Exit(cursorcli.New(helper).Main(os.Args[1:]))
}
