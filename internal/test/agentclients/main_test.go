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
	if len(os.Args) == 3 && os.Args[1] == probeCommand {
		if err := serveProbe(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}
