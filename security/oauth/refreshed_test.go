package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// loginsWithoutConsent makes the server as strict as OpenID Connect Core §11 allows: a login without prompt=consent
// gets no offline_access, and therefore no refresh token.
func loginsWithoutConsent(as *server) {
	as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
		if form.Get("grant_type") != "authorization_code" {
			return 0, nil
		}
		asked := as.codes[form.Get("code")]
		scopes, err := as.redeem(form)
		if err != nil {
			return 400, map[string]any{"error": "invalid_grant"}
		}
		body := as.issue(scopes)
		if asked.Get("prompt") != "consent" {
			delete(body, "refresh_token")
		}
		return 200, body
	}
}

func TestLogin_OfflineAccessNeedsConsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rs, as := standard(t)
		rs.challenge = `scope="read"`
		as.metadata = map[string]any{"scopes_supported": []string{"read", "openid", "offline_access"}}
		loginsWithoutConsent(as)
		transport := w.client().Transport(resourceURL, w)
		for range 3 {
			if status, body := get(t, transport); status != 200 {
				t.Fatalf("%d: %s", status, body)
			}
			time.Sleep(time.Hour - 10*time.Second)
		}
		if len(as.authorized) != 1 || len(as.refreshes()) != 2 {
			t.Errorf("%d logins and %d refreshes in three hours, want 1 and 2", len(as.authorized), len(as.refreshes()))
		}
	})
}

func TestLogin_NoConsentWithoutOfflineAccess(t *testing.T) {
	w, rs, as := standard(t)
	rs.challenge = `scope="read"`
	get(t, w.client().Transport(resourceURL, w))
	if len(as.authorized) != 1 || as.authorized[0].Has("prompt") {
		t.Errorf("the login was asked for with %v", as.authorized)
	}
}

// A refresh token may be bound to the scopes of the first login. Whether the answer to a refresh says so or not, a
// request that needs the scopes of the step-up starts another authorization, however often that happens.
func TestStepUp_RefreshKeepsOldScope(t *testing.T) {
	for name, says := range map[string]bool{"the answer names the scope": true, "the answer is silent": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, rs, as := standard(t)
				rs.challenge = `scope="read"`
				as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
					if form.Get("grant_type") != "refresh_token" {
						return 0, nil
					}
					body := as.issue([]string{"read"})
					if !says {
						delete(body, "scope")
					}
					return 200, body
				}
				transport := w.client().Transport(resourceURL, w)
				get(t, transport)
				rs.scopes = []string{"read", "write"}
				const hours = 6
				for hour := range hours {
					if status, body := get(t, transport); status != 200 {
						t.Fatalf("hour %d: %d: %s", hour, status, body)
					}
					time.Sleep(time.Hour - 10*time.Second)
				}
				if len(as.authorized) != 1+hours || len(as.refreshes()) != hours-1 {
					t.Errorf("%d logins and %d refreshes, want %d and %d", len(as.authorized), len(as.refreshes()), 1+hours, hours-1)
				}
				if last := as.authorized[hours].Get("scope"); last != "read write" {
					t.Errorf("the last login asks for %q", last)
				}
			})
		})
	}
}

// A server that refuses every token for its scopes gets the request a bounded number of times.
func TestStepUp_RefreshedTokenDoesNotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rs, as := standard(t)
		rs.challenge = `scope="read"`
		transport := w.client().Transport(resourceURL, w)
		get(t, transport)
		time.Sleep(time.Hour - 10*time.Second)
		rs.extra = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="read"`)
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		for range 10 {
			if status, _ := get(t, transport); status != 403 {
				t.Fatalf("the status is %d", status)
			}
		}
		if logins := len(as.authorized); logins > 1+3 {
			t.Errorf("%d logins", logins)
		}
	})
}

// A refresh that fails while a request waits for it is not the answer to the request, which needs a login.
func TestRenew_FailedRefreshDoesNotFailOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rs, as := standard(t)
		rs.challenge = `scope="read"`
		transport := w.client().Transport(resourceURL, w)
		get(t, transport)
		time.Sleep(time.Hour - 10*time.Second)
		as.token = func(form url.Values, _ *http.Request) (int, map[string]any) {
			if form.Get("grant_type") != "refresh_token" {
				return 0, nil
			}
			return 400, map[string]any{"error": "invalid_grant"}
		}
		as.revoke()
		for range 2 {
			if status, body := get(t, transport); status != 200 {
				t.Errorf("%d: %s", status, body)
			}
		}
		if len(as.authorized) != 2 || !slices.Equal(as.refreshes(), as.refreshes()[:1]) {
			t.Errorf("%d logins, refreshes with %q", len(as.authorized), as.refreshes())
		}
	})
}
