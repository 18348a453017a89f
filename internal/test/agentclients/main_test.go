package agentclients

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the recordings and the table of docs/clients.md")

func TestMain(m *testing.M) {
	var helper func(args []string) error
	if len(os.Args) > 2 {
		helper = helpers()[os.Args[1]]
	}
	if helper == nil {
		goleak.VerifyTestMain(m)
		return
	}
	if err := helper(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
