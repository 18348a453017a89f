package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/gateway/mcpjson"
	"github.com/dougu-go/dougu/security/oauth"
)

// account is what a principal, or all of them, are at a server. It is the oauth.Authorizer of its client.
type account struct {
	broker    *broker
	server    mcpjson.Server
	principal string
	client    *oauth.Client

	used time.Time // guarded by broker.mu

	mu    sync.Mutex
	seen  time.Time // when the store was changed last, as far as the client knows
	login *login    // under way; nil for none
}

// login is a login that is under way.
type login struct {
	page  string        // set before told is closed
	told  chan struct{} // closed when the page is known
	ended chan struct{}
	err   error // why it has failed; set before ended is closed

	life   context.Context // its end ends the wait for the user
	cancel context.CancelFunc
	asking bool // the user is asked; guarded by account.mu
}

// errNeedsLogin is what an account without a token answers.
var errNeedsLogin = fmt.Errorf("%w: %w", oauth.ErrLoginRequired, gateway.ErrLoginNeeded)

// underWay is the login that is under way, nil for none.
func (a *account) underWay() *login {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.login
}

// begin begins a login, unless one is under way, and returns when its page is known or nothing has to be done.
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

// refresh has the client of an account read the store again if that has changed. A login that has come from elsewhere, such as a
// terminal, ends the one that is under way.
func (a *account) refresh(ctx context.Context) error {
	changed := a.broker.changed()
	a.mu.Lock()
	same := changed.Equal(a.seen)
	a.seen = changed
	l := a.login
	a.mu.Unlock()
	if same {
		return nil
	}
	there, err := a.client.Reload(ctx, a.server.URL)
	if there && l != nil {
		l.cancel()
	}
	return err
}

// run has the client get a token: without its user if that is possible, else by asking.
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
	for range 4 { // a request that was under way before may have found out again that a login is needed
		if err = a.client.Authorize(ctx, a.server.URL); !errors.Is(err, oauth.ErrLoginRequired) {
			return
		}
		a.mu.Lock()
		l.asking = true
		a.mu.Unlock()
	}
}

// asked is the login whose user is to be asked, nil for none.
func (a *account) asked() *login {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.login == nil || !a.login.asking {
		return nil
	}
	return a.login
}

// Begin implements oauth.Authorizer: nobody is asked but by a login.
func (a *account) Begin(ctx context.Context, wish string) (oauth.Login, error) {
	l := a.asked()
	if l == nil {
		return nil, errNeedsLogin
	}
	way := &oauth.Loopback{Prompt: func(string, error) {}, Open: func(ctx context.Context, page string) error {
		l.tell(page)
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

// patient is a way to the user and back that ends with its login.
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

// accountStore is the store of an account. Its lock keeps two processes from using one refresh token; it is not held while a user
// is asked, which may take minutes and happen in a terminal as well.
type accountStore struct {
	oauth.Store
	account *account
}

// Lock implements oauth.Locker.
func (s accountStore) Lock(ctx context.Context, key string) (unlock func(), err error) {
	locker, ok := s.Store.(oauth.Locker)
	if !ok || s.account.asked() != nil {
		return func() {}, nil
	}
	return locker.Lock(ctx, key)
}

// tell makes the page of a login known.
func (l *login) tell(page string) {
	select {
	case <-l.told: // a second attempt of the same login
	default:
		l.page = page
		close(l.told)
	}
}
