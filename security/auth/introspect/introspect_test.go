package introspect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"
	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/introspect"
)

func TestMain(m *testing.M) { testleak.Main(m) }

const resource = "https://mcp.example.com/mcp"

// verifier asks a server, and remembers nothing.
func verifier(t *testing.T, s *authtest.Server) *introspect.Verifier {
	t.Helper()
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &introspect.Verifier{
		URL: s.URL + authtest.IntrospectPath, Issuer: s.URL, Audiences: []string{resource}, Cache: -1,
		ClientID: authtest.ClientID, ClientSecret: s.Secret(), HTTP: &http.Client{Transport: transport},
	}
}

func TestVerifier_Grant(t *testing.T) {
	s := authtest.New(t)
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	for name, tc := range map[string]struct {
		answer map[string]any
		any    bool // the audience may be missing
		want   auth.Grant
	}{
		"a user's":            {map[string]any{"active": true, "sub": "alice", "client_id": "web", "scope": "a b", "aud": resource, "exp": expires.Unix(), "iss": s.URL}, false, auth.Grant{Principal: s.URL + "#alice", ClientID: "web", Permissions: []string{"a", "b"}, Expires: expires}},
		"a client's own":      {map[string]any{"active": true, "client_id": "web", "aud": []string{"x", resource}}, false, auth.Grant{Principal: s.URL + "?client_id=web", ClientID: "web"}},
		"one bound to a key":  {map[string]any{"active": true, "sub": "alice", "aud": resource, "token_type": "DPoP", "cnf": map[string]any{"jkt": "x"}}, false, auth.Grant{Principal: s.URL + "#alice", Confirmation: "x"}},
		"one for who may ask": {map[string]any{"active": true, "sub": "alice"}, true, auth.Grant{Principal: s.URL + "#alice"}},
	} {
		t.Run(name, func(t *testing.T) {
			token := "token-" + name
			s.Answer(token, tc.answer)
			v := verifier(t, s)
			v.NoAudience = tc.any
			got, err := v.Verify(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Limited, tc.want.Issuer = true, s.URL
			if diff := testdiff.Diff(&tc.want, got); diff != "" {
				t.Errorf("want - got +:\n%s", diff)
			}
		})
	}
}

func TestVerifier_InvalidTokens(t *testing.T) {
	s := authtest.New(t)
	for name, tc := range map[string]struct {
		answer map[string]any
		want   string
	}{
		"one that is not known":     {nil, "reports it as not active"},
		"one that was withdrawn":    {map[string]any{"active": false, "sub": "alice", "aud": resource}, "reports it as not active"},
		"active as a text":          {map[string]any{"active": "true", "sub": "alice", "aud": resource}, "reports it as not active"},
		"active in capitals":        {map[string]any{"ACTIVE": true, "sub": "alice", "aud": resource}, "reports it as not active"},
		"one for another server":    {map[string]any{"active": true, "sub": "alice", "aud": "https://other.example.com"}, "another server"},
		"one for nobody":            {map[string]any{"active": true, "sub": "alice"}, "another server"},
		"one of another issuer":     {map[string]any{"active": true, "sub": "alice", "aud": resource, "iss": "https://other.example.com"}, "another issuer"},
		"an issuer that is a list":  {map[string]any{"active": true, "sub": "alice", "aud": resource, "iss": []string{s.URL}}, "another issuer"},
		"one of nobody":             {map[string]any{"active": true, "aud": resource}, "neither a subject nor a client"},
		"one that ends some day":    {map[string]any{"active": true, "sub": "alice", "aud": resource, "exp": "tomorrow"}, "no time"},
		"bound to a certificate":    {map[string]any{"active": true, "sub": "alice", "aud": resource, "cnf": map[string]any{"x5t#S256": "x"}}, "other than a key"},
		"bound to nothing that is":  {map[string]any{"active": true, "sub": "alice", "aud": resource, "token_type": "dpop"}, "does not say to which"},
		"a type that is no text":    {map[string]any{"active": true, "sub": "alice", "aud": resource, "token_type": 1}, "does not say to which"},
		"scopes that are an object": {map[string]any{"active": true, "sub": "alice", "aud": resource, "scope": map[string]any{}}, "scope is neither"},
	} {
		token := "secret-token-" + strings.ReplaceAll(name, " ", "-")
		s.Answer(token, tc.answer)
		grant, err := verifier(t, s).Verify(t.Context(), token)
		if !errors.Is(err, auth.ErrInvalidToken) || !strings.Contains(err.Error(), tc.want) || grant != nil || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %+v, %v; want %q", name, grant, err, tc.want)
		}
	}
}

