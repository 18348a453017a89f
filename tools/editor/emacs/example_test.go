package emacs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/editor/emacs"
)

// The adapter for a server that does not exist reports that it is missing.
func Example() {
	e := emacs.New(emacs.Options{Server: "no-such-server"})
	defer func() {
		if err := e.Close(context.Background()); err != nil {
			log.Fatal(err)
		}
	}()
	state := e.State()
	fmt.Println(state.Running, state.Detail)
	// Output: false no Emacs has the server "no-such-server"
}
