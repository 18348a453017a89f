package app

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"

	"github.com/dougu-go/dougu/tools/config"
)

// ApprovalStore stores the user's approvals of project settings for one program.
type ApprovalStore interface {
	// Approve records the approval of each request. An approval ends when the value
	// changes.
	Approve(ctx context.Context, requests ...config.Request) error
	// Revoke removes all approvals for the files, and returns their number.
	Revoke(ctx context.Context, files ...string) (int, error)
}

// ProjectSettings are the settings of one project file that need the approval of the user.
type ProjectSettings struct {
	// Store keeps the approvals.
	Store ApprovalStore
	// File is the path of the file. It may not exist.
	File string
	// Requests are the settings that need approval, approved or not.
	Requests []config.Request
}

// Warn logs each request that is not approved. Servers call it at the start and after each
// change of the file. program is the name of the program in the suggested command.
func (p ProjectSettings) Warn(log *slog.Logger, program string) {
	for _, r := range config.Pending(p.Requests) {
		log.Warn("a setting of the project needs approval", "file", r.File, "key", r.Key, "value", r.Shown, "used", r.Used,
			"next", "run "+program+" trust in the project to see and allow it")
	}
}

// readsProject reports whether the program reads settings of the project.
func (a *App) readsProject() bool {
	return a.Trust != nil || a.Settings != nil && a.Settings.bringsProject()
}

// projectSettings returns the settings of the project from Trust and Settings.
func (a *App) projectSettings(ctx context.Context) (all []ProjectSettings, err error) {
	if a.Trust != nil {
		if all, err = a.Trust(ctx); err != nil {
			return nil, err
		}
	}
	if a.Settings == nil || !a.Settings.bringsProject() {
		return all, nil
	}
	return append(all, a.Settings.requests()...), nil
}

// checkTrust returns a check for each request. It returns nil if the settings cannot be
// read, because other checks report that error.
func (a *App) checkTrust(ctx context.Context) []Check {
	files, err := a.projectSettings(ctx)
	if err != nil {
		return nil
	}
	var all []Check
	for _, p := range files {
		for _, r := range p.Requests {
			c := Check{Name: "trust", Status: OK, Detail: visible(r.String())}
			if !r.Approved {
				c.Status, c.Next = Warning, fmt.Sprintf("Run %q in the project to see and allow it.", a.Name+" trust")
			}
			all = append(all, c)
		}
	}
	return all
}

// visible escapes control and format characters, for example characters that reverse the
// direction of text. The result shows on the terminal as one line of plain text.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// trustCommands returns the commands trust and untrust.
func trustCommands() []command {
	return []command{
		{
			name: "trust", summary: "show the settings of the project that need your approval, and allow them",
			run: (*App).trust, flags: func(_ *App, flags *flag.FlagSet) {
				flags.Bool("yes", false, "allow them without asking, for scripts")
			},
		},
		{name: "untrust", summary: "revoke the approvals of trust in this project", run: (*App).untrust},
	}
}

// trust is the command trust: it shows the unapproved settings of the project, and approves
// them if the user agrees.
func (a *App) trust(ctx context.Context, flags *flag.FlagSet) error {
	all, err := a.projectSettings(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := a.trustFile(ctx, p, isSet(flags, "yes")); err != nil {
			return err
		}
	}
	return nil
}

// trustFile handles one file. It shows values in full, including secrets, because the user
// approves exactly these values.
func (a *App) trustFile(ctx context.Context, p ProjectSettings, yes bool) error {
	for _, r := range p.Requests {
		if r.Approved {
			fmt.Fprintf(a.Stdout, "allowed already: %s = %s\n", visible(r.Key), visible(r.Value))
		}
	}
	pending := config.Pending(p.Requests)
	if len(pending) == 0 {
		fmt.Fprintf(a.Stdout, "%s: nothing needs your approval\n", visible(p.File))
		return nil
	}
	fmt.Fprintf(a.Stdout, "%s has settings that need your approval:\n\n", visible(p.File))
	for _, r := range pending {
		fmt.Fprintf(a.Stdout, "  %s = %s\n    %s; now: %s\n", visible(r.Key), visible(r.Value), r.Meaning, visible(r.Used))
	}
	fmt.Fprintln(a.Stdout)
	if !yes {
		if !a.hasTerminal() {
			return errors.New("there is no terminal to ask on; add -yes to allow it")
		}
		if err := a.confirm("Allow it?"); err != nil {
			return fmt.Errorf("nothing was allowed: %w", err)
		}
	}
	if err := p.Store.Approve(ctx, pending...); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "Allowed until a value changes. %s untrust revokes it. Restart running servers.\n", a.Name)
	return nil
}

// hasTerminal reports whether standard input is a terminal.
func (a *App) hasTerminal() bool {
	in, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

// Confirm asks the user a question on the terminal. It returns nil for "y" and "yes". It is
// an error if standard input is no terminal; the message names the flag -yes, which the
// command should have.
func (a *App) Confirm(question string) error {
	if !a.hasTerminal() {
		return errors.New("there is no terminal to ask on; add -yes to agree")
	}
	return a.confirm(question)
}

// errRefused is the error of confirm for any answer other than yes.
var errRefused = errors.New("you did not agree")

// confirm asks the user on the terminal. It writes to standard error, because standard
// output may go to a file.
func (a *App) confirm(question string) error {
	defer a.pauseProgress()()
	fmt.Fprintf(a.Stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errRefused
}

// untrust is the command untrust: it revokes all approvals for the project.
func (a *App) untrust(ctx context.Context, _ *flag.FlagSet) error {
	all, err := a.projectSettings(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		n, err := p.Store.Revoke(ctx, p.File)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s: %d approvals were revoked; restart running servers\n", visible(p.File), n)
	}
	return nil
}
