package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security/auth/usertoken"
)

// Token is the bearer token of a user for one program (RFC 6750), stored in a file that
// only this user can read.
type Token = usertoken.Token

// Token returns the user's token for this program. The first call reads or creates it;
// later calls return the same token. A token file with unsafe permissions or content is an
// error. If the token cannot be stored, Token.Unkept is set.
func (a *App) Token() (Token, error) {
	if a.token != nil {
		return *a.token, nil
	}
	t, err := usertoken.Load(a.settingsDir(), a.Name)
	if err != nil {
		return t, err
	}
	a.token = &t
	return t, nil
}

// settingsDir returns the user's directory for settings, or "".
func (a *App) settingsDir() string {
	dir, err := a.environment().SettingsDir()
	if err != nil {
		return ""
	}
	return dir
}

// announceToken prints the location of the token after the server listens. It prints the
// token only when it is new or not stored, because standard error may be a log.
func (a *App) announceToken() {
	t := a.token
	switch {
	case t.Unkept != nil:
		fmt.Fprintf(a.Stderr, "token: %s (for this run only; it could not be saved: %v)\n", t.Text, t.Unkept)
	case t.New:
		fmt.Fprintf(a.Stderr, "token: %s (kept in %s; shown this once, \"%s token\" prints it again)\n", t.Text, t.File, a.Name)
	default:
		fmt.Fprintf(a.Stderr, "token: kept in %s; \"%s token\" prints it\n", t.File, a.Name)
	}
}

// printToken is the command token: it prints the user's token.
func (a *App) printToken(_ context.Context, flags *flag.FlagSet) error {
	if flags.NArg() > 0 {
		return a.usageError(fmt.Errorf("token takes no arguments, got %q", flags.Args()))
	}
	t, err := a.Token()
	if err != nil {
		return err
	}
	if t.Unkept != nil {
		return fmt.Errorf("the token cannot be saved, so each run of a server creates one and shows it: %w", t.Unkept)
	}
	_, err = fmt.Fprintln(a.Stdout, t.Text)
	return err
}

// checkToken reports the location of the token, never the token itself.
func (a *App) checkToken() Check {
	c := Check{Name: "token", Status: OK}
	t, err := usertoken.Find(a.settingsDir(), a.Name)
	switch _, refused := errors.AsType[*usertoken.RefusedError](err); {
	case err == nil:
		c.Detail = fmt.Sprintf("kept in %s; \"%s token\" prints it", t.File, a.Name)
	case refused:
		c.Status, c.Detail = Broken, err.Error()
		c.Next = fmt.Sprintf("Remove %s.", t.File)
	case errors.Is(err, fs.ErrNotExist) && CheckDirectory("", nearestExistingDir(t.File), true).Status == OK:
		c.Status, c.Detail = Unused, "none yet; the first start that needs one creates it, and keeps it in "+t.File
	default:
		c.Status, c.Detail = Warning, fmt.Sprintf("no token can be kept in the directory for your settings, %q: %v", a.settingsDir(), reason(err))
		c.Next = "Make the directory writable; until then each run of a server creates a token and shows it."
	}
	return c
}

// nearestExistingDir returns the nearest existing directory above a file.
func nearestExistingDir(file string) string {
	dir := filepath.Dir(file)
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
