package app

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/transport"
)

// Status is the result of a check.
type Status string

// Values of Status. Only Broken makes doctor fail.
const (
	// OK means that the checked part works.
	OK Status = "ok"
	// Warning means that the part works, with a likely mistake in its configuration.
	Warning Status = "warning"
	// Broken means that the part does not work.
	Broken Status = "broken"
	// Unused means that an optional part is absent.
	Unused Status = "unused"
)

// Check is one result of doctor. It must not contain secrets.
type Check struct {
	// Name names the part that was checked, for example "server".
	Name string `json:"name"`
	// Status is the result.
	Status Status `json:"status"`
	// Detail describes the result in one line.
	Detail string `json:"detail"`
	// Next tells the user how to fix a problem. It is empty if there is nothing to do.
	Next string `json:"next,omitempty"`
}

// trialFlag makes doctor act as the server that it tests. The command serve is not used for
// the test, because it may create files in the project.
const trialFlag = "serve"

// doctorTimeout limits the time of all checks together.
const doctorTimeout = 2 * time.Minute

func (a *App) doctorFlags(flags *flag.FlagSet) {
	a.options.doctor.record(flags)
	flags.Bool("json", false, "print the checks as JSON")
	flags.Bool(trialFlag, false, "serve on standard input and output, and remove all files at the end: for the test of the server")
}

// doctor is the command doctor: it checks everything that a client needs to use the server.
// It fails if a check is Broken.
func (a *App) doctor(ctx context.Context, flags *flag.FlagSet) error {
	if flags.NArg() > 0 {
		return a.usageError(fmt.Errorf("doctor takes no arguments, got %q", flags.Args()))
	}
	if flags.Lookup(trialFlag).Value.String() == "true" {
		return a.withServer(ctx, func(p *Program, opts *transport.Options) error { return stdio{a, opts}.Serve(ctx, p.Server) })
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	var checks []Check
	report := func(found ...Check) { checks = append(checks, found...) }
	asJSON := flags.Lookup("json").Value.String() == "true"
	if !asJSON {
		printer := &checkPrinter{a, a.marks()}
		report = func(found ...Check) {
			checks = append(checks, found...)
			for _, c := range found {
				printer.print(c)
			}
		}
	}
	a.examine(ctx, flags.Lookup(rootFlag) != nil, report)
	broken := 0
	for _, c := range checks {
		if c.Status == Broken {
			broken++
		}
	}
	if asJSON {
		if err := a.printChecks(checks, broken == 0); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d checks failed", broken, len(checks))
	}
	return nil
}

// examine runs all checks and reports each result immediately. rooted reports whether the
// program has the flag -root.
func (a *App) examine(ctx context.Context, rooted bool, report func(...Check)) {
	report(a.checkProgram())
	if rooted {
		report(a.checkProject())
		if len(a.options.project.dirs) == 0 {
			report(a.checkClients(ctx)...)
			report(checkGit(ctx), checkWatching(ctx))
			return
		}
	}
	if a.Settings != nil {
		report(a.Settings.Checks(ctx, a.Name)...)
	}
	report(a.checkAudit()...)
	report(checkRemoved(ctx)...)
	switch {
	case a.Doctor != nil:
		report(a.Doctor(ctx)...)
	case rooted:
		report(a.CheckRoots(a.options.project.dirs, false)...)
	}
	if a.readsProject() {
		report(a.checkTrust(ctx)...)
	}
	if a.NeedsToken {
		report(a.checkToken())
	}
	report(a.checkServer(ctx))
	report(a.checkClients(ctx)...)
	report(checkGit(ctx), checkWatching(ctx))
}

// checkAudit returns a check if the file of the flag -audit is unusable, and nil otherwise.
func (a *App) checkAudit() []Check {
	log, err := a.OpenAudit()
	if err = errors.Join(err, log.Close()); err == nil {
		return nil
	}
	return []Check{{Name: "audit", Status: Broken, Detail: Explain(err), Next: "Correct the flag -audit."}}
}

func (a *App) printChecks(checks []Check, ok bool) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Program string  `json:"program"`
		Version string  `json:"version"`
		OK      bool    `json:"ok"`
		Checks  []Check `json:"checks"`
	}{a.Name, a.Version, ok, checks})
}

// checkPrinter prints checks as text.
type checkPrinter struct {
	app   *App
	marks map[Status]string
}

// print prints a check on one line and the next step on a second one. A terminal shows long ones on
// several lines.
func (p *checkPrinter) print(c Check) {
	indent := len([]rune(p.marks[c.Status])) + 1
	fmt.Fprint(p.app.Stdout, p.marks[c.Status]+" ")
	p.app.printWrapped(c.Name+": "+c.Detail, indent)
	if c.Next != "" {
		fmt.Fprint(p.app.Stdout, strings.Repeat(" ", indent))
		p.app.printWrapped(c.Next, indent)
	}
}

// marks returns the first characters of a line by status: symbols, or ASCII words if the
// locale is not UTF-8.
func (a *App) marks() map[Status]string {
	env := a.environment()
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if env.GOOS == "windows" || env.Getenv == nil {
			break
		}
		locale := strings.ToLower(env.Getenv(name))
		if locale == "" {
			continue
		}
		if !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8") {
			return map[Status]string{OK: "ok  ", Warning: "warn", Broken: "FAIL", Unused: "-   "}
		}
		break
	}
	return map[Status]string{OK: "✓", Warning: "!", Broken: "✗", Unused: "-"}
}
