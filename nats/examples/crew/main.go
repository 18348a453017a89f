// Command crew lets agents run on several machines: "crew serve" is an MCP server with
// the tools that order agents, and a dashboard; "crew run" runs them, on as many
// machines as there are. NATS with JetStream is between them, and nothing else.
//
//	crew serve -nats nats://127.0.0.1:4222 -root /srv/project -listen 127.0.0.1:3001 -dashboard 127.0.0.1:9696
//	crew run -nats nats://127.0.0.1:4222 -root /srv/project -slots 4
//
// The directory of the project has the same name on all machines: it is shared by a
// file system, or each has its own copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/nats/agents"
	processes "github.com/dougu-go/dougu/tools/process"
)

func main() {
	processes.Supervise()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		slog.Error("crew", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("name a command: serve or run; -h lists its flags")
	}
	var c common
	flags := flag.NewFlagSet("crew "+args[0], flag.ContinueOnError)
	c.flags(flags)
	var do func(context.Context, *agents.Store) error
	switch args[0] {
	case "serve":
		s := serve{common: &c}
		s.flags(flags)
		do = s.run
	case "run":
		r := runner{common: &c}
		r.flags(flags)
		do = r.run
	default:
		return fmt.Errorf("there is no %q, but serve and run", args[0])
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	nc, err := nats.Connect(c.nats, nats.Name("crew "+args[0]), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second))
	if err != nil {
		return fmt.Errorf("connecting to NATS: %w", err)
	}
	defer nc.Close()
	store, err := agents.New(ctx, nc, &c.options)
	for errors.Is(err, agents.ErrUnavailable) && ctx.Err() == nil {
		slog.Warn("NATS is not ready", "error", err)
		store, err = agents.New(ctx, nc, &c.options)
	}
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
}

// common has the flags that servers and runners must have with the same values.
type common struct {
	nats, root string
	options    agents.Options
}

func (c *common) flags(flags *flag.FlagSet) {
	flags.StringVar(&c.nats, "nats", nats.DefaultURL, "comma-separated `addresses` of NATS")
	flags.StringVar(&c.root, "root", ".", "`directory` of the project")
	flags.StringVar(&c.options.Prefix, "prefix", "crew", "`prefix` of all names in NATS")
	flags.IntVar(&c.options.Replicas, "replicas", 1, "`number` of NATS servers that keep each message")
	flags.DurationVar(&c.options.Lease, "lease", 30*time.Second, "`time` without a message after which a runner or server is declared dead")
	flags.Int64Var(&c.options.MaxOutputBytes, "max-output", 1<<30, "limit of all stored output, in `bytes`")
}
