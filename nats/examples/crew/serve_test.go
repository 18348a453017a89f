package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestServe_TokenIsKept(t *testing.T) {
	settings := t.TempDir()
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(variable, settings)
	}
	first, err := new(serve).token()
	if err != nil || first == "" {
		t.Fatalf("%q, %v", first, err)
	}
	if again, err := new(serve).token(); again != first || err != nil {
		t.Errorf("the second start has %q, %v", again, err)
	}
	if none, err := (&serve{noToken: true}).token(); none != "" || err != nil {
		t.Errorf("-no-token: %q, %v", none, err)
	}
}

func TestGuard_Token(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, _, err := guard(l, ""); err == nil {
		t.Error("others than this machine are let in without a token")
	}
	const token = "a-token-that-nobody-guesses"
	_, wrap, err := guard(l, token)
	if err != nil {
		t.Fatal(err)
	}
	handler := wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for given, want := range map[string]int{"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, token: http.StatusNoContent} {
		r, w := httptest.NewRequest(http.MethodPost, "/mcp", nil), httptest.NewRecorder()
		if given != "" {
			r.Header.Set("Authorization", "Bearer "+given)
		}
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("with %q: %d", given, w.Code)
		}
	}
}
