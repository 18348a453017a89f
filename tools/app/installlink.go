package app

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// printLink prints the link by which a client adds the server. more are further arguments of the
// server.
func (a *App) printLink(client clientconfig.Client, more []string) error {
	in := &a.options.install
	server := clientconfig.Server{URL: in.url}
	if in.url == "" {
		own, err := in.args()
		if err != nil {
			return err
		}
		l := a.findLaunch()
		server = clientconfig.Server{Command: a.sharedCommand(l.command), Args: append(append(l.args, own...), more...), Env: a.PassEnv}
	} else if a.NeedsToken {
		server.TokenVariable = tokenVariable
	}
	name := in.name
	if name == "" {
		name = a.Name
	}
	link, err := client.Link(name, server)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n%s\n", link.URL, link.Web)
	return err
}

// sharedCommand returns the command of an entry that other people use: the name of the program
// alone, if a shell finds this program by it.
func (a *App) sharedCommand(command string) string {
	if a.isOnPath(command) {
		return a.Name
	}
	return command
}
