package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security/oauth"
)

// refreshes are the refresh tokens that the token endpoint got.
func (s *server) refreshes() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, form := range s.forms {
		if form.Get("grant_type") == "refresh_token" {
			all = append(all, form.Get("refresh_token"))
		}
	}
	return all
}

// A token is replaced before it ends, by the refresh token that came last.
func TestRefresh_BeforeExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		transport := w.client().Transport(resourceURL, w)
		for range 3 {
			if status, body := get(t, transport); status != 200 {
				t.Fatalf("%d: %s", status, body)
			}
			time.Sleep(time.Hour - 29*time.Second)
		}
		got := as.refreshes()
		if len(as.authorized) != 1 || len(got) != 2 || got[0] == got[1] {
			t.Errorf("%d logins, refreshed by %q", len(as.authorized), got)
		}
		for _, form := range as.forms[1:] {
			if form.Get("resource") != resourceURL || form.Get("client_id") != "client-1" {
				t.Errorf("refreshed with %v", form)
			}
		}
		if w.count("POST "+resourceURL) != 4 { // none was refused but the first
			t.Errorf("%d requests", w.count("POST "+resourceURL))
		}
	})
}

// A server may keep its refresh token, and a short life is not made shorter by half a minute.
func TestRefresh_TokenKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
			body := as.issue(nil)
			body["expires_in"] = "20"
			if form.Get("grant_type") == "refresh_token" {
				delete(body, "refresh_token")
			}
			return 200, body
		}
		transport := w.client().Transport(resourceURL, w)
		for range 4 {
			get(t, transport)
			time.Sleep(10 * time.Second)
		}
		if got := as.refreshes(); len(got) != 1 {
			t.Errorf("refreshed by %q", got)
		}
		time.Sleep(10 * time.Second)
		get(t, transport)
		if got := as.refreshes(); len(got) != 2 || got[0] != got[1] {
			t.Errorf("refreshed by %q", got)
		}
	})
}

// When refreshing fails.
func TestRefresh_Failure(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		code    string
		wait    time.Duration
		want    int
		logins  int
		refused int // requests that the resource refuses
	}{
		"for good, before the end":            {400, "invalid_grant", time.Hour - 10*time.Second, 200, 1, 0},
		"for good, after the end":             {400, "invalid_grant", 2 * time.Hour, 200, 2, 1},
		"by a client that is not known":       {401, "invalid_client", 2 * time.Hour, 200, 2, 1},
		"for the moment, before the end":      {503, "", time.Hour - 10*time.Second, 200, 1, 0},
		"for the moment, after the end":       {503, "", 2 * time.Hour, 0, 1, 1},
		"for an unknown reason after the end": {400, "try_again", 2 * time.Hour, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, rs, as := standard(t)
				transport := w.client().Transport(resourceURL, w)
				get(t, transport)
				as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
					if form.Get("grant_type") == "refresh_token" {
						return tc.status, map[string]any{"error": tc.code}
					}
					return 0, nil
				}
				refused := 0
				rs.extra = func(w http.ResponseWriter, _ *http.Request, token string) bool {
					if token == "" {
						refused++
					}
					return false
				}
				time.Sleep(tc.wait)
				status, body := get(t, transport)
				if status != tc.want || len(as.authorized) != tc.logins || refused != tc.refused {
					t.Errorf("%d with %d logins, %d refused: %s", status, len(as.authorized), refused, body)
				}
			})
		})
	}
}

// A token that the resource refuses is replaced: by the refresh token once, else by a login.
func TestTransport_TokenRefused(t *testing.T) {
	w, rs, as := standard(t)
	transport := w.client().Transport(resourceURL, w)
	get(t, transport)
	as.revoke()
	if status, _ := get(t, transport); status != 200 || len(as.refreshes()) != 1 || len(as.authorized) != 1 {
		t.Errorf("%d, refreshed by %q, %d logins", status, as.refreshes(), len(as.authorized))
	}
	as.revoke()
	if status, _ := get(t, transport); status != 200 || len(as.refreshes()) != 1 || len(as.authorized) != 2 {
		t.Errorf("%d, refreshed by %q, %d logins", status, as.refreshes(), len(as.authorized))
	}
	// A server that wants none of them does not make the user log in for ever.
	rs.extra = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.WriteHeader(401)
		return true
	}
	if status, _ := get(t, transport); status != 401 || len(as.authorized) > 3 {
		t.Errorf("%d, %d logins", status, len(as.authorized))
	}
	// Challenges of other schemes are ignored.
	rs.extra = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.Header().Set("WWW-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(401)
		return true
	}
	before := len(as.forms)
	if status, _ := get(t, transport); status != 401 || len(as.forms) != before {
		t.Errorf("%d, %d requests for tokens", status, len(as.forms)-before)
	}
}

// However many requests wait, the user logs in once. One that stops waiting does not end the login.
func TestLogin_OneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		user := &person{world: w, answer: func(ctx context.Context, _ url.Values) error {
			time.Sleep(time.Minute)
			return ctx.Err()
		}}
		transport := w.client(func(c *oauth.Client) { c.Authorizer = user }).Transport(resourceURL, w)
		gone := errors.New("gone")
		short, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
		defer cancel()
		_, said := get(t, transport, func(r *http.Request) { *r = *r.WithContext(short) })
		if !strings.Contains(said, "gone") {
			t.Errorf("the first says %s", said)
		}
		var requests group.Group
		var mu sync.Mutex
		statuses := make(map[int]int)
		for range 50 {
			requests.Go(func() {
				status, _ := get(t, transport)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		requests.Wait()
		if statuses[200] != 50 || len(as.authorized) != 1 || len(as.registrations) != 1 {
			t.Errorf("%v, %d logins, %d registrations", statuses, len(as.authorized), len(as.registrations))
		}
	})
}

