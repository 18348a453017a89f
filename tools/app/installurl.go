package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/dougu-go/dougu/security/auth/usertoken"
	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// urlEntry returns the entry by which a client reaches a running server, and notes for the
// user. Only a server of this machine gets the user's token; other servers have their own
// tokens.
func (a *App) urlEntry(at clientconfig.Location, address string) (clientconfig.Server, []string, error) {
	s := clientconfig.Server{URL: address}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return s, nil, fmt.Errorf("-http is a URL such as http://127.0.0.1:3000%s, without a user or password", httpPath)
	}
	own := isLoopback(u.Hostname())
	if own && !a.NeedsToken {
		return s, nil, nil
	}
	s.TokenVariable = tokenVariable
	source := "the token of that server"
	if own {
		source = fmt.Sprintf("what \"%s token\" prints", a.Name)
	}
	if own && at.Scope == clientconfig.User {
		t, err := a.tokenToEnter()
		if err != nil {
			return s, nil, err
		}
		if t.Unkept == nil {
			s.Token = t.Text
			return s, []string{fmt.Sprintf("the entry has the token that is kept in %s.", t.File)}, nil
		}
	}
	if !at.Client.HasReferences() {
		s.TokenVariable = ""
		return s, []string{fmt.Sprintf("the entry has no token, as entries of %s cannot refer to variables: add the header \"Authorization: Bearer TOKEN\" to it, with %s.", at.Client.Title, source)}, nil
	}
	return s, []string{fmt.Sprintf("the entry refers to the variable %s: set it, where %s is started, to %s.", tokenVariable, at.Client.Title, source)}, nil
}

// tokenToEnter returns the user's token. A dry run creates no token and returns a
// placeholder that is not printed.
func (a *App) tokenToEnter() (Token, error) {
	if !a.options.install.dryRun {
		return a.Token()
	}
	t, err := usertoken.Find(a.settingsDir(), a.Name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Text, err = "new", nil
	}
	return t, err
}
