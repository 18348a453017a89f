// Command editor serves a project to an MCP client with the tools of an editor. It edits code, runs commands and builds, and finds
// and fixes errors. It uses language servers alone, or together with VS Code or Neovim. Run it in a terminal for help.
package main

import (
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/editor"
)

func main() {
	helper := sandbox.Main()
	os.Exit(editor.New(editor.Options{Sandbox: helper}).Main(os.Args[1:]))
}
