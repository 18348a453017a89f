package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/security/oauth"
)

// Tokens and registrations remain in the Store for the next run of a program.
func TestStore_TokenReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		store := new(oauth.Memory)
		with := func(change ...func(*oauth.Client)) func() int {
			return func() int {
				client := w.client(append(change, func(c *oauth.Client) { c.Store = store })...)
				status, body := get(t, client.Transport(resourceURL, w))
				if status != 200 {
					t.Errorf("%d: %s", status, body)
				}
				return len(as.authorized)
			}
		}
		alice, bob := with(func(c *oauth.Client) { c.Account = "alice" }), with(func(c *oauth.Client) { c.Account = "bob" })
		for i, step := range []struct {
			name   string
			run    func() int
			logins int
		}{
			{"the first", alice, 1}, {"the same again", alice, 1}, {"another", bob, 2}, {"the first again", alice, 2},
			{"nobody", with(), 3},
		} {
			if got := step.run(); got != step.logins {
				t.Errorf("%d, %s: %d logins, want %d", i, step.name, got, step.logins)
			}
		}
		if len(as.registrations) != 1 {
			t.Errorf("%d registrations", len(as.registrations))
		}
		time.Sleep(3 * time.Hour)
		if got := alice(); got != 3 || len(as.refreshes()) != 1 {
			t.Errorf("after the end: %d logins, %q", got, as.refreshes())
		}
		for _, damaged := range []string{"{", `{"token":null}`, `{"token":{"access_token":"a\r\nb"}}`, "null"} {
			if err := store.Save(t.Context(), "token "+resourceURL+" alice", []byte(damaged)); err != nil {
				t.Fatal(err)
			}
			before := len(as.authorized)
			if got := alice(); got != before+1 {
				t.Errorf("%s is used", damaged)
			}
		}
	})
}

// A store that fails costs logins, not requests.
func TestStore_Failing(t *testing.T) {
	w, _, _ := standard(t)
	client := w.client(func(c *oauth.Client) { c.Store = failingStore{} })
	if status, body := get(t, client.Transport(resourceURL, w)); status != 200 {
		t.Errorf("%d: %s", status, body)
	}
	if !strings.Contains(w.logged(), "the disk is full") {
		t.Error(w.logged())
	}
}

type failingStore struct{}

var errFull = errors.New("the disk is full")

func (failingStore) Load(context.Context, string) ([]byte, error) { return nil, errFull }
func (failingStore) Save(context.Context, string, []byte) error   { return errFull }
func (failingStore) Delete(context.Context, string) error         { return errFull }

// Client credentials in the order of the specification (2026-07-28, basic/authorization, "Client
// Registration Approaches").
func TestPresetCredentials_Order(t *testing.T) {
	const document = "https://example.org/client.json"
	for name, tc := range map[string]struct {
		client        func(*oauth.Client)
		documents     bool
		id            string
		registrations int
	}{
		"one that is known": {func(c *oauth.Client) {
			c.Registered, c.MetadataURL = map[string]oauth.Credentials{issuerURL: {ClientID: "known"}}, document
		}, true, "known", 0},
		"known to another": {func(c *oauth.Client) {
			c.Registered = map[string]oauth.Credentials{issuerURL + "/": {ClientID: "known"}}
		}, true, "client-1", 1},
		"one with a document":           {func(c *oauth.Client) { c.MetadataURL = document }, true, document, 0},
		"one whose document is no help": {func(c *oauth.Client) { c.MetadataURL = document }, false, "client-1", 1},
		"one that registers":            {func(*oauth.Client) {}, true, "client-1", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, as := standard(t)
			as.metadata = map[string]any{"client_id_metadata_document_supported": tc.documents}
			if status, body := get(t, w.client(tc.client).Transport(resourceURL, w)); status != 200 {
				t.Fatalf("%d: %s", status, body)
			}
			if got := as.authorized[0].Get("client_id"); got != tc.id || len(as.registrations) != tc.registrations {
				t.Errorf("%q with %d registrations", got, len(as.registrations))
			}
		})
	}
}

// A registration is used as long as it lasts and its redirect URL can be had.
func TestRegister_Metadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		store := new(oauth.Memory)
		as.register = func(map[string]any) (int, map[string]any) {
			return 201, map[string]any{
				"client_id": fmt.Sprint("client-", len(as.registrations)), "client_secret": "secret-of-the-client", "token_endpoint_auth_method": "client_secret_post",
				"client_secret_expires_at": time.Now().Add(24 * time.Hour).Unix(),
			}
		}
		login := func(redirect, account string) (wish string) {
			user := &person{world: w, redirect: redirect}
			client := w.client(func(c *oauth.Client) { c.Store, c.Authorizer, c.Account = store, user, account })
			if status, body := get(t, client.Transport(resourceURL, w)); status != 200 {
				t.Errorf("%d: %s", status, body)
			}
			return user.wishes[0]
		}
		const elsewhere = "https://app.example.com/back"
		if wish := login("", "1"); wish != "" {
			t.Errorf("nobody had %q", wish)
		}
		if wish := login("", "2"); wish != redirectURL || len(as.registrations) != 1 {
			t.Errorf("wishes %q, %d registrations", wish, len(as.registrations))
		}
		if wish := login(elsewhere, "3"); wish != redirectURL || len(as.registrations) != 2 || as.registrations[1]["application_type"] != "web" {
			t.Errorf("wishes %q, registrations %v", wish, as.registrations)
		}
		time.Sleep(25 * time.Hour)
		if wish := login(elsewhere, "4"); wish != "" || len(as.registrations) != 3 {
			t.Errorf("wishes %q, %d registrations", wish, len(as.registrations))
		}
		for _, form := range as.forms {
			if form.Get("client_secret") != "secret-of-the-client" {
				t.Errorf("asks with %v", form)
			}
		}
	})
}

// A login of another account that registers again, with another redirect URL, leaves the refresh tokens of the first one usable.
func TestRegistration_TokensOfAnEarlierOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, as := standard(t)
		store := new(oauth.Memory)
		of := func(account, redirect string) func() {
			client := w.client(func(c *oauth.Client) {
				c.Store, c.Account, c.Authorizer = store, account, &person{world: w, redirect: redirect}
			})
			return func() {
				if status, body := get(t, client.Transport(resourceURL, w)); status != 200 {
					t.Errorf("%s: %d: %s", account, status, body)
				}
			}
		}
		alice, bob := of("alice", redirectURL), of("bob", "http://127.0.0.1:4712/callback")
		alice()
		bob()
		if len(as.registrations) != 2 || len(as.authorized) != 2 {
			t.Fatalf("%d registrations and %d logins", len(as.registrations), len(as.authorized))
		}
		time.Sleep(time.Hour - 10*time.Second)
		alice()
		bob()
		if len(as.authorized) != 2 || len(as.refreshes()) != 2 {
			t.Errorf("%d logins and %d refreshes", len(as.authorized), len(as.refreshes()))
		}
		for i, form := range as.forms[2:] {
			if want := []string{"client-1", "client-2"}[i]; form.Get("client_id") != want {
				t.Errorf("refresh %d is of %s", i, form.Get("client_id"))
			}
		}
	})
}
