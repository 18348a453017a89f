package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/safehttp"
)

// callback is the path that a Loopback answers at.
const callback = "/callback"

// Loopback is the Authorizer of a program on the user's machine (RFC 8252 §7.3): it opens a page in the user's browser, and
// listens on 127.0.0.1 for the way back until the page's answer has come.
type Loopback struct {
	// Host is what the redirect URL names: "127.0.0.1", the default, or "localhost", for authorization servers that do not accept
	// addresses.
	Host string
	// Port is the port to listen on. 0 is the one of the last registration if it is free, else any.
	Port int
	// Open shows a page to the user. Nil is OpenBrowser.
	Open func(ctx context.Context, page string) error
	// Prompt is told of the page before it is opened, and of the error if it cannot be. Nil writes to standard error what the user
	// needs if there is no browser.
	Prompt func(page string, err error)
}

// Begin implements Authorizer.
func (l *Loopback) Begin(_ context.Context, wish string) (Login, error) {
	if l.Host != "" && !safehttp.IsLocalName(l.Host) {
		return nil, fmt.Errorf("Loopback.Host is %q, which is not this machine", l.Host)
	}
	host := l.Host
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := l.listen(host, wish)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	r := &receiver{Loopback: l, host: net.JoinHostPort(host, port), asked: make(chan struct{}), answer: make(chan url.Values, 1)}
	r.server = &http.Server{
		Handler: r, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		IdleTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	r.serving.Go(func() { _ = r.server.Serve(listener) }) // it ends when it is closed
	return r, nil
}

// listen listens on the port that was used before, if it can be had.
func (l *Loopback) listen(host, wish string) (net.Listener, error) {
	port := l.Port
	if u, err := url.Parse(wish); err == nil && port == 0 && u.Hostname() == host && u.Path == callback {
		if n, err := strconv.Atoi(u.Port()); err == nil {
			if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(n))); err == nil {
				return listener, nil
			}
		}
	}
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// receiver waits for one answer.
type receiver struct {
	*Loopback
	host    string // with its port
	server  *http.Server
	serving group.Group

	state  string        // that the answer must have; set before asked
	asked  chan struct{} // closed when the page is known
	answer chan url.Values
}

// RedirectURL implements Login.
func (r *receiver) RedirectURL() string { return "http://" + r.host + callback }

// Authorize implements Login.
func (r *receiver) Authorize(ctx context.Context, page string) (url.Values, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the page for the login is no web page")
	}
	r.state = u.Query().Get("state")
	close(r.asked)
	prompt, show := r.Prompt, r.Open
	if prompt == nil {
		prompt = promptUser
	}
	if show == nil {
		show = OpenBrowser
	}
	prompt(page, nil)
	if err := show(ctx, page); err != nil {
		prompt(page, err)
	}
	select {
	case answer := <-r.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func promptUser(page string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "No browser could be opened (%v). Open the page above yourself, on this machine.\n", err)
		return
	}
	fmt.Fprintf(os.Stderr, "To log in, your browser opens this page:\n%s\n", page)
}

// ServeHTTP takes the browser's way back. What others send is not taken for it: another page could otherwise end the login, or put
// its own in the place of it.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	answer, err := url.ParseQuery(req.URL.RawQuery)
	switch {
	case req.Host != r.host:
		refusePage(w, http.StatusForbidden)
		return
	case req.URL.Path != callback:
		refusePage(w, http.StatusNotFound)
		return
	case req.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		refusePage(w, http.StatusMethodNotAllowed)
		return
	case err != nil || !r.expects(answer):
		refusePage(w, http.StatusBadRequest)
		return
	}
	select {
	case r.answer <- answer:
	default: // it has come before
	}
	_, _ = io.WriteString(w, "<!doctype html><title>Login</title><p>The program has the answer. You may close this window.</p>\n")
}

// expects reports whether an answer belongs to the page that was opened.
func (r *receiver) expects(answer url.Values) bool {
	select {
	case <-r.asked:
	default:
		return false
	}
	return r.state != "" && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) == 1
}

func refusePage(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>Login</title><p>This is not the answer that the program waits for.</p>\n")
}

// Close implements Login. The browser gets its page before.
func (r *receiver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		_ = r.server.Close()
	}
	r.serving.Wait()
	return nil
}