// That nothing can be said of a token is another thing than that it does not count.
func TestVerifier_ServerErrors(t *testing.T) {
	s := authtest.New(t)
	s.Answer("token", map[string]any{"active": true, "sub": "alice", "aud": resource})
	check := func(name, want string, change func(*introspect.Verifier)) {
		t.Helper()
		v := verifier(t, s)
		change(v)
		_, err := v.Verify(t.Context(), "token")
		if want == "" && err != nil || want != "" && (!errors.Is(err, auth.ErrUnavailable) || errors.Is(err, auth.ErrInvalidToken) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err != nil && strings.Contains(err.Error(), s.Secret()) {
			t.Errorf("%s: the error shows the secret", name)
		}
	}
	check("in order", "", func(*introspect.Verifier) {})
	check("a wrong secret", "status 401", func(v *introspect.Verifier) { v.ClientSecret = "other" })
	check("another page", "status 404", func(v *introspect.Verifier) { v.URL = s.URL + "/other" })
	check("an authentication that fails", "the key is gone", func(v *introspect.Verifier) {
		v.Authenticate = func(*http.Request) error { return errors.New("the key is gone") }
		v.ClientID = ""
	})
	check("another way of authentication", "", func(v *introspect.Verifier) {
		id, secret := v.ClientID, "s3cret%3Aof+the+server"
		v.Authenticate = func(r *http.Request) error { r.SetBasicAuth(id, secret); return nil }
		v.ClientID = ""
	})
	s.Down(true)
	check("one that is down", "status 503", func(*introspect.Verifier) {})
	s.Close()
	check("one that is gone", "dial tcp", func(*introspect.Verifier) {})
}

func TestVerifier_Err(t *testing.T) {
	good := introspect.Verifier{URL: "https://h.example/i", Issuer: "https://h.example", Audiences: []string{"x"}, ClientID: "a"}
	for name, tc := range map[string]struct {
		change func(*introspect.Verifier)
		want   string
	}{
		"no URL":      {func(v *introspect.Verifier) { v.URL = "" }, "the URL that is asked"},
		"a plain URL": {func(v *introspect.Verifier) { v.URL = "http://h.example/i" }, "not encrypted"},
		"no issuer":   {func(v *introspect.Verifier) { v.Issuer = "" }, "the issuer"},
		"no audience": {func(v *introspect.Verifier) { v.Audiences = nil }, "no audience"},
		"no client":   {func(v *introspect.Verifier) { v.ClientID = "" }, "either a ClientID or Authenticate"},
		"two of them": {func(v *introspect.Verifier) { v.Authenticate = func(*http.Request) error { return nil } }, "either a ClientID or Authenticate"},
	} {
		v := &introspect.Verifier{URL: good.URL, Issuer: good.Issuer, Audiences: good.Audiences, ClientID: good.ClientID}
		tc.change(v)
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if _, err := v.Verify(context.Background(), "token"); err == nil || errors.Is(err, auth.ErrInvalidToken) {
			t.Errorf("%s: a token is judged: %v", name, err)
		}
	}
}

// answering answers requests without a network.
type answering struct {
	asked, most, now atomic.Int64
	hold             chan struct{}
	answer           func(token string) string
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked.Add(1)
	if now := a.now.Add(1); now > a.most.Load() {
		a.most.Store(now)
	}
	defer a.now.Add(-1)
	if a.hold != nil {
		select {
		case <-a.hold:
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	body := a.answer(r.PostFormValue("token"))
	if body == "panic" {
		panic("broken")
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func offline(a *answering) *introspect.Verifier {
	return &introspect.Verifier{
		URL: "https://h.example/i", Issuer: "https://h.example", Audiences: []string{resource}, ClientID: "a",
		HTTP: &http.Client{Transport: a},
	}
}

func active(more string) func(string) string {
	return func(string) string { return `{"active":true,"sub":"alice","aud":"` + resource + `"` + more + `}` }
}

// An answer is believed for a minute, no longer than its token, and a bad one less.
func TestVerifier_Cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exp := fmt.Sprint(`,"exp":`, time.Now().Add(30*time.Second).Unix())
		for name, tc := range map[string]struct {
			answer func(string) string
			cache  time.Duration
			asked  []int64 // after 0, 5, 11, 31, 59 and 61 seconds
		}{
			"a good one":             {active(""), 0, []int64{1, 1, 1, 1, 1, 2}},
			"one for too long":       {active(""), time.Hour, []int64{1, 1, 1, 1, 1, 2}},
			"one for a short while":  {active(""), 10 * time.Second, []int64{1, 1, 2, 3, 4, 4}},
			"one that is not kept":   {active(""), -1, []int64{1, 2, 3, 4, 5, 6}},
			"one that ends":          {active(exp), 0, []int64{1, 1, 1, 2, 3, 4}},
			"one of a wrong token":   {func(string) string { return `{"active":false}` }, 0, []int64{1, 1, 2, 3, 4, 4}},
			"none":                   {func(string) string { return `{` }, 0, []int64{1, 2, 3, 4, 5, 6}},
			"what is no JSON object": {func(string) string { return `[]` }, 0, []int64{1, 2, 3, 4, 5, 6}},
		} {
			a := &answering{answer: tc.answer}
			v := offline(a)
			v.Cache = tc.cache
			begin := time.Now()
			if name == "one that ends" { // as seen by every loop
				a.answer = active(fmt.Sprint(`,"exp":`, begin.Add(30*time.Second).Unix()))
			}
			for i, after := range []time.Duration{0, 5, 11, 31, 59, 61} {
				time.Sleep(time.Until(begin.Add(after * time.Second)))
				_, err := v.Verify(t.Context(), "token")
				if got := a.asked.Load(); got != tc.asked[i] {
					t.Errorf("%s: after %d s it was asked %d times, want %d (%v)", name, after, got, tc.asked[i], err)
				}
			}
		}
	})
}

// A caller can change its grant without an effect on other callers.
func TestVerifier_GrantIsCopy(t *testing.T) {
	v := offline(&answering{answer: active("")})
	for range 2 {
		g, err := v.Verify(t.Context(), "token")
		if err != nil || g.Principal != "https://h.example#alice" {
			t.Fatalf("%+v, %v", g, err)
		}
		g.Principal, g.Limited = "root", false
	}
}

// Concurrent calls with a token share one request, cancellation affects one caller, and the number
// of requests is limited.
func TestVerifier_SharedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answering{answer: active(""), hold: make(chan struct{})}
		v := offline(a)
		errs := make(chan error, 100)
		first, leave := context.WithCancel(t.Context())
		for i := range 20 {
			ctx := t.Context()
			if i == 0 {
				ctx = first
			}
			go func() { _, err := v.Verify(ctx, "token"); errs <- err }()
			synctest.Wait()
		}
		leave()
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := v.Verify(impatient, "token"); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("who gives up: %v", err)
		}
		for i := range 60 {
			go func() { _, err := v.Verify(t.Context(), fmt.Sprint("token", i)); errs <- err }()
		}
		synctest.Wait()
		if n := a.now.Load(); n != 32 {
			t.Errorf("%d questions at once", n)
		}
		close(a.hold)
		failed := 0
		for range 80 {
			if err := <-errs; err != nil {
				failed++
			}
		}
		if failed > 1 || a.asked.Load() != 61 { // only the cancelled first call
			t.Errorf("%d failed of 80; %d questions", failed, a.asked.Load())
		}
	})
}

