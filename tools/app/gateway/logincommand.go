package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

// principalFlag is the flag that says whose login it is.
func principalFlag(flags *flag.FlagSet, principal *string) {
	flags.StringVar(principal, "principal", "", "owner of the login: the `name` of a token in the audit log, or \"client\" for the token of the command token (default the user of the gateway on standard input and output)")
}

// loginCommand logs in to a server from a terminal.
func (o *options) loginCommand() app.Command {
	var principal string
	return app.Command{
		Name: "login", Args: "SERVER", Summary: "log in to a server with OAuth, in the browser",
		Flags: func(flags *flag.FlagSet) { principalFlag(flags, &principal) },
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			return o.withLogins(flags, func(b *broker, s mcpjson.Server) error {
				if !s.Rules.OAuth.AsksUser() {
					fmt.Fprintf(a.Stdout, "No login is needed: the gateway has its own credentials for %s.\n", s.Name)
					return nil
				}
				b.show = func(ctx context.Context, page string) {
					fmt.Fprintf(a.Stderr, "To log in to %s, your browser opens this page:\n%s\n", s.Name, page)
					if err := oauth.OpenBrowser(ctx, page); err != nil {
						fmt.Fprintf(a.Stderr, "No browser could be opened (%v). Open the page yourself, on this machine.\n", err)
					}
				}
				if o.show != nil {
					b.show = o.show
				}
				return logIn(ctx, a, b, s, principal)
			})
		},
	}
}

// logIn has a principal log in, and waits for the end.
func logIn(ctx context.Context, a *app.App, b *broker, s mcpjson.Server, principal string) error {
	account, err := b.account(ctx, s, principal)
	if err != nil {
		return err
	}
	l, err := account.begin(ctx)
	if err != nil {
		return fmt.Errorf("logging in to %s: %w", s.Name, err)
	}
	select {
	case <-l.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	switch {
	case l.err != nil:
		return fmt.Errorf("logging in to %s: %w", s.Name, l.err)
	case l.page == "":
		fmt.Fprintf(a.Stdout, "No login is needed: %s accepts the existing login, or requires none.\n", s.Name)
	default:
		fmt.Fprintf(a.Stdout, "You are logged in to %s. A running gateway uses the login with the next call.\n", s.Name)
	}
	return nil
}

// logoutCommand forgets a login.
func (o *options) logoutCommand() app.Command {
	var principal string
	return app.Command{
		Name: "logout", Args: "SERVER", Summary: "delete the login to a server",
		Flags: func(flags *flag.FlagSet) { principalFlag(flags, &principal) },
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			return o.withLogins(flags, func(b *broker, s mcpjson.Server) error {
				if err := b.forget(ctx, s, principal); err != nil {
					return fmt.Errorf("deleting the login to %s: %w", s.Name, err)
				}
				fmt.Fprintf(a.Stdout, "The login to %s is deleted here, but the authorization server is not notified: if the tokens may be exposed, revoke them there.\n", s.Name)
				return nil
			})
		},
	}
}

// withLogins uses the broker for the server that the command line names.
func (o *options) withLogins(flags *flag.FlagSet, use func(*broker, mcpjson.Server) error) error {
	if flags.NArg() != 1 {
		return app.UsageErrorf("name one server of the file, such as \"gateway login issues\"")
	}
	file, err := o.file()
	if err != nil {
		return err
	}
	registry := mcpjson.Registry{Path: file, Log: discard(), Variables: mcpjson.Variables{Lookup: o.lookup, Workspace: filepath.Dir(file)}, Approved: o.approved(file)}
	servers, err := registry.Servers()
	if err != nil {
		return err
	}
	for _, s := range servers {
		switch {
		case s.Name != flags.Arg(0):
		case s.Rules.OAuth == nil:
			return fmt.Errorf("the server %s has no \"oauth\" in %s: there is nothing to log in to", s.Name, file)
		default:
			b := newBroker(discard(), vault{lookup: o.lookup, keyring: o.keyring, log: discard()}.open)
			return errors.Join(use(b, s), b.close())
		}
	}
	return fmt.Errorf("%s has no enabled server %q", file, flags.Arg(0))
}
