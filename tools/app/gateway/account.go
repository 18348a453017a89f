package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

// account is the OAuth state of one principal at a server behind the gateway, or of all principals where they share a login. It is
// the oauth.Authorizer of its client.
type account struct {
	broker    *broker
	server    mcpjson.Server
	principal string // empty if all principals share the account
	client    *oauth.Client

	used time.Time // of the last request; guarded by broker.mu

	mu    sync.Mutex
	seen  time.Time // time of the last change of the store that the client has read
	login *login    // current login; nil if there is none
}

// login is one attempt to get a token for an account. The user may have to open a page.
type login struct {
	page  string        // address for the user; set before told is closed
	told  chan struct{} // closed when the page is known
	ended chan struct{} // closed when the login has ended
	err   error         // nil after success; set before ended is closed

	life   context.Context // bounds the wait for the user
	cancel context.CancelFunc
	asking bool // the login may ask the user; guarded by account.mu
}

// errNeedsLogin is the error of an account without a token. The OAuth client and the gateway look for different errors.
var errNeedsLogin = fmt.Errorf("%w: %w", oauth.ErrLoginRequired, gateway.ErrLoginNeeded)

// underWay returns the current login, or nil.
func (a *account) underWay() *login {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.login
}

// begin starts a login, or joins the current one. It returns when the page is known or the login has ended. If ctx ends first, the
// login goes on.
func (a *account) begin(ctx context.Context) (*login, error) {
	a.mu.Lock()
	l := a.login
	if l == nil {
		if err := a.broker.reserve(); err != nil {
			a.mu.Unlock()
			return nil, err
		}
		l = &login{told: make(chan struct{}), ended: make(chan struct{})}
		l.life, l.cancel = context.WithTimeout(a.broker.life, loginTime)
		a.login = l
		a.broker.running.Go(func() { a.run(l) })
	}
	a.mu.Unlock()
	select {
	case <-l.told:
		return l, nil
	case <-l.ended:
		return l, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// refresh makes the client read the store again if it has changed. If another process has stored a token, as a login in a terminal
// does, the current login is cancelled.
func (a *account) refresh(ctx context.Context) error {
	changed := a.broker.changed()
	a.mu.Lock()
	same, l := changed.Equal(a.seen), a.login
	a.mu.Unlock()
	if same {
		return nil
	}
	hasToken, err := a.client.Reload(ctx, a.server.URL)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.seen = changed
	a.mu.Unlock()
	if hasToken && l != nil {
		l.cancel()
	}
	return nil
}

// run gets a token for a login: first without the user, then with the user.
func (a *account) run(l *login) {
	ctx, cancel := context.WithTimeout(a.broker.life, loginTime+time.Minute)
	defer cancel()
	err := errors.New("the login has failed in an unexpected way")
	defer func() {
		l.cancel()
		a.mu.Lock()
		a.login, l.err = nil, err
		a.mu.Unlock()
		a.broker.mu.Lock()
		a.broker.pending--
		a.broker.mu.Unlock()
		close(l.ended)
	}()
	// A concurrent request that began before asking was set may make Authorize fail once more for want of a login.
	for range 4 {
		if err = a.client.Authorize(ctx, a.server.URL); !errors.Is(err, oauth.ErrLoginRequired) {
			return
		}
		a.mu.Lock()
		l.asking = true
		a.mu.Unlock()
	}
}

// currentLogin returns the current login if it may ask the user, else nil.
func (a *account) currentLogin() *login {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.login == nil || !a.login.asking {
		return nil
	}
	return a.login
}

// Begin implements oauth.Authorizer. It fails unless the current login may ask the user and has time left.
func (a *account) Begin(ctx context.Context, wish string) (oauth.Login, error) {
	l := a.currentLogin()
	if l == nil || l.life.Err() != nil {
		return nil, errNeedsLogin
	}
	way := &oauth.Loopback{Prompt: func(string, error) {}, Open: func(ctx context.Context, page string) error {
		l.publish(page)
		if a.broker.show != nil {
			a.broker.show(ctx, page)
		}
		return nil
	}}
	if web := a.broker.web; web != nil {
		return &patient{web.begin(a, l), l}, nil
	}
	begun, err := way.Begin(ctx, wish)
	if err != nil {
		return nil, err
	}
	return &patient{begun, l}, nil
}

// patient is an oauth.Login that also ends with the login of the account.
type patient struct {
	oauth.Login
	login *login
}

// Authorize implements oauth.Login.
func (p *patient) Authorize(ctx context.Context, page string) (url.Values, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.login.life, func() { cancel(errNeedsLogin) })()
	answer, err := p.Login.Authorize(ctx, page)
	if err != nil && p.login.life.Err() != nil {
		err = errNeedsLogin
	}
	return answer, err
}

// accountStore is the store of an account. Its lock keeps two processes from using one refresh token. While a login asks the user,
// Lock does nothing: the login may take minutes, and another login in a terminal must not wait for it.
type accountStore struct {
	oauth.Store
	account *account
}

// Lock implements oauth.Locker.
func (s accountStore) Lock(ctx context.Context, key string) (unlock func(), err error) {
	locker, ok := s.Store.(oauth.Locker)
	if !ok || s.account.currentLogin() != nil {
		return func() {}, nil
	}
	return locker.Lock(ctx, key)
}

// publish publishes the page of a login. Further calls have no effect.
func (l *login) publish(page string) {
	select {
	case <-l.told: // a second attempt of the same login
	default:
		l.page = page
		close(l.told)
	}
}
