package auth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/auth"
)

// A token is kept where a program exchanges it, for its issuer alone and as long as it is good, and never shows itself.
func TestResource_KeepSubject(t *testing.T) {
	for _, keep := range []bool{true, false} {
		w := newWorld(t, func(r *auth.Resource) { r.KeepSubject = keep })
		for name, tc := range map[string]struct {
			changed map[string]any
			kept    bool
		}{
			"a bearer token":           {nil, true},
			"one that is bound to key": {map[string]any{"cnf": map[string]string{"jkt": "thumbprint"}}, false},
		} {
			token := w.issuer.Token(w.url, tc.changed)
			var subject *auth.Subject
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, w.url, nil)
			request.Header.Set("Authorization", "Bearer "+token)
			w.resource.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				subject = auth.SubjectFrom(r.Context())
				if r.Header.Get("Authorization") != "" {
					t.Error("the handler gets the header")
				}
			})).ServeHTTP(httptest.NewRecorder(), request)
			got, ok := subject.TokenFor(w.issuer.URL)
			if want := keep && tc.kept; ok != want || want && got != token {
				t.Errorf("keep %v, %s: kept %v", keep, name, ok)
			}
			for _, other := range []string{"", w.issuer.URL + "/", "https://other.example"} {
				if _, ok := subject.TokenFor(other); ok {
					t.Errorf("%s: the issuer %q gets it", name, other)
				}
			}
			if subject == nil {
				continue
			}
			var log bytes.Buffer
			slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "subject", subject)
			encoded, err := json.Marshal(map[string]any{"subject": subject})
			if shown := fmt.Sprintf("%v %+v %#v %s %s %v", subject, *subject, subject, log.String(), encoded, err); strings.Contains(shown, token) {
				t.Errorf("the token shows itself: %s", shown)
			}
		}
	}
}
