package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ErrLoginNeeded reports that a user must log in first. Errors of Upstream.Connect, and of requests
// on its connections, wrap it. The upstream has not run the request. The upstream has the state
// NeedsLogin until a request finds a valid login.
var ErrLoginNeeded = errors.New("a user has to log in first")

// Login is a login of a user that is under way, see Upstream.Login.
type Login struct {
	// Page is the address that the user opens in a browser. It is secret: it is sent only to the
	// principal, by URL elicitation or in the error of a call. Empty if no page remains to be
	// opened.
	Page string
	// Ended is closed at the end of the login, after success or failure.
	Ended <-chan struct{}
}

// loginRetry is the time for which a missing login is not checked again.
const loginRetry = time.Second

// loginError is the error of a call that requires a login.
type loginError struct {
	upstream string
	why      string // beside the login that is missing; may be empty
	page     string // of the login under way; may be empty
	err      error
}

func (e *loginError) Error() string {
	text := fmt.Sprintf("the server %s needs a login", e.upstream)
	if e.why != "" {
		text += ": " + e.why
	}
	return text
}

// explain adds the cause to the error if no login page is known.
func (e *loginError) explain() {
	if e.err != nil {
		e.why = safeText(e.err.Error())
	}
}

// Unwrap returns why the login is needed.
func (e *loginError) Unwrap() error { return e.err }

// ErrorCode returns the code.
func (e *loginError) ErrorCode() string { return "NEEDS_LOGIN" }

// NextStep returns the next step.
func (e *loginError) NextStep() string {
	if e.page == "" {
		return "tell the user; call again once the login is done, or do without the server"
	}
	return "ask the user to open " + e.page + " in a browser and to log in there, then call again"
}

// awaitLogin waits until a request tries again after a missing login. began is the start of the
// attempt that failed with err. A login since then is tried at once.
func (m *member) awaitLogin(began time.Time, err error) {
	state := NeedsLogin
	m.mu.Lock()
	if !m.loggedInAt.Before(began) {
		state = Starting
	}
	m.checked = time.Now()
	m.retries.failed, m.retries.trying = 0, state == Starting
	if !m.retired {
		m.set(state, err) // in this critical section: a login after it finds the state
	}
	m.mu.Unlock()
	if state == NeedsLogin {
		m.log.Info("an upstream needs a login", "principal", m.principal, "reason", logText(err))
	}
	m.publish()
	if state == Starting {
		return
	}
	select {
	case <-m.wake:
	case <-m.life.Done():
	}
}

// retryLogin connects the upstream again if its login was missing some time ago. The caller holds
// m.mu.
func (m *member) retryLogin() {
	if m.status.State != NeedsLogin || time.Since(m.checked) < loginRetry || m.retired {
		return
	}
	m.set(Starting, nil)
	m.shown, m.goneAt, m.retries.trying = Starting, time.Time{}, true
	m.wake <- struct{}{} // has room: awaitLogin takes it before the state is NeedsLogin again
}

// loseLogin ends a connection whose login is no longer valid.
func (m *member) loseLogin(err error) {
	if m.live.Swap(nil) == nil {
		return // another request has found it too
	}
	select {
	case m.refused <- err:
	default:
	}
}

// forward forwards a request, with a login if necessary. repeatable is as in pass.
func (m *member) forward(ctx context.Context, req *protocol.Request, params []byte, repeatable bool) (protocol.Result, error) {
	return m.withLogin(ctx, req, func() (protocol.Result, error) { return m.pass(ctx, req, params, repeatable) })
}

// withLogin runs a call. If a login is required and the client can open pages, the user logs in and
// the call runs again.
func (m *member) withLogin(ctx context.Context, req *protocol.Request, call func() (protocol.Result, error)) (protocol.Result, error) {
	result, err := call()
	var missing *loginError
	if !errors.As(err, &missing) {
		return result, err
	}
	result, err = m.logIn(ctx, req, missing)
	if result != nil || err != nil {
		return result, err
	}
	if result, err = call(); errors.As(err, &missing) {
		return withoutLogin(req, missing)
	}
	return result, err
}

// withoutLogin returns the response to a request with a missing login. A client that requested a
// task receives a protocol error, because it cannot read an error result.
func withoutLogin(req *protocol.Request, missing *loginError) (protocol.Result, error) {
	if req.Method == "tools/call" {
		if wanted, _, err := wantedTask(req.Params, req.Meta.Revision); wanted == nil || err != nil {
			return mcp.ErrorResult(missing), nil
		}
	}
	return nil, protocol.Errorf(protocol.CodeInternal, "NEEDS_LOGIN: %s; %s", missing.Error(), missing.NextStep())
}