func TestVerifier_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := offline(&answering{answer: active(""), hold: make(chan struct{})})
		errs := make(chan error, 40)
		begin := time.Now()
		for i := range 40 {
			go func() { _, err := v.Verify(t.Context(), fmt.Sprint("token", i)); errs <- err }()
		}
		for range 40 {
			if err := <-errs; !errors.Is(err, auth.ErrUnavailable) {
				t.Error(err)
			}
		}
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// Invalid tokens do not evict valid ones, and a panic does not block other callers.
func TestVerifier_ManyInvalidTokens(t *testing.T) {
	a := &answering{answer: func(token string) string {
		switch {
		case token == "panic":
			return "panic"
		case strings.HasPrefix(token, "good"):
			return active("")("")
		}
		return `{"active":false}`
	}}
	v := offline(a)
	v.MaxCached = 100
	verify := func(token string) error { _, err := v.Verify(t.Context(), token); return err }
	if err := verify("good"); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := verify(fmt.Sprint("bad", i)); !errors.Is(err, auth.ErrInvalidToken) {
			t.Fatal(err)
		}
	}
	before := a.asked.Load()
	if err := verify("good"); err != nil || a.asked.Load() != before {
		t.Errorf("%v; asked again: %v", err, a.asked.Load() != before)
	}
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = verify("panic")
		}()
	}
}
