package app

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// listClients prints clients, their configuration files, and whether they have this program:
// the given ones, or all known ones without any. numbered adds numbers to choose from.
func (a *App) listClients(clients []clientconfig.Client, numbered bool) error {
	if len(clients) == 0 {
		clients = clientconfig.All()
	}
	project, err := a.options.install.projectDir()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLIENT\tCONFIGURATION\tSTATE")
	for number, client := range clients {
		for i, scope := range client.Scopes() {
			name := client.Name
			if numbered && i == 0 {
				name = fmt.Sprintf("%d  %s", number+1, name)
			} else if numbered {
				name = "   " + name
			}
			if i > 0 {
				name += map[clientconfig.Scope]string{clientconfig.User: " -user", clientconfig.Project: " -project"}[scope]
			}
			at, err := client.Locate(a.environment(), scope, project)
			if err != nil {
				fmt.Fprintf(table, "%s\t\t%v\n", name, err)
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%s\n", name, a.forTerminal(at.File), a.describeState(at))
		}
	}
	return table.Flush()
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

// offerClients lists the installed clients. On a terminal it asks for the ones to install into;
// otherwise it prints the command.
func (a *App) offerClients(ctx context.Context, flags *flag.FlagSet) error {
	var found []clientconfig.Client
	var others []string
	for _, client := range clientconfig.All() {
		if client.Installed(a.environment()) {
			found = append(found, client)
		} else {
			others = append(others, client.Name)
		}
	}
	ask := a.hasTerminal() && len(found) > 0
	if err := a.listClients(found, ask); err != nil {
		return err
	}
	if len(found) > 0 && len(others) > 0 {
		fmt.Fprintln(a.Stdout)
		a.printWrapped(fmt.Sprintf("Not found on this machine: %s.", strings.Join(others, ", ")), 0)
	}
	if !ask {
		fmt.Fprintln(a.Stdout)
		a.printWrapped(fmt.Sprintf("\"%s install CLIENT\" enters this program there, and shows what that changes; with -dry-run it only shows it.", a.Name), 0)
		return nil
	}
	chosen, err := a.chooseClients(found)
	if err != nil {
		return err
	}
	var failed []error
	for _, client := range chosen {
		if err := a.installInto(ctx, flags, client, nil); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", client.Title, err))
		}
	}
	return errors.Join(failed...)
}

// chooseClients asks for numbers of clients. An empty answer chooses none.
func (a *App) chooseClients(found []clientconfig.Client) ([]clientconfig.Client, error) {
	fmt.Fprint(a.Stderr, "\nNumbers of the clients that should start this program, or all (Enter: none): ")
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(words) == 1 && strings.EqualFold(words[0], "all") {
		return found, nil
	}
	var chosen []clientconfig.Client
	for _, word := range words {
		number, err := strconv.Atoi(word)
		if err != nil || number < 1 || number > len(found) {
			return nil, fmt.Errorf("%q is not a number from 1 to %d; nothing was changed", word, len(found))
		}
		if client := found[number-1]; !slices.ContainsFunc(chosen, func(c clientconfig.Client) bool { return c.Name == client.Name }) {
			chosen = append(chosen, client)
		}
	}
	return chosen, nil
}
