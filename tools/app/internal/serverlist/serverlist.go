// Package serverlist is the command servers of programs with language servers: a list of the servers that are known for the
// languages of a project, with their places and versions. No server is started.
package serverlist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// Row is one server of the list.
type Row struct {
	Server string `json:"server"`
	// Languages are the languages of the server, with the numbers of their files in the project.
	Languages []Language `json:"languages"`
	// State is found, untrusted, unusable or missing.
	State string `json:"state"`
	// Program, Origin and Version are empty for a missing server. Version is empty if no file shows it.
	Program string `json:"program,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Version string `json:"version,omitempty"`
	// Reason is the reason why the server cannot be started, and Next the next step.
	Reason string `json:"reason,omitempty"`
	Next   string `json:"next,omitempty"`
	// Tested is true if the tests of this program run the real server.
	Tested bool `json:"tested"`
}

// Language is a language of the project.
type Language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// files returns the number of files in the languages of a row.
func (r Row) files() (n int) {
	for _, l := range r.Languages {
		n += l.Files
	}
	return n
}

// Rows returns the servers of languages, the ones with the most files first. Without all it leaves out missing servers of languages
// that have another one, or that need none.
func Rows(languages []headless.LanguageServers, all bool) []Row {
	rows := make([]Row, 0, len(languages))
	index := make(map[string]int) // of rows, by server
	for _, l := range languages {
		_, served := l.Available()
		for n, s := range l.Servers {
			if s.Availability == headless.Missing && !all && (served || l.Optional || n > 0) {
				continue
			}
			i, known := index[s.Name]
			if !known {
				i = len(rows)
				index[s.Name] = i
				rows = append(rows, Row{
					Server: s.Name, State: string(s.Availability), Program: s.Program, Origin: s.Origin, Version: s.Version,
					Reason: s.Reason, Next: s.Next, Tested: s.Tested,
				})
			}
			rows[i].Languages = append(rows[i].Languages, Language{l.Language, l.Files})
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.files(), a.files()), cmp.Compare(a.Languages[0].Name, b.Languages[0].Name))
	})
	return rows
}

// print writes one line for each row.
func print(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "The project has no files of a language that needs a server. With -all the list has every known language.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		var languages []string
		for _, l := range r.Languages {
			name := l.Name
			if l.Files > 0 {
				name = fmt.Sprintf("%s %d", name, l.Files)
			}
			languages = append(languages, name)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Server, strings.Join(languages, ", "), r.state())
	}
	return table.Flush()
}

// state describes a row for people.
func (r Row) state() string {
	found := strings.TrimSpace(r.Version+" "+r.Program) + " (" + r.Origin + ")"
	switch headless.Availability(r.State) {
	case headless.Found:
		if !r.Tested {
			found += ", untested"
		}
		return found
	case headless.Missing:
		return "missing. " + r.Next
	}
	return r.State + ": " + found + ": " + strings.TrimSuffix(r.Reason, ".") + ". " + r.Next
}

// Command returns the command servers. open opens the adapter of the project; done closes it.
func Command(open func(context.Context) (h *headless.Headless, done func(context.Context) error, err error)) app.Command {
	var all, asJSON bool
	return app.Command{
		Name: "servers", Summary: "list the language servers for the files of the project, where they are installed, and how to get missing ones",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&all, "all", false, "list every known server, also for languages without files")
			flags.BoolVar(&asJSON, "json", false, "print JSON")
		},
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) (err error) {
			h, done, err := open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, done(context.WithoutCancel(ctx))) }()
			languages, err := h.Languages(ctx, all)
			if err != nil {
				return err
			}
			rows := Rows(languages, all)
			if !asJSON {
				return print(a.Stdout, rows)
			}
			encoder := json.NewEncoder(a.Stdout)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			return encoder.Encode(rows)
		},
	}
}
