package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// installation are the flags of the command install.
type installation struct {
	recordedFlags
	name, url, vscodeProfile                 string
	project, user, dryRun, force, undo, link bool
}

func (a *App) installFlags(flags *flag.FlagSet) {
	in := &a.options.install
	in.record(flags)
	flags.StringVar(&in.name, "name", "", "`name` of the entry (default "+a.Name+"; with -undo the newest one)")
	flags.StringVar(&in.url, "http", "", "add a running server, at this `URL`, for example http://127.0.0.1:3000"+httpPath+", with its token")
	flags.BoolVar(&in.project, "project", false, "change the client's configuration in the project, which is the first -root or the current directory")
	flags.BoolVar(&in.user, "user", false, "change the user's configuration of the client; the default except for vscode, vscode-insiders and jetbrains")
	flags.StringVar(&in.vscodeProfile, "vscode-profile", "", "`name` of the profile of VS Code whose configuration gets the entry")
	flags.BoolVar(&in.link, "link", false, "print a link that adds the program with one click (cursor, vscode, vscode-insiders), and change nothing")
	flags.BoolVar(&in.dryRun, "dry-run", false, "only show the change")
	flags.BoolVar(&in.force, "force", false, "replace an entry of the same name that starts something else")
	flags.BoolVar(&in.undo, "undo", false, "undo the last change by install; repeat it to undo earlier ones")
}

// install is the command install: it adds the server to the configuration of a client.
// Flags of the program, and all arguments after "--", become the server's command line.
// Without a client it offers the installed ones.
func (a *App) install(ctx context.Context, flags *flag.FlagSet) error {
	if flags.NArg() == 0 {
		return a.offerClients(ctx, flags)
	}
	client, err := clientconfig.Find(flags.Arg(0))
	if err != nil {
		return a.usageError(err)
	}
	rest, server := flags.Args()[1:], []string(nil)
	if i := slices.Index(rest, "--"); i >= 0 {
		rest, server = rest[:i], rest[i+1:]
	}
	if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return errUsage
	}
	in := &a.options.install
	switch {
	case flags.NArg() > 0:
		return a.usageError(fmt.Errorf("install takes one client, got %q too; flags of the server come after --", flags.Args()))
	case in.project && in.user:
		return a.usageError(errors.New("-project and -user exclude each other"))
	case in.url != "" && (len(server) > 0 || !in.rootsAlone()):
		return a.usageError(errors.New("-http names a running server; give its flags where it is started"))
	case in.undo && (len(server) > 0 || in.force || in.url != ""):
		return a.usageError(errors.New("-undo takes -name, -project, -user and -dry-run alone"))
	case in.link && (in.undo || in.project || in.user || in.vscodeProfile != ""):
		return a.usageError(errors.New("-link prints a link, and changes no file"))
	case in.vscodeProfile != "" && in.project:
		return a.usageError(errors.New("-project and -vscode-profile exclude each other"))
	}
	if in.link {
		return a.printLink(client, server)
	}
	return a.installInto(ctx, flags, client, server)
}

// installInto adds the server to the file of a client that the flags select, or undoes that.
func (a *App) installInto(ctx context.Context, flags *flag.FlagSet, client clientconfig.Client, server []string) error {
	in := &a.options.install
	at, err := a.locate(client)
	if err != nil {
		return err
	}
	if in.undo {
		return a.undo(at)
	}
	var notes []string
	if in.url == "" && a.PrepareInstall != nil {
		if notes, err = a.PrepareInstall(ctx, flags, a.settingsDir(), in.dryRun); err != nil {
			return err
		}
	}
	return a.installEntry(at, flags.Lookup(rootFlag) != nil, server, notes)
}

// usageError prints err and returns errUsage.
func (a *App) usageError(err error) error {
	fmt.Fprintf(a.Stderr, "%s: %v\n", a.Name, err)
	return errUsage
}

// locate returns the configuration file that the flags select.
func (a *App) locate(client clientconfig.Client) (clientconfig.Location, error) {
	if profile := a.options.install.vscodeProfile; profile != "" {
		return client.LocateProfile(a.environment(), profile)
	}
	scope := clientconfig.Usual
	if a.options.install.project {
		scope = clientconfig.Project
	} else if a.options.install.user {
		scope = clientconfig.User
	}
	project, err := a.options.install.projectDir()
	if err != nil {
		return clientconfig.Location{}, err
	}
	return client.Locate(a.environment(), scope, project)
}

