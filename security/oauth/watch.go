package oauth

import (
	"net/http"
	"net/http/httptrace"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// reachObserver records the address of the resource. The addresses that the resource may refer to
// depend on it.
type reachObserver struct {
	session *session
	base    http.RoundTripper
}

// observeReach returns base with a reachObserver around it.
func (s *session) observeReach(base http.RoundTripper) http.RoundTripper {
	return &reachObserver{s, base}
}

// RoundTrip implements http.RoundTripper.
func (w *reachObserver) RoundTrip(req *http.Request) (*http.Response, error) { // the connection has the address of the proxy
	if w.usesProxy(req) {
		return w.base.RoundTrip(req) // the address would be the proxy's
	}
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Conn == nil {
			return
		}
		if r, ok := safehttp.ReachOf(info.Conn.RemoteAddr()); ok {
			w.session.setReach(r)
		}
	}}
	return w.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}

func (w *reachObserver) usesProxy(req *http.Request) bool {
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
