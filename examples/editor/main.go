// Command editor serves a project to an MCP client as an editor would: it edits
// code, runs commands and builds, finds what is wrong and mends it, with language
// servers alone or together with VS Code or Neovim. Run on a terminal it explains
// itself.
package main

import (
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/editor"
)

func main() {
	helper := sandbox.Main()
	os.Exit(editor.New(helper).Main(os.Args[1:]))
}