// After a refused login the user is not asked again at once, except by Authorize.
func TestLogin_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		var no error = errors.New("the window was closed")
		user := &person{world: w, answer: func(context.Context, url.Values) error { return no }}
		client := w.client(func(c *oauth.Client) { c.Authorizer = user })
		transport := client.Transport(resourceURL, w)
		for range 3 {
			if _, said := get(t, transport); !strings.Contains(said, "the window was closed") {
				t.Error(said)
			}
		}
		if len(as.authorized) != 1 {
			t.Errorf("asked %d times", len(as.authorized))
		}
		time.Sleep(time.Minute)
		no = nil
		if status, _ := get(t, transport); status != 200 || len(as.authorized) != 2 {
			t.Errorf("%d, asked %d times", status, len(as.authorized))
		}
	})
}

// A server that wants to be left alone is, for as long as it says.
func TestToken_RetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		w.hosts[issuerURL] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				w.Header().Set("Retry-After", "120")
			}
			as.ServeHTTP(w, r)
		})
		as.token = func(url.Values, *http.Request) (int, map[string]any) { return 503, nil }
		transport := w.client(func(c *oauth.Client) {
			c.Grant, c.Registered = oauth.ClientCredentials{}, map[string]oauth.Credentials{issuerURL: {ClientID: "x"}}
		}).Transport(resourceURL, w)
		for range 12 { // over four minutes
			get(t, transport)
			time.Sleep(20 * time.Second)
		}
		if len(as.forms) != 2 {
			t.Errorf("asked %d times", len(as.forms))
		}
	})
}

// LoginTimeout limits the wait for the user.
func TestLogin_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, _ := standard(t)
		user := &person{world: w, answer: func(ctx context.Context, _ url.Values) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		client := w.client(func(c *oauth.Client) { c.Authorizer, c.LoginTimeout = user, time.Hour })
		start := time.Now()
		_, said := get(t, client.Transport(resourceURL, w))
		if !strings.Contains(said, "has not logged in within 1h") || time.Since(start) != time.Hour {
			t.Errorf("%s after %v", said, time.Since(start))
		}
	})
}

// Close cancels running authorizations, and later requests fail.
func TestClient_Close(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, _ := standard(t)
		user := &person{world: w, answer: func(ctx context.Context, _ url.Values) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		client := w.client(func(c *oauth.Client) { c.Authorizer = user })
		transport := client.Transport(resourceURL, w)
		var waiting group.Group
		waiting.Go(func() {
			if _, said := get(t, transport); !strings.Contains(said, oauth.ErrClosed.Error()) {
				t.Error(said)
			}
		})
		synctest.Wait()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		waiting.Wait()
		if _, said := get(t, transport); !strings.Contains(said, oauth.ErrClosed.Error()) {
			t.Error(said)
		}
	})
}

// An authorizer that panics fails the requests that wait for it, and nothing else.
func TestClient_Panic(t *testing.T) {
	w, _, _ := standard(t)
	user := &person{world: w, answer: func(context.Context, url.Values) error { panic("boom") }}
	client := w.client(func(c *oauth.Client) { c.Authorizer = user })
	if _, said := get(t, client.Transport(resourceURL, w)); !strings.Contains(said, "the authorization has failed") {
		t.Error(said)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(w.logged(), "boom") {
		t.Error(w.logged())
	}
}

// An Authorizer that cannot ask now fails requests at once and without a pause: the login of another process is found by the next.
func TestAuthorizer_LoginRequired(t *testing.T) {
	w, _, as := standard(t)
	store := &oauth.File{Path: filepath.Join(t.TempDir(), "tokens.json")}
	asleep := w.client(func(c *oauth.Client) { c.Store, c.Authorizer = store, absentUser{} })
	transport := asleep.Transport(resourceURL, w)
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, resourceURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(req); !errors.Is(err, oauth.ErrLoginRequired) {
			t.Error(err)
		}
	}
	if status, body := get(t, w.client(func(c *oauth.Client) { c.Store = store }).Transport(resourceURL, w)); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	if status, body := get(t, transport); status != 200 || len(as.authorized) != 1 {
		t.Errorf("%d: %s after %d logins", status, body, len(as.authorized))
	}
}

// absentUser is an Authorizer without a user.
type absentUser struct{}

func (absentUser) Begin(context.Context, string) (oauth.Login, error) {
	return nil, oauth.ErrLoginRequired
}

// A program that runs finds a login of another process, and its end, when it reads the store again.
func TestClient_Reload(t *testing.T) {
	w, _, as := standard(t)
	store := new(oauth.Memory)
	client := w.client(func(c *oauth.Client) { c.Store = store })
	transport := client.Transport(resourceURL, w)
	if there, err := client.Reload(t.Context(), resourceURL); there || err != nil {
		t.Errorf("before the login: %v, %v", there, err)
	}
	get(t, transport)
	if there, err := client.Reload(t.Context(), resourceURL); !there || err != nil {
		t.Errorf("after the login: %v, %v", there, err)
	}
	get(t, transport)
	if len(as.authorized) != 1 {
		t.Errorf("%d logins", len(as.authorized))
	}
	if err := store.Delete(t.Context(), "token "+resourceURL); err != nil {
		t.Fatal(err)
	}
	if there, err := client.Reload(t.Context(), resourceURL); there || err != nil {
		t.Errorf("after the end of the login: %v, %v", there, err)
	}
	get(t, transport)
	if len(as.authorized) != 2 {
		t.Errorf("%d logins", len(as.authorized))
	}
}