// logIn lets the user of a request log in. Without a result and an error, the request can be sent
// again.
func (m *member) logIn(ctx context.Context, req *protocol.Request, missing *loginError) (protocol.Result, error) {
	if m.up.Login == nil {
		missing.explain()
		return withoutLogin(req, missing)
	}
	login, err := m.up.Login(ctx, req.Peer.Principal)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		missing.why = safeText(err.Error())
		return withoutLogin(req, missing)
	}
	if missing.page = login.Page; missing.page == "" {
		return m.loggedIn(ctx, req, login, missing)
	}
	if !canOpenPages(req) || isResumed(ctx) { // a login that has failed is not repeated in one call
		return withoutLogin(req, missing)
	}
	if !m.announce(login) { // another call has told the page to the client
		return m.loggedIn(ctx, req, login, missing)
	}
	question, id := loginQuestion(m.up.Name, login.Page, req)
	if req.Asker == nil {
		state := loginState + base64.RawURLEncoding.EncodeToString([]byte(m.up.Name)) + "." + rand.Text()
		return &protocol.InputRequired{Requests: map[string]protocol.InputRequest{loginKey: question}, State: state}, nil
	}
	answers, err := req.Asker.Ask(ctx, map[string]protocol.InputRequest{loginKey: question})
	if err != nil || !isAccepted(answers[loginKey]) {
		m.announce(nil)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		missing.why = "the user did not open the page for it"
		return withoutLogin(req, missing)
	}
	result, err := m.loggedIn(ctx, req, login, missing)
	if result == nil && err == nil && req.Notify != nil {
		params := append(jsonx.AppendQuoted([]byte(`{"elicitationId":`), id), '}')
		_ = req.Notify(ctx, &protocol.RawNotification{Name: "notifications/elicitation/complete", Params: params}) // the call goes on without it
	}
	return result, err
}

// announce records that the page of a login is sent to a client; nil resets it. It returns false if
// the page was sent before.
func (m *member) announce(login *Login) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if login != nil && m.login != nil && m.login.Page == login.Page {
		return false
	}
	m.login = login
	return true
}

// loggedIn waits for the end of a login. A result or an error ends the request.
func (m *member) loggedIn(ctx context.Context, req *protocol.Request, login *Login, missing *loginError) (protocol.Result, error) {
	err := m.waitFor(ctx, login, missing)
	if err == error(missing) {
		return withoutLogin(req, missing)
	}
	return nil, err
}

// waitFor waits for the end of a login. The error is missing if the user takes too long.
func (m *member) waitFor(ctx context.Context, login *Login, missing *loginError) error {
	patience := time.NewTimer(m.g.opts.LoginWait)
	defer patience.Stop()
	select {
	case <-login.Ended:
		m.announce(nil)
		m.mu.Lock()
		m.checked, m.loggedInAt = time.Time{}, time.Now() // the next attempt is due
		m.mu.Unlock()
		return nil
	case <-patience.C:
		missing.why = "the user has not logged in yet"
		return missing
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.life.Done():
		return context.Cause(m.life)
	}
}

const (
	// loginKey is the key of the question that sends the user to the page of a login.
	loginKey = "login"
	// loginState begins the requestState of a request that waits for a login; the name of the upstream follows.
	loginState = "gwl1."
)

// canOpenPages reports whether the sender of a request can be asked to open a page.
func canOpenPages(req *protocol.Request) bool {
	if !mayAsk(req.Method) || req.Meta.Session() != nil && (req.Asker == nil || req.Meta.Revision < protocol.Rev20251125) {
		return false
	}
	elicitation := req.Meta.Capabilities().Elicitation
	return elicitation != nil && elicitation.URL != nil
}

// loginQuestion asks to open a page, with the id that revision 2025-11-25 wants of it.
func loginQuestion(upstream, page string, req *protocol.Request) (q protocol.InputRequest, id string) {
	params := jsonx.AppendQuoted([]byte(`{"mode":"url","message":`), "The server "+upstream+" needs you to log in.")
	params = jsonx.AppendQuoted(append(params, `,"url":`...), page)
	if !req.Meta.Revision.Modern() {
		id = rand.Text()
		params = jsonx.AppendQuoted(append(params, `,"elicitationId":`...), id)
	}
	return protocol.InputRequest{Method: "elicitation/create", Params: append(params, '}')}, id
}

