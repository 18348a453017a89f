package jetbrains_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/jetbrains"
)

// An IDE is used by its launcher, its web server and its MCP server, each where it is named. Without any there is nothing to do.
func Example() {
	ide, err := jetbrains.New(jetbrains.Options{Launcher: "-"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ide.Close(context.Background())
	fmt.Println(ide.State().Detail)
	// Output: no launcher of an IDE is found
}
