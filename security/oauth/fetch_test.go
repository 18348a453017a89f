package oauth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// Proxies of the environment may have any address. Targets behind a proxy are checked by name,
// because the proxy resolves them.
func TestExternalTransport_Proxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := &fetcher{external: newExternalTransport(safehttp.Public, func(*http.Request) (*url.URL, error) { return at, nil })}
	if _, err := f.get(t.Context(), "https://as.example.com/x", nil); err == nil {
		t.Error("the proxy has answered")
	}
	if want := []string{"CONNECT as.example.com:443"}; !slices.Equal(asked, want) {
		t.Errorf("the proxy was asked for %q", asked)
	}
	for _, inside := range []string{"https://10.0.0.1/x", "https://localhost/x", "https://169.254.169.254/x"} {
		if _, err := f.get(t.Context(), inside, nil); !errors.Is(err, ErrRefusedAddress) {
			t.Errorf("%s: %v", inside, err)
		}
	}
	broken := errors.New("no proxy")
	f.external = newExternalTransport(safehttp.Any, func(*http.Request) (*url.URL, error) { return nil, broken })
	if _, err := f.get(t.Context(), "https://as.example.com/x", nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// Callers recognize a refused address by ErrRefusedAddress.
func TestDialControl_RefusedAddress(t *testing.T) {
	for _, address := range []string{"10.0.0.1:443", "[::1]:443", "/run/socket"} {
		if err := dialControl(safehttp.Public)("tcp", address, nil); !errors.Is(err, ErrRefusedAddress) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := dialControl(safehttp.Private)("tcp", "10.0.0.1:443", nil); err != nil {
		t.Error(err)
	}
}

// Where a resource is decides where it may point, unless that is a proxy's address.
func TestReachObserver_Proxy(t *testing.T) {
	here := httptest.NewServer(http.NotFoundHandler())
	defer here.Close()
	proxy, err := url.Parse(here.URL)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, here.Listener.Addr().String())
	}
	for name, tc := range map[string]struct {
		base   http.RoundTripper
		placed bool
		want   safehttp.Reach
	}{
		"directly":        {&http.Transport{DisableKeepAlives: true, DialContext: dial}, true, safehttp.Local},
		"through a proxy": {&http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(proxy)}, false, safehttp.Public},
		"in another way":  {silent{}, false, safehttp.Public},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session{}
			resp, err := s.observeReach(tc.base).RoundTrip(httptest.NewRequest(http.MethodGet, "http://mcp.example.com/", nil).WithContext(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if s.reach != tc.want || s.hasObservedReach() != tc.placed {
				t.Errorf("%d, %v", s.reach, s.hasObservedReach())
			}
		})
	}
}

// silent is a transport that tells nothing of its connections.
type silent struct{}

func (silent) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}
