package kuromajutsu

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

const noTokenUsage = "allow programs of this machine to read without the token; changes need it"

// dashboardCommand serves the dashboard alone: history, roles and health, without a client.
func (p *program) dashboardCommand() app.Command {
	var noToken bool
	return app.Command{
		Name: "dashboard", Summary: "serve only the dashboard, with the history, the roles and their availability",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&noToken, "no-token", false, noTokenUsage)
		},
		Run: func(ctx context.Context, server *app.App, _ *flag.FlagSet) error {
			return watchOver(ctx, server, p.Options, agentservice.Purpose{Serves: true, Token: server.Token, NoToken: noToken}, func(ctx context.Context, _ *agentservice.Service) error {
				<-ctx.Done()
				return nil
			})
		},
	}
}

// watchOver opens a service with a dashboard for a command, calls do, and closes the service.
// Without a dashboard it returns an error.
func watchOver(ctx context.Context, server *app.App, o *agentservice.Options, why agentservice.Purpose, do func(context.Context, *agentservice.Service) error) (err error) {
	why.Stderr, why.Person = server.Stderr, true
	s, err := agentservice.Open(ctx, o, why)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if failed := s.Close(closing); err == nil {
			err = failed
		}
	}()
	if s.URL(false) == "" {
		return fmt.Errorf("there is no dashboard: dashboard.enabled is false, or an agent runs this")
	}
	return do(ctx, s)
}

// demoCommand plays recorded agents in a directory of their own.
func (p *program) demoCommand() app.Command {
	var once, noToken bool
	return app.Command{
		Name: "demo", Anywhere: true, Summary: "show the dashboard with recorded agents, in a temporary project",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&once, "once", false, "end after the recordings")
			flags.BoolVar(&noToken, "no-token", false, noTokenUsage)
		},
		Run: func(ctx context.Context, server *app.App, _ *flag.FlagSet) error {
			dir, err := os.MkdirTemp("", "kuromajutsu-demo-")
			if err != nil {
				return fmt.Errorf("making a project for the demonstration: %w", err)
			}
			defer os.RemoveAll(dir)
			if err := stage(p.Options, dir); err != nil {
				return err
			}
			return watchOver(ctx, server, p.Options, agentservice.Purpose{Serves: true, Fake: true, NoToken: noToken}, func(ctx context.Context, s *agentservice.Service) error {
				fmt.Fprintln(server.Stderr, "Recorded agents are replayed; your files are not changed. Ctrl+C ends it.")
				return demonstration{s}.play(ctx, paceOf(p.Environ()), once)
			})
		},
	}
}