func (a *App) environment() clientconfig.Environment {
	if a.Environment != nil {
		return clientconfig.Environment(*a.Environment)
	}
	return clientconfig.Current()
}

func (a *App) installer() (*clientconfig.Installer, error) {
	dir, err := a.environment().StateDir()
	return &clientconfig.Installer{Program: a.Name, StateDir: dir}, err
}

// projectDir returns the absolute path of the project: the first -root, or the current
// directory.
func (g *recordedFlags) projectDir() (string, error) {
	dir := "."
	if roots := g.roots(); len(roots) > 0 {
		dir = roots[0]
	}
	return filepath.Abs(dir)
}

// installEntry adds the server to the file at. rooted reports whether the program has the
// flag -root; more are further arguments of the server, and earlier are notes for the user.
func (a *App) installEntry(at clientconfig.Location, rooted bool, more, earlier []string) error {
	in := &a.options.install
	serverOf := func() (clientconfig.Server, []string, error) { return a.launchEntry(at, rooted, more) }
	if in.url != "" {
		serverOf = func() (clientconfig.Server, []string, error) { return a.urlEntry(at, in.url) }
	}
	server, notes, err := serverOf()
	if err != nil {
		return err
	}
	name := in.name
	if name == "" {
		name = a.Name
	}
	installer, err := a.installer()
	if err != nil {
		return err
	}
	change, err := installer.Plan(at, name, server)
	if err != nil {
		return err
	}
	if change.Action == clientconfig.Nothing {
		a.printWrapped(fmt.Sprintf("%q is already in %s, with the same settings. Nothing was changed.", name, at.File), 0)
		return nil
	}
	a.showDiff(change)
	a.printNotes(slices.Concat(earlier, notes, change.Notes))
	if change.Action == clientconfig.Replace && !in.force {
		return fmt.Errorf("%q is already in %s, and starts something else; nothing was changed: -force replaces it, and -name adds this program under another name", name, at.File)
	}
	if change.Retargets && !in.force {
		return fmt.Errorf("%q is already in %s, for other directories; nothing was changed: -force changes its -root, and -name adds this program under another name; without -root one entry serves the folder that the client has open", name, at.File)
	}
	if in.dryRun {
		fmt.Fprintln(a.Stdout, "Nothing was written: this is the effect without -dry-run.")
		return nil
	}
	if err := change.Apply(); err != nil {
		return err
	}
	a.printWrapped(fmt.Sprintf("%q is now in %s.", name, at.File), 0)
	a.printWrapped(at.Client.Reload, 0)
	fmt.Fprintf(a.Stdout, "\"%s\" undoes this.\n", a.undoCommand(at))
	return nil
}

func (a *App) undoCommand(at clientconfig.Location) string {
	command := a.Name + " install " + at.Client.Name
	switch {
	case a.options.install.project:
		command += " -project"
	case a.options.install.user:
		command += " -user"
	case a.options.install.vscodeProfile != "":
		command += fmt.Sprintf(" -vscode-profile %q", a.options.install.vscodeProfile)
	}
	if roots := a.options.install.roots(); at.Scope == clientconfig.Project && len(roots) > 0 {
		command += " -root " + roots[0]
	}
	return command + " -undo"
}

// undo reverts the newest change of install in the file at.
func (a *App) undo(at clientconfig.Location) error {
	installer, err := a.installer()
	if err != nil {
		return err
	}
	change, err := installer.PlanUndo(at, a.options.install.name)
	if err != nil {
		return err
	}
	a.showDiff(change)
	a.printNotes(change.Notes)
	if a.options.install.dryRun {
		fmt.Fprintln(a.Stdout, "Nothing was written: this is the effect without -dry-run.")
		return nil
	}
	if err := change.Apply(); err != nil {
		return err
	}
	switch change.Action {
	case clientconfig.Restore:
		a.printWrapped(fmt.Sprintf("%s has its former content, from before %q was added.", at.File, change.Name), 0)
		a.printWrapped(at.Client.Reload, 0)
	case clientconfig.Delete:
		a.printWrapped(fmt.Sprintf("%s is removed; it was created for %q, and contained nothing else.", at.File, change.Name), 0)
	case clientconfig.Withdraw:
		a.printWrapped(fmt.Sprintf("%s no longer has the entry %q.", at.File, change.Name), 0)
		a.printWrapped(at.Client.Reload, 0)
	}
	return nil
}

