package gateway

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security/oauth"
)

// The paths of logins in a browser. They are reached without a token of the gateway.
const (
	loginPath    = "/oauth/login/"
	callbackPath = "/oauth/callback"
)

// callbacks has the browsers of users come back to the gateway from logins, by the URL at which browsers reach it. The page of a
// login has an address that cannot be guessed and is told to its principal alone. The browser that goes on from there gets a cookie,
// and no other browser can bring the answer.
type callbacks struct {
	public *url.URL

	mu      sync.Mutex
	byID    map[string]*webLogin // by the last part of the address of the page
	byState map[string]*webLogin // until the answer has come
}

// newCallbacks checks the URL by which browsers reach the gateway.
func newCallbacks(public string) (*callbacks, error) {
	u, err := url.Parse(strings.TrimSuffix(public, "/"))
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !origin.IsLoopback(u.Hostname())) {
		return nil, fmt.Errorf("-public-url is %q; it must be such as https://gateway.example.com, or http on this machine", public)
	}
	return &callbacks{public: u, byID: make(map[string]*webLogin), byState: make(map[string]*webLogin)}, nil
}

// webLogin is a login in a browser.
type webLogin struct {
	*login
	at                *callbacks
	principal, server string

	id     string
	answer chan url.Values

	// Guarded by callbacks.mu, set by Authorize.
	page  string // of the authorization server
	state string
	// browser is the value of the cookie of the browser that goes on; empty until one does.
	browser string
}

// begin begins a login of an account.
func (c *callbacks) begin(a *account, l *login) oauth.Login {
	return &webLogin{login: l, at: c, principal: a.principal, server: a.server.Name, id: rand.Text(), answer: make(chan url.Values, 1)}
}

// RedirectURL implements oauth.Login.
func (w *webLogin) RedirectURL() string { return w.at.public.String() + callbackPath }

// Authorize implements oauth.Login.
func (w *webLogin) Authorize(ctx context.Context, page string) (url.Values, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Query().Get("state") == "" {
		return nil, errors.New("the page for the login is no web page")
	}
	c := w.at
	c.mu.Lock()
	w.page, w.state = page, u.Query().Get("state")
	c.byID[w.id], c.byState[w.state] = w, w
	c.mu.Unlock()
	w.publish(c.public.String() + loginPath + w.id)
	select {
	case answer := <-w.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close implements oauth.Login.
func (w *webLogin) Close() error {
	w.at.mu.Lock()
	defer w.at.mu.Unlock()
	delete(w.at.byID, w.id)
	delete(w.at.byState, w.state)
	return nil
}

// wrap serves the pages of logins, and everything else by next.
func (c *callbacks) wrap(next http.Handler) http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("GET "+loginPath+"{id}", c.show)
	pages.HandleFunc("POST "+loginPath+"{id}", c.proceed)
	pages.HandleFunc("GET "+callbackPath, c.receive)
	protection := http.NewCrossOriginProtection()
	_ = protection.AddTrustedOrigin(c.public.Scheme + "://" + c.public.Host) // newCallbacks has checked it; a proxy may change the Host
	guarded := protection.Handler(pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != callbackPath && !strings.HasPrefix(r.URL.Path, loginPath) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "same-origin")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		guarded.ServeHTTP(w, r)
	})
}

var asking = template.Must(template.New("").Parse(`<!doctype html><title>Login</title>
<p>The user <b>{{.Principal}}</b> of this gateway wants to use the server <b>{{.Server}}</b> with <b>your</b> account at <b>{{.Host}}</b>.</p>
<p>Go on only if this is you and you have asked for it just now. If somebody has sent you here, close this window: your account would be theirs to use.</p>
<form method="post"><button>Log in at {{.Host}}</button></form>
`))

// show asks the user whether the login is the user's own.
func (c *callbacks) show(w http.ResponseWriter, r *http.Request) {
	l, page := c.find(r.PathValue("id"))
	u, err := url.Parse(page)
	if l == nil || err != nil {
		writePage(w, http.StatusNotFound, "There is no such login, or it has ended.")
		return
	}
	principal := truncate.Line(l.principal, 200)
	if principal == "" {
		principal = "without a name"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = asking.Execute(w, struct{ Principal, Server, Host string }{principal, truncate.Line(l.server, 200), u.Host}) // a browser that is gone needs no page
}

func (c *callbacks) find(id string) (l *webLogin, page string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l = c.byID[id]; l == nil {
		return nil, ""
	}
	return l, l.page
}

// proceed sends the browser to the authorization server. No other browser can go on after it.
func (c *callbacks) proceed(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	l := c.byID[r.PathValue("id")]
	switch {
	case l == nil:
		c.mu.Unlock()
		writePage(w, http.StatusNotFound, "There is no such login, or it has ended.")
		return
	case l.browser != "" && !l.isBrowser(r):
		c.mu.Unlock()
		writePage(w, http.StatusForbidden, "Another browser has gone on with this login. Ask for another one.")
		return
	case l.browser == "":
		l.browser = rand.Text()
	}
	page, cookie := l.page, l.browser
	c.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: l.cookie(), Value: cookie, Path: "/", MaxAge: int(loginTime.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.public.Scheme == "https",
	})
	http.Redirect(w, r, page, http.StatusSeeOther)
}

// cookie is the name of the cookie of the login: several may be under way in one browser.
func (w *webLogin) cookie() string { return "dougu_login_" + w.id[:8] }

// isBrowser reports whether a request comes from the browser that has gone on with the login. The callbacks are locked.
func (w *webLogin) isBrowser(r *http.Request) bool {
	cookie, err := r.Cookie(w.cookie())
	return err == nil && w.browser != "" && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(w.browser)) == 1
}

// receive takes the answer of an authorization server, once.
func (c *callbacks) receive(w http.ResponseWriter, r *http.Request) {
	answer, err := url.ParseQuery(r.URL.RawQuery)
	c.mu.Lock()
	l := c.byState[answer.Get("state")]
	known := err == nil && l != nil
	own := known && l.isBrowser(r)
	if own {
		delete(c.byState, l.state)
		delete(c.byID, l.id)
	}
	c.mu.Unlock()
	switch {
	case !known:
		writePage(w, http.StatusBadRequest, "This is not the answer to a login that is under way.")
	case !own:
		writePage(w, http.StatusForbidden, "This answer belongs to a login of another browser.")
	default:
		l.answer <- answer // has room: the state is good once
		writePage(w, http.StatusOK, "The gateway has the answer. You may close this window.")
	}
}

func writePage(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Login</title><p>%s</p>\n", text)
}
