// Command cursorcli serves the files of a project to Cursor, or to any MCP client, on standard input and output. Run it in a
// terminal for help.
//
// docs/configuration.md describes the settings; "cursorcli config" prints them with their sources.
package main

import (
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/cursorcli"
)

func main() {
	helper := sandbox.Main()
	os.Exit(cursorcli.New(cursorcli.Options{Sandbox: helper}).Main(os.Args[1:]))
}