// maxDiff limits the printed diff, in bytes.
const maxDiff = 16 << 10

func (a *App) showDiff(change *clientconfig.Change) {
	before, after := change.Preview()
	from, to := change.File, change.File
	if !change.Exists() {
		from = os.DevNull
	}
	if change.Action == clientconfig.Delete {
		to = os.DevNull
	}
	diff := textdiff.Unified(a.forTerminal(from), a.forTerminal(to), before, after, textdiff.Options{MaxBytes: maxDiff, MaxLine: 400})
	if diff == "" {
		return
	}
	fmt.Fprintf(a.Stdout, "%s\n", diff)
	if strings.Contains(diff, "…") {
		fmt.Fprint(a.Stdout, "The mark … replaces text of the file that may be secret.\n\n")
	}
}

func (a *App) printNotes(notes []string) {
	for _, note := range notes {
		a.printWrapped("Note: "+note, 0)
	}
}

// launchEntry returns the entry at a location by which a client starts this program, and notes for
// the user. An entry of the user serves all projects, so it names a directory only for the flag
// -root. An entry in a project is shared with other people, so it has no path of this machine
// where there is another way.
func (a *App) launchEntry(at clientconfig.Location, rooted bool, more []string) (clientconfig.Server, []string, error) {
	in := &a.options.install
	shared := at.Scope == clientconfig.Project
	var notes []string
	l := a.findLaunch()
	switch {
	case l.temporary && l.source == "":
		notes = append(notes, "this program was built by \"go run\" from single files and is deleted when it ends, so the client cannot start it then. "+l.permanent()+" Install that one instead.")
	case l.temporary:
		notes = append(notes, "this program was built by \"go run\" and is deleted when it ends, so the client runs it from source, and needs Go. "+l.permanent()+" Install that one then.")
		if path, err := exec.LookPath(l.command); err == nil && !shared {
			l.command = path // a client that was not started by a shell has another PATH
		}
	case shared && a.isOnPath(l.command):
		l.command = a.Name
	case shared:
		notes = append(notes, fmt.Sprintf("others who share %s need the program at %s, too. Put it into a directory of PATH and install it again: the entry then names it as %s.", at.File, l.command, a.Name))
	}
	project, err := in.projectDir()
	if err != nil {
		return clientconfig.Server{}, nil, err
	}
	rename := func(dir string) string { return dir }
	if shared {
		rename = func(dir string) string { return sharedRoot(at.Client.Name, project, dir) }
	}
	own, err := in.argsWith(rename)
	if err != nil {
		return clientconfig.Server{}, nil, err
	}
	given := len(in.roots()) > 0
	if folder := sharedRoot(at.Client.Name, project, project); rooted && shared && !given && folder != "" {
		own = append(own, "-"+rootFlag, folder)
	}
	if rooted && !given && !shared && at.Client.Name == "claude-desktop" {
		notes = append(notes, fmt.Sprintf("%s opens no folders, so the server has no project there. -%s DIR names one.", at.Client.Title, rootFlag))
	}
	if rooted && given && !strings.HasPrefix(filepath.Base(project), "${") {
		if info, err := os.Stat(project); err != nil || !info.IsDir() {
			return clientconfig.Server{}, nil, fmt.Errorf("-%s %s is not a directory", rootFlag, project)
		}
		if a.place().TooWide(project) {
			notes = append(notes, fmt.Sprintf("the server may use all of %s; -%s names a smaller directory.", project, rootFlag))
		}
	}
	return clientconfig.Server{Command: l.command, Args: slices.Concat(l.args, own, more), Env: a.PassEnv}, notes, nil
}

// sharedRoot returns the value of -root in a file that a project shares, for a directory of the
// project. It is empty for the project itself if the client replaces no variable: the server then
// finds the project by itself. A directory outside of the project keeps its path.
func sharedRoot(client, project, dir string) string {
	below, err := filepath.Rel(project, dir)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return dir
	}
	below = filepath.ToSlash(below)
	if client != "cursor" && !strings.HasPrefix(client, "vscode") {
		if below == "." {
			return ""
		}
		return dir
	}
	return path.Join("${workspaceFolder}", below)
}

// isOnPath reports whether the name of the program leads to a file by PATH.
func (a *App) isOnPath(file string) bool {
	found, err := exec.LookPath(a.Name)
	return err == nil && sameFile(found, file)
}
