// Command gateway is one MCP server in front of any number of others: those that a
// file names as MCP clients name theirs, mcp.json. It lets in who has a token,
// lets each use what the token is good for, counts and limits what is asked, and
// keeps a log of what was done.
package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/examples/internal/authservice"
	"github.com/dougu-go/dougu/internal/cli"
)

var version = cli.Version()

func main() { os.Exit(newApp(os.LookupEnv).Main(os.Args[1:])) }

// options are the flags.
type options struct {
	lookup func(string) (string, bool)

	config, instructions, auditFile string
	bare, asks, ownTools            bool
	perMinute, perHour, clients     int
	listTimeout, startTimeout       time.Duration
}

// configVariable names the file when no flag does.
const configVariable = "GATEWAY_CONFIG"

// newApp is the program with its commands, in an environment.
func newApp(lookup func(string) (string, bool)) *cli.App {
	o := &options{lookup: lookup}
	return &cli.App{
		Name: "gateway", Version: version,
		Summary: "one MCP server in front of many",
		Flags:   o.flags,
		Build: func(ctx context.Context, start cli.Start) (*cli.Program, error) {
			return o.build(ctx, start)
		},
		Commands: []cli.Command{o.serversCommand()},
		Doctor:   o.checks,
		Tokens:   authservice.Tokens,
		Resource: authservice.Resource,
	}
}

func (o *options) flags(flags *flag.FlagSet) {
	flags.StringVar(&o.config, "config", "", "`file` that names the servers, as clients have it (default what "+configVariable+" says, or mcp.json)")
	flags.StringVar(&o.instructions, "instructions", "", "`text` that tells a model how to use the servers as a whole")
	flags.BoolVar(&o.bare, "no-prefix", false, "do not put the server's name in front of names, if there is one server")
	flags.BoolVar(&o.asks, "ask", false, "let programs of revisions up to 2025-11-25 ask questions, each client with a process of its own")
	flags.BoolVar(&o.ownTools, "own-tools", true, "offer a tool that tells how the servers are")
	flags.StringVar(&o.auditFile, "audit-file", "", "append every call to this `file`, one JSON object a line")
	flags.IntVar(&o.perMinute, "per-minute", 600, "`requests` that a client may make a minute; 0: any number")
	flags.IntVar(&o.perHour, "per-hour", 0, "`requests` that a client may make an hour; 0: any number")
	flags.IntVar(&o.clients, "clients", 0, "`clients` that there may be at once; 0: any number")
	flags.DurationVar(&o.listTimeout, "list-timeout", 5*time.Second, "`time` that a list waits for servers that are not ready")
	flags.DurationVar(&o.startTimeout, "start-timeout", time.Minute, "`time` that a server may take to start")
}

// file is the file that names the servers, with an absolute path.
func (o *options) file() (string, error) {
	name := o.config
	if name == "" {
		name, _ = o.lookup(configVariable)
	}
	if name == "" {
		name = "mcp.json"
	}
	return filepath.Abs(name)
}
