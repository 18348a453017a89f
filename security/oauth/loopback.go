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

// callbackPath is the path of the redirect URL.
const callbackPath = "/callback"

// Loopback is the Authorizer of a program on the user's machine (RFC 8252 §7.3). It opens the login
// page in the user's browser and receives the response on a temporary HTTP server at 127.0.0.1.
type Loopback struct {
	// Host is the host name of the redirect URL: "127.0.0.1" (default) or "localhost", for
	// authorization servers that reject IP addresses.
	Host string
	// Port is the port of the HTTP server. 0 selects the port of the previous registration if it is
	// free, otherwise any free port.
	Port int
	// Open shows a page to the user. Default OpenBrowser.
	Open func(ctx context.Context, page string) error
	// Prompt receives the page before it is opened, with a nil error. If opening fails, Prompt is
	// called again with the error. The default writes the address to standard error.
	Prompt func(page string, err error)
}

// Begin implements Authorizer. It starts the HTTP server; Login.Close ends it.
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
	r := &receiver{Loopback: l, host: net.JoinHostPort(host, port), opened: make(chan struct{}), answer: make(chan url.Values, 1)}
	r.server = &http.Server{
		Handler: r, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		IdleTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	r.serving.Go(func() { _ = r.server.Serve(listener) }) // returns after Shutdown or Close
	return r, nil
}

// listen listens on l.Port. If it is 0, the port of the previous redirect URL is tried first.
func (l *Loopback) listen(host, wish string) (net.Listener, error) {
	port := l.Port
	if u, err := url.Parse(wish); err == nil && port == 0 && u.Hostname() == host && u.Path == callbackPath {
		if n, err := strconv.Atoi(u.Port()); err == nil {
			if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(n))); err == nil {
				return listener, nil
			}
		}
	}
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// receiver is a Login of a Loopback. It accepts one response.
type receiver struct {
	*Loopback
	host    string // host and port of the redirect URL
	server  *http.Server
	serving group.Group

	state  string        // required state of the response; written before opened is closed
	opened chan struct{} // closed when the login page is set
	answer chan url.Values
}

// RedirectURL implements Login.
func (r *receiver) RedirectURL() string { return "http://" + r.host + callbackPath }

// Authorize implements Login.
func (r *receiver) Authorize(ctx context.Context, page string) (url.Values, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the page for the login is no web page")
	}
	r.state = u.Query().Get("state")
	close(r.opened)
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

// ServeHTTP handles the redirect of the browser. It rejects requests with another state, because
// another page could otherwise end the login or inject its own response.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	answer, err := url.ParseQuery(req.URL.RawQuery)
	switch {
	case req.Host != r.host:
		writeErrorPage(w, http.StatusForbidden)
		return
	case req.URL.Path != callbackPath:
		writeErrorPage(w, http.StatusNotFound)
		return
	case req.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		writeErrorPage(w, http.StatusMethodNotAllowed)
		return
	case err != nil || !r.isExpected(answer):
		writeErrorPage(w, http.StatusBadRequest)
		return
	}
	select {
	case r.answer <- answer:
	default: // a response was received before
	}
	_, _ = io.WriteString(w, "<!doctype html><title>Login</title><p>The program has the answer. You may close this window.</p>\n")
}

// isExpected reports whether the response has the state of the opened page.
func (r *receiver) isExpected(answer url.Values) bool {
	select {
	case <-r.opened:
	default:
		return false
	}
	return r.state != "" && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) == 1
}

func writeErrorPage(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>Login</title><p>This is not the answer that the program waits for.</p>\n")
}

// Close implements Login. It waits up to one second for the browser to receive its page.
func (r *receiver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		_ = r.server.Close()
	}
	r.serving.Wait()
	return nil
}
