package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

const (
	// loginTime is how long a user has for a login.
	loginTime = 10 * time.Minute
	// maxLogins bounds the logins that are under way.
	maxLogins = 200
	// maxAccounts is the number of accounts beyond which accounts that were idle for accountIdle are forgotten. Their tokens stay in the
	// store.
	maxAccounts = 1000
	accountIdle = 30 * time.Minute
)

// broker has the users of the gateway log in to servers that want OAuth, and keeps their tokens apart.
type broker struct {
	log *slog.Logger
	// store opens the store of the tokens. It is called once.
	store func(context.Context) (oauth.Store, error)
	// web has browsers come back to the gateway; nil: to a port of this machine.
	web *callbacks
	// oneShot says that the process does not last as long as a login takes: none is begun for calls.
	oneShot bool
	// show is told of the page of each login; nil for none.
	show func(ctx context.Context, page string)

	once     sync.Once
	opened   oauth.Store
	failed   error
	life     context.Context
	stop     context.CancelFunc
	running  group.Group
	mu       sync.Mutex
	closed   bool
	pending  int                              // logins under way
	accounts map[accountKey]*account          // of this run
	subjects lru.Cache[string, *auth.Subject] // the last access token of each principal that has shown one
}

func newBroker(log *slog.Logger, store func(context.Context) (oauth.Store, error)) *broker {
	b := &broker{log: log, store: store, accounts: make(map[accountKey]*account)}
	b.subjects.MaxEntries, b.subjects.MaxSize = maxAccounts, maxAccounts
	b.life, b.stop = context.WithCancel(context.Background())
	return b
}

// accountKey tells accounts apart: the same server with other settings is another one.
type accountKey struct {
	digest, principal string
	shared            bool
}

