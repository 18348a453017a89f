package vscode_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// State says whether VS Code is running, and which step starts it.
func Example() {
	dir, err := os.MkdirTemp("", "windows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	code := vscode.New(vscode.Options{Dir: dir, Name: "my-server", Version: "1.0.0"})
	defer code.Close(context.Background())

	state := code.State()
	fmt.Println(code.Name(), state.Running)
	fmt.Println(state.Start)
	// Output:
	// vscode false
	// Open the folder of the project in VS Code, with the extension Dougu installed there.
}