// isAccepted reports whether the user has agreed to open a page.
func isAccepted(answer []byte) bool {
	members := jsonx.Object(answer)
	for len(answer) > 0 && answer[0] == '{' && members.Next() {
		if members.Name() == "action" {
			action, err := jsonx.Unquote(members.Value())
			return err == nil && mcp.Action(action) == mcp.Accept
		}
	}
	return false
}

type resumedKey struct{}

// isResumed reports whether the request of a context comes after a login that it has asked for.
func isResumed(ctx context.Context) bool { return ctx.Value(resumedKey{}) != nil }

// resumeLogin waits for the login that a client of 2026-07-28 comes back from, and returns the request without that. A result or an
// error ends the request.
func (v *view) resumeLogin(ctx context.Context, req *protocol.Request) (context.Context, *protocol.Request, protocol.Result, error) {
	if !mayAsk(req.Method) || !bytes.Contains(req.Params, []byte(loginState)) {
		return ctx, req, nil, nil
	}
	state, answers, err := readAnswers(req.Params)
	if err != nil || state == nil || !strings.HasPrefix(*state, loginState) {
		return ctx, req, nil, err
	}
	ctx = context.WithValue(ctx, resumedKey{}, true)
	name, _, _ := strings.Cut((*state)[len(loginState):], ".")
	upstream, _ := base64.RawURLEncoding.DecodeString(name)
	bare := *req
	bare.Params = []byte(withoutMembers(req.Params, "inputResponses", "requestState"))
	for _, m := range v.members {
		if m.up.Name != string(upstream) {
			continue
		}
		m.mu.Lock()
		login := m.login
		m.mu.Unlock()
		missing := &loginError{upstream: m.up.Name, err: ErrLoginNeeded}
		switch {
		case !isAccepted(answers[loginKey]):
			m.announce(nil)
			missing.why = "the user did not open the page for it"
			result, err := withoutLogin(req, missing)
			return ctx, req, result, err
		case login != nil:
			missing.page = login.Page
			result, err := m.loggedIn(ctx, req, login, missing)
			return ctx, &bare, result, err
		}
	}
	return ctx, &bare, nil, nil
}

// unlisted finds the upstream of a tool that no list has because its upstream lists nothing before a login; nil if there is none.
func (v *view) unlisted(tool string) *member {
	var owner *member
	longest := -1
	for _, m := range v.members {
		prefix := m.up.prefix(v.g.opts.Separator)
		status, lists := m.snapshot()
		if status.State == NeedsLogin && lists == nil && strings.HasPrefix(tool, prefix) && len(prefix) > longest && m.up.offers(tool[len(prefix):]) {
			owner, longest = m, len(prefix)
		}
	}
	return owner
}

// logInFirst starts the login of a call to an unlisted tool, so that the upstream can list its
// tools. Without a result and an error, the login succeeded.
func (m *member) logInFirst(ctx context.Context, req *protocol.Request, tool string) (protocol.Result, error) {
	if filter := m.g.opts.Filter; filter != nil {
		if err := filter(ctx, req, m.up.Name, mcp.Tool{Name: tool}); err != nil {
			return asResult(err)
		}
	}
	return m.logIn(ctx, req, m.missingLogin())
}

// missingLogin is the error of a call of an upstream that needs a login.
func (m *member) missingLogin() *loginError {
	status, _ := m.snapshot()
	return &loginError{upstream: m.up.Name, err: status.Err}
}

// LogIn lets a principal log in to an upstream and connects to it. After a nil error its tools can
// be used. ask receives the page that the user opens, unless there is none. The wait for the user
// begins when ask returns nil; see Options.LoginWait. An error with the code NEEDS_LOGIN means that
// the login is still missing.
func (g *Gateway) LogIn(ctx context.Context, principal, upstream string, ask func(page string) error) error {
	v, err := g.viewOf(principal)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(v.members, func(m *member) bool { return m.up.Name == upstream })
	if at < 0 {
		return &mcp.ToolError{Code: "UNKNOWN_SERVER", Message: fmt.Sprintf("there is no server %q", safeText(upstream)), Next: "use a name that the list of servers has"}
	}
	m := v.members[at]
	_, err = m.await(ctx)
	missing := new(loginError)
	if !errors.As(err, &missing) {
		return err
	}
	if m.up.Login == nil {
		missing.explain()
		return missing
	}
	login, err := m.up.Login(ctx, principal)
	if err != nil {
		missing.why = safeText(err.Error())
		return missing
	}
	if missing.page = login.Page; login.Page != "" {
		if err := ask(login.Page); err != nil {
			return err
		}
	}
	if err := m.waitFor(ctx, login, missing); err != nil {
		return err
	}
	_, err = m.await(ctx)
	return err
}