// identity is the Account of a principal in the store. Server and resource have their place in the key as well; the hash keeps odd
// names of principals from being taken for another key.
func identity(s mcpjson.Server, principal string, shared bool) string {
	h := sha256.New()
	for _, part := range []string{fmt.Sprint("shared ", shared), principal, s.Name, s.Rules.OAuth.Issuer} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// account returns the account of a principal at a server.
func (b *broker) account(ctx context.Context, s mcpjson.Server, principal string) (*account, error) {
	o := s.Rules.OAuth
	if o.IsShared() {
		principal = ""
	}
	if o.ClientID != "" && o.Issuer == "" {
		return nil, errors.New("\"oauth\" has a clientId, and also needs the issuer of this id")
	}
	b.once.Do(func() { b.opened, b.failed = b.store(ctx) })
	if b.failed != nil {
		return nil, fmt.Errorf("opening the store of logins: %w", b.failed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errors.New("the gateway is closed")
	}
	key := accountKey{s.Digest, principal, o.IsShared()}
	a := b.accounts[key]
	if a == nil {
		b.sweep()
		a = &account{broker: b, server: s, principal: principal}
		a.client = &oauth.Client{
			Name: "gateway", Scopes: o.Scopes, Store: accountStore{b.opened, a}, Account: identity(s, principal, o.IsShared()), Log: b.log,
			Authorizer: a, LoginTimeout: loginTime,
		}
		if o.ClientID != "" {
			a.client.Registered = map[string]oauth.Credentials{o.Issuer: {ClientID: o.ClientID, Secret: o.ClientSecret}}
		}
		switch {
		case o.Exchange: // the tokens end with the process, as the user has not agreed to keep them
			a.client.Grant, a.client.Store = oauth.Exchange{Subject: a.subject}, nil
		case !o.AsksUser():
			a.client.Grant = oauth.ClientCredentials{}
		}
		b.accounts[key] = a
	}
	a.used = time.Now()
	return a, nil
}

// changed is when the store was changed last, by this process or another: a login or logout in a terminal counts at once.
func (b *broker) changed() time.Time {
	sealed, ok := b.opened.(*oauth.Sealed)
	if !ok {
		return time.Time{}
	}
	info, err := os.Stat(sealed.Dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// sweep forgets accounts that were idle for long, if there are many. b.mu is held.
func (b *broker) sweep() {
	if len(b.accounts) < maxAccounts {
		return
	}
	for key, a := range b.accounts {
		if time.Since(a.used) > accountIdle && a.underWay() == nil {
			delete(b.accounts, key)
			b.running.Go(func() { _ = a.client.Close() }) // always nil
		}
	}
}

// transport sends the requests of a principal to a server with the tokens of its account.
func (b *broker) transport(s mcpjson.Server, principal string) (http.RoundTripper, error) {
	if _, err := b.account(b.life, s, principal); err != nil {
		return nil, err
	}
	return &traveller{b, s, principal}, nil
}

// traveller sends the requests of a principal to a server.
type traveller struct {
	broker    *broker
	server    mcpjson.Server
	principal string
}

// RoundTrip implements http.RoundTripper. A request does not wait for a login.
func (t *traveller) RoundTrip(req *http.Request) (*http.Response, error) {
	a, err := t.broker.account(req.Context(), t.server, t.principal)
	if err == nil {
		err = a.refresh(req.Context())
	}
	if err == nil && a.underWay() != nil {
		err = &oauth.Error{Resource: t.server.Name, Err: errNeedsLogin}
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	return a.client.Transport(a.server.URL, nil).RoundTrip(req)
}

// CloseIdleConnections does nothing for http.Client.CloseIdleConnections. All principals share the connections.
func (*traveller) CloseIdleConnections() {}

// login begins the login of a principal at a server, or returns the one that is under way.
func (b *broker) login(ctx context.Context, s mcpjson.Server, principal string) (*gateway.Login, error) {
	if s.Rules.OAuth.IsShared() && principal != "" {
		return nil, fmt.Errorf("all users share it; the operator of the gateway logs in with \"gateway login %s\"", s.Name)
	}
	if b.oneShot {
		return nil, fmt.Errorf("log in with \"gateway login %s\"", s.Name)
	}
	a, err := b.account(ctx, s, principal)
	if err != nil {
		return nil, err
	}
	l, err := a.begin(ctx)
	if err != nil {
		return nil, err
	}
	return &gateway.Login{Page: l.page, Ended: l.ended}, nil
}

func (b *broker) reserve() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.pending >= maxLogins {
		return errors.New("too many logins are in progress; try again later")
	}
	b.pending++
	return nil
}

// forget drops the login of a principal at a server.
func (b *broker) forget(ctx context.Context, s mcpjson.Server, principal string) error {
	a, err := b.account(ctx, s, principal)
	if err != nil {
		return err
	}
	return a.client.Forget(ctx, s.URL)
}

// close ends the accounts and their logins.
func (b *broker) close() error {
	b.stop()
	b.mu.Lock()
	b.closed = true
	all := b.accounts
	b.accounts = nil
	b.mu.Unlock()
	var failed []error
	for _, a := range all {
		failed = append(failed, a.client.Close())
	}
	b.running.Wait()
	return errors.Join(failed...)
}

// keepSubjects keeps the access token by which a principal was let in last, for exchanges. There is none unless the gateway was
// told to keep them.
func (b *broker) keepSubjects(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		if subject := auth.SubjectFrom(ctx); subject != nil && req.Peer.Principal != "" && req.Peer.Principal == protocol.PrincipalFrom(ctx) {
			b.mu.Lock()
			b.subjects.Put(req.Peer.Principal, subject, 1)
			b.mu.Unlock()
		}
		return next(ctx, req)
	}
}

// subject is the access token of the account's principal, for the issuer that has issued it.
func (a *account) subject(_ context.Context, issuer string) (string, error) {
	a.broker.mu.Lock()
	subject, _ := a.broker.subjects.Get(a.principal)
	a.broker.mu.Unlock()
	token, ok := subject.TokenFor(issuer)
	if !ok {
		return "", fmt.Errorf("come to the gateway with an access token of %s: %w", issuer, errNeedsLogin)
	}
	return token, nil
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func joined(errs ...error) error { return errors.Join(errs...) }
