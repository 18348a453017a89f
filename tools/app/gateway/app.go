// Package gateway is the program gateway: one MCP server in front of any number of others,
// which a file lists in the format mcp.json of MCP clients. It authenticates clients by
// tokens, checks the permissions of each token for each call, counts and limits calls, and
// writes an audit log.
package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
)

var version = app.Version()

// options are the flags.
type options struct {
	lookup  func(string) (string, bool)
	keyring func() (oauth.Store, error) // opens the keyring of the operating system; nil: there is none
	// exchanges reports that a server of the file has "exchange". service.open sets it, which App.Build
	// calls before App.Authenticate reads it.
	exchanges bool
	show      func(ctx context.Context, page string) // opens the page of a login from the terminal; nil: in the browser

	config, instructions, auditFile, publicURL string
	bare, asks, ownTools                       bool // -no-prefix, -ask, -own-tools
	perMinute, perHour, clients                int  // 0: no limit
	listTimeout, startTimeout                  time.Duration
}

// configVariable names the file when no flag does.
const configVariable = "GATEWAY_CONFIG"

// New returns the program, in the environment of the process and with the keyring of the system.
func New() *app.App { return newApp(os.LookupEnv, systemKeyring, nil) }

// newApp returns the program with its commands, in an environment. keyring opens the keyring of the system, and may be nil; show opens the
// page of a login, and nil is the browser.
func newApp(lookup func(string) (string, bool), keyring func() (oauth.Store, error), show func(context.Context, string)) *app.App {
	o := &options{lookup: lookup, keyring: keyring, show: show}
	return &app.App{
		Name: "gateway", Version: version,
		Summary:   "one MCP server in front of many",
		MainFlags: []string{"config", "ask", "no-prefix", "own-tools", "http", "public-url", "no-token", "auth-issuer", "audit-file", "log-level"},
		Flags:     o.flags,
		Build: func(ctx context.Context, start app.Start) (*app.Program, error) {
			return o.build(ctx, start)
		},
		Commands:     []app.Command{o.serversCommand(), o.loginCommand(), o.logoutCommand()},
		Doctor:       o.checks,
		Trust:        o.projectSettings,
		Authenticate: o.authenticate,
		NeedsToken:   true,

		PrepareInstall: o.prepareInstall,
	}
}

// authenticate returns the Authenticator of package app. It keeps the access tokens of clients if a server of
// the file has "exchange": the gateway exchanges them for tokens of that server.
func (o *options) authenticate(r app.Resource) (app.Authenticator, error) {
	authenticator, err := app.Authenticate(r)
	if resource, ok := authenticator.(*auth.Resource); ok && err == nil {
		resource.KeepSubject = o.exchanges
	}
	return authenticator, err
}

func (o *options) flags(flags *flag.FlagSet) {
	flags.StringVar(&o.config, "config", "", "`file` that lists the servers, in the format of clients (default the file in "+configVariable+", or mcp.json)")
	flags.StringVar(&o.instructions, "instructions", "", "instructions for models: `text` on how to use the servers together")
	flags.BoolVar(&o.bare, "no-prefix", false, "do not prefix names with the server's name, if there is one server")
	flags.BoolVar(&o.asks, "ask", false, "allow programs of revisions up to 2025-11-25 to ask questions; each client then has its own process")
	flags.BoolVar(&o.ownTools, "own-tools", true, "offer a tool that reports the state of the servers")
	flags.StringVar(&o.auditFile, "audit-file", "", "append every call to this `file`, one JSON object a line")
	flags.StringVar(&o.publicURL, "public-url", "", "`URL` by which browsers reach the gateway: logins return to "+callbackPath+" below it (default: to a port of this machine)")
	flags.IntVar(&o.perMinute, "per-minute", 600, "limit of `requests` of a client in a minute; 0: no limit")
	flags.IntVar(&o.perHour, "per-hour", 0, "limit of `requests` of a client in an hour; 0: no limit")
	flags.IntVar(&o.clients, "clients", 0, "limit of `clients` at once; 0: no limit")
	flags.DurationVar(&o.listTimeout, "list-timeout", 5*time.Second, "`time` that a list waits for servers that are not ready")
	flags.DurationVar(&o.startTimeout, "start-timeout", time.Minute, "`time` that a server may take to start")
}

// named reports whether the user has named the file. Otherwise it is the project's.
func (o *options) named() bool {
	return o.config != "" || o.variable(configVariable) != ""
}

// approvals is the store of the user's approvals.
func (o *options) approvals() *trust.Store {
	return trust.New("gateway", o.variable)
}

// variable is the value of an environment variable.
func (o *options) variable(name string) string {
	value, _ := o.lookup(name)
	return value
}

// approved returns the function that approves servers of a project's file; nil for a
// file that the user has named, which is believed.
func (o *options) approved(file string) func(name, definition string) bool {
	if o.named() {
		return nil
	}
	store := o.approvals()
	return func(name, definition string) bool { return store.Approved(file, keyOf(name), definition) }
}

// keyOf is the key of a server, for approvals.
func keyOf(server string) string { return "mcpServers." + server }

// projectSettings are the servers that the project's file asks for.
func (o *options) projectSettings(context.Context) ([]app.ProjectSettings, error) {
	file, err := o.file()
	if err != nil || o.named() {
		return nil, err
	}
	settings := app.ProjectSettings{Store: o.approvals(), File: file}
	data, err := config.ReadProjectFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []app.ProjectSettings{settings}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the servers of the project: %w", err)
	}
	// This parse approves no server, and so replaces no variables: it only lists the servers in f.Asked.
	// The approved servers are parsed again, with their variables, when the gateway starts.
	approved := o.approved(file)
	f, err := mcpjson.ParseApproved(data, mcpjson.Variables{}, func(string, string) bool { return false })
	if err != nil {
		return nil, fmt.Errorf("read the servers of the project in %s: %w", file, err)
	}
	redactor := new(redact.Redactor)
	for _, asked := range f.Asked {
		settings.Requests = append(settings.Requests, config.Request{
			File: file, Key: keyOf(asked.Name), Value: asked.Definition, Shown: string(redactor.JSON([]byte(asked.Definition))), Used: "nothing",
			Meaning:  "a server that is started or connected, with the variables that it uses",
			Approved: approved(asked.Name, asked.Definition),
		})
	}
	return []app.ProjectSettings{settings}, nil
}

// file is the file that names the servers, with an absolute path.
func (o *options) file() (string, error) {
	name := o.config
	if name == "" {
		name = o.variable(configVariable)
	}
	if name == "" {
		name = projectfile.Gateway
	}
	return filepath.Abs(name)
}
