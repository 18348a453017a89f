package app

import (
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// listClients prints the known clients, their configuration files, and whether they have
// this program.
func (a *App) listClients() error {
	project, err := a.options.install.projectDir()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLIENT\tCONFIGURATION\tSTATE")
	for _, client := range clientconfig.All() {
		for i, scope := range client.Scopes() {
			name := client.Name
			if i > 0 {
				name += map[clientconfig.Scope]string{clientconfig.User: " -user", clientconfig.Project: " -project"}[scope]
			}
			at, err := client.Locate(a.environment(), scope, project)
			if err != nil {
				fmt.Fprintf(table, "%s\t\t%v\n", name, err)
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%s\n", name, at.File, a.describeState(at))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "\n\"%s install CLIENT\" adds this program there and shows the change; with -dry-run it only shows the change.\n", a.Name)
	return err
}

// describeState describes in a few words the entry for this program in a configuration
// file.
func (a *App) describeState(at clientconfig.Location) string {
	content, err := clientconfig.Read(at.File)
	if errors.Is(err, fs.ErrNotExist) {
		return "no file"
	}
	var entries []clientconfig.Entry
	if err == nil {
		entries, err = at.Client.Entries(content)
	}
	if err != nil {
		return err.Error()
	}
	starts := a.entryMatcher()
	for _, e := range entries {
		if starts(e) || e.Remote && e.Name == a.Name {
			return fmt.Sprintf("has %q", e.Name)
		}
	}
	return fmt.Sprintf("has %d others", len(entries))
}
