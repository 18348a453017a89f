package oauth

import (
	"net/http"
	"net/http/httptrace"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// watcher notes to what address a resource's requests go: how far the resource may point depends on where it is itself.
type watcher struct {
	session *session
	base    http.RoundTripper
}

// watched is base, and notes where the resource is.
func (s *session) watched(base http.RoundTripper) http.RoundTripper { return &watcher{s, base} }

// RoundTrip implements http.RoundTripper.
func (w *watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.proxied(req) {
		return w.base.RoundTrip(req) // the address would be the proxy's
	}
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Conn == nil {
			return
		}
		if r, ok := safehttp.ReachOf(info.Conn.RemoteAddr()); ok {
			w.session.noteReach(r)
		}
	}}
	return w.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}

func (w *watcher) proxied(req *http.Request) bool {
	find := http.ProxyFromEnvironment
	if t, ok := w.base.(*http.Transport); ok {
		find = t.Proxy
	}
	if find == nil {
		return false
	}
	proxy, err := find(req)
	return proxy != nil || err != nil
}
