package neovim_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// The adapter is passed to editor.New in Options.Adapters. It can be created before Neovim runs.
func Example() {
	n := neovim.New(neovim.Options{Address: "/run/none/nvim.sock"})
	defer n.Close(context.Background())
	fmt.Println(n.State().Detail)
	fmt.Println(n.State().Start)
	// Output:
	// no Neovim listens at "/run/none/nvim.sock"
	// Start nvim --listen "/run/none/nvim.sock" in the directory of the project.
}
