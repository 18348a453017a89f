package origin_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/origin"
)

// request is one that came to a local address, empty for none that is known.
func request(local, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Host = host
	if local != "" {
		addr := net.Addr(&net.TCPAddr{IP: net.ParseIP(local), Port: 3000})
		if local == "unix" {
			addr = &net.UnixAddr{Name: "/run/s", Net: "unix"}
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestPolicy_Hosts(t *testing.T) {
	listed := origin.Policy{Hosts: []string{"Example.com", "exact.org:8443", "[2001:db8::1]", "192.0.2.7"}}
	for name, tc := range map[string]struct {
		policy      origin.Policy
		local, host string
		want        string // part of the error; empty: answered
	}{
		"localhost":                            {local: "127.0.0.1", host: "localhost:3000"},
		"localhost without a port":             {local: "127.0.0.1", host: "localhost"},
		"localhost in capitals":                {local: "127.0.0.1", host: "LOCALHOST:3000"},
		"another port, as behind a forwarder":  {local: "127.0.0.1", host: "localhost:9"},
		"the address":                          {local: "127.0.0.1", host: "127.0.0.1:3000"},
		"another loopback address":             {local: "127.0.0.1", host: "127.8.9.1:3000"},
		"IPv6":                                 {local: "::1", host: "[::1]:3000"},
		"IPv6 without a port":                  {local: "::1", host: "[::1]"},
		"IPv6, written out":                    {local: "::1", host: "[0:0:0:0:0:0:0:1]:3000"},
		"IPv4 in IPv6":                         {local: "127.0.0.1", host: "[::ffff:127.0.0.1]:3000"},
		"another loopback listener":            {local: "127.77.0.1", host: "evil.example:3000", want: `"evil.example:3000"`},
		"a rebound name":                       {local: "127.0.0.1", host: "evil.example:3000", want: "list the name in Hosts"},
		"a rebound name, IPv6":                 {local: "::1", host: "evil.example:3000", want: "evil.example"},
		"a name with the address in it":        {local: "127.0.0.1", host: "127.0.0.1.evil.example", want: "evil"},
		"a name with localhost in it":          {local: "127.0.0.1", host: "localhost.evil.example", want: "evil"},
		"a name below localhost":               {local: "127.0.0.1", host: "evil.localhost", want: "evil"},
		"a foreign address":                    {local: "127.0.0.1", host: "192.0.2.7:3000", want: "192.0.2.7"},
		"all addresses":                        {local: "127.0.0.1", host: "0.0.0.0:3000", want: "0.0.0.0"},
		"the address as one number":            {local: "127.0.0.1", host: "2130706433", want: "2130706433"},
		"the address in short":                 {local: "127.0.0.1", host: "127.1:3000", want: "127.1"},
		"no name":                              {local: "127.0.0.1", host: "", want: "missing or malformed"},
		"a port alone":                         {local: "127.0.0.1", host: ":3000", want: "malformed"},
		"a port that is none":                  {local: "127.0.0.1", host: "localhost:x", want: "malformed"},
		"a name and an empty port":             {local: "127.0.0.1", host: "localhost:", want: "malformed"},
		"a user":                               {local: "127.0.0.1", host: "localhost:3000@evil.example", want: "malformed"},
		"a path":                               {local: "127.0.0.1", host: "localhost/evil.example", want: "malformed"},
		"two names":                            {local: "127.0.0.1", host: "localhost, evil.example", want: "malformed"},
		"bare IPv6":                            {local: "::1", host: "::1", want: "malformed"},
		"brackets round a name":                {local: "127.0.0.1", host: "[localhost]:3000", want: "malformed"},
		"a bracket alone":                      {local: "127.0.0.1", host: "[::1", want: "malformed"},
		"a long name is not repeated":          {local: "127.0.0.1", host: strings.Repeat("x", 5000), want: "x…\""},
		"a foreign interface":                  {local: "192.0.2.7", host: "whatever.example"},
		"a Unix socket":                        {local: "unix", host: "whatever"},
		"no known address":                     {host: "whatever.example"},
		"a listed name":                        {policy: listed, local: "127.0.0.1", host: "example.com"},
		"a listed name with any port":          {policy: listed, local: "192.0.2.7", host: "EXAMPLE.com:8080"},
		"a listed name and port":               {policy: listed, local: "192.0.2.7", host: "exact.org:8443"},
		"a listed name, another port":          {policy: listed, local: "192.0.2.7", host: "exact.org:8080", want: "exact.org"},
		"a listed address":                     {policy: listed, local: "192.0.2.7", host: "192.0.2.7:3000"},
		"a listed IPv6 address":                {policy: listed, local: "2001:db8::1", host: "[2001:db8::1]:3000"},
		"an unlisted name on every interface":  {policy: listed, local: "192.0.2.7", host: "evil.example", want: "evil.example"},
		"localhost on another interface":       {policy: listed, local: "192.0.2.7", host: "localhost", want: "localhost"},
		"localhost beside the list":            {policy: listed, local: "127.0.0.1", host: "localhost:3000"},
		"any name, when that is asked for":     {policy: origin.Policy{Hosts: []string{"*"}}, local: "127.0.0.1", host: "proxied.example"},
		"a malformed entry allows nothing":     {policy: origin.Policy{Hosts: []string{"", "a b", "["}}, local: "127.0.0.1", host: "a", want: `"a"`},
		"what is no list entry of the machine": {policy: origin.Policy{Hosts: []string{"example.com"}}, host: "", want: "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, tc.policy, request(tc.local, tc.host), tc.want)
		})
	}
}

func TestPolicy_Origins(t *testing.T) {
	listed := origin.Policy{Origins: []string{"https://App.example.com", "http://localhost:5173", "vscode-webview://abc", "null", "nonsense"}}
	for name, tc := range map[string]struct {
		policy  origin.Policy
		host    string // default localhost:3000
		tls     bool
		headers []string
		want    string // part of the error; empty: allowed
	}{
		"no Origin":                              {},
		"the server's own":                       {headers: []string{"Origin", "http://localhost:3000"}},
		"the server's own, in capitals":          {headers: []string{"Origin", "HTTP://LOCALHOST:3000"}},
		"the server's own, at the usual port":    {host: "localhost", headers: []string{"Origin", "http://localhost"}},
		"the usual port, named":                  {host: "localhost:80", headers: []string{"Origin", "http://localhost"}},
		"the usual port, named by the page":      {host: "localhost", headers: []string{"Origin", "http://localhost:80"}},
		"the server's own, TLS":                  {tls: true, headers: []string{"Origin", "https://localhost:3000"}},
		"TLS that a proxy has ended":             {headers: []string{"Origin", "https://localhost:3000"}},
		"the same name without TLS":              {tls: true, host: "localhost", headers: []string{"Origin", "http://localhost"}, want: "add the origin to Origins"},
		"IPv6":                                   {host: "[::1]:3000", headers: []string{"Origin", "http://[::1]:3000"}},
		"another port":                           {headers: []string{"Origin", "http://localhost:5000"}, want: `"http://localhost:5000"`},
		"another name of the machine":            {headers: []string{"Origin", "http://127.0.0.1:3000"}, want: "127.0.0.1"},
		"another site":                           {headers: []string{"Origin", "https://evil.example"}, want: "evil.example"},
		"another scheme":                         {headers: []string{"Origin", "ftp://localhost:3000"}, want: "ftp"},
		"a page without a site":                  {headers: []string{"Origin", "null"}, want: `"null"`},
		"an empty Origin":                        {headers: []string{"Origin", ""}, want: "malformed"},
		"an Origin without a scheme":             {headers: []string{"Origin", "localhost:3000"}, want: "malformed"},
		"an Origin with a path":                  {headers: []string{"Origin", "http://localhost:3000/"}, want: "malformed"},
		"an Origin with a query":                 {headers: []string{"Origin", "http://localhost:3000?"}, want: "malformed"},
		"an Origin with a user":                  {headers: []string{"Origin", "http://me@localhost:3000"}, want: "malformed"},
		"an Origin with blanks":                  {headers: []string{"Origin", "http://localhost:3000 http://evil.example"}, want: "malformed"},
		"an Origin that is no text":              {headers: []string{"Origin", "http://\x00"}, want: "malformed"},
		"an Origin without a host":               {headers: []string{"Origin", "http://:3000"}, want: "malformed"},
		"two Origins":                            {headers: []string{"Origin", "http://localhost:3000", "Origin", "http://evil.example"}, want: "more than one"},
		"a listed site":                          {policy: listed, headers: []string{"Origin", "https://app.example.com"}},
		"a listed site at its usual port":        {policy: listed, headers: []string{"Origin", "https://app.example.com:443"}},
		"a listed site at another port":          {policy: listed, headers: []string{"Origin", "https://app.example.com:8443"}, want: "8443"},
		"a listed site without TLS":              {policy: listed, headers: []string{"Origin", "http://app.example.com"}, want: "http://app"},
		"a site below a listed one":              {policy: listed, headers: []string{"Origin", "https://x.app.example.com"}, want: "x.app"},
		"a listed page of a program":             {policy: listed, headers: []string{"Origin", "vscode-webview://abc"}},
		"a listed local page":                    {policy: listed, headers: []string{"Origin", "http://localhost:5173"}},
		"a listed page without a site":           {policy: listed, headers: []string{"Origin", "null"}},
		"any site, when that is asked for":       {policy: origin.Policy{Origins: []string{"*"}}, headers: []string{"Origin", "https://evil.example"}},
		"the browser says it is the site's own":  {headers: []string{"Sec-Fetch-Site", "same-origin"}},
		"the browser says the user asked for it": {headers: []string{"Sec-Fetch-Site", "none"}},
		"the browser says it is another's":       {headers: []string{"Sec-Fetch-Site", "cross-site"}, want: "other sites"},
		"the browser says it is a neighbour's":   {headers: []string{"Sec-Fetch-Site", "same-site"}, want: "other sites"},
		"another's, when all may":                {policy: origin.Policy{Origins: []string{"*"}}, headers: []string{"Sec-Fetch-Site", "cross-site"}},
		"another's, which is listed":             {policy: listed, headers: []string{"Origin", "https://app.example.com", "Sec-Fetch-Site", "cross-site"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := tc.host
			if host == "" {
				host = "localhost:3000"
			}
			r := request("127.0.0.1", host, tc.headers...)
			if tc.tls {
				r.TLS = new(tls.ConnectionState)
			}
			check(t, tc.policy, r, tc.want)
		})
	}
}

func check(t *testing.T, p origin.Policy, r *http.Request, want string) {
	t.Helper()
	switch err := p.Check(r); {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("allowed, want an error with %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("refused with %q, want %q in it", err, want)
	case err != nil && len(err.Error()) > 300:
		t.Errorf("the error repeats %d bytes", len(err.Error()))
	}
}

// Whatever the headers are, the check ends, and a name or page that it lets
// pass is one of this machine.
func FuzzCheck(f *testing.F) {
	f.Add("localhost:3000", "http://localhost:3000")
	f.Add("[::1]:3000", "http://[::1]:3000")
	f.Add("evil.example", "null")
	f.Add("localhost@evil", "http://localhost:3000#")
	var policy origin.Policy
	f.Fuzz(func(t *testing.T, host, page string) {
		if policy.Check(request("127.0.0.1", host, "Origin", page)) != nil {
			return
		}
		name := strings.ToLower(host)
		if h, _, err := net.SplitHostPort(name); err == nil {
			name = h
		}
		if ip := net.ParseIP(strings.Trim(name, "[]")); name != "localhost" && (ip == nil || !ip.IsLoopback()) && !strings.Contains(name, "%") {
			t.Errorf("the name %q was answered", host)
		}
		if !strings.Contains(strings.ToLower(page), name) {
			t.Errorf("the page %q may use %q", page, host)
		}
	})
}

func TestForbid(t *testing.T) {
	w := httptest.NewRecorder()
	policy := origin.Policy{}
	origin.Forbid(w, policy.Check(request("127.0.0.1", `"evil"`)))
	var body struct {
		JSONRPC string
		ID      *int
		Error   struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusForbidden || body.JSONRPC != "2.0" || body.ID != nil || body.Error.Code != -32600 || !strings.Contains(body.Error.Message, "Forbidden: ") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}
