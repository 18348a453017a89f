package dashboard

import (
	"encoding/json"
	"net/http"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/security/auth"
)

// contentPolicy restricts the page to content of this server.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler returns the handler of the dashboard, with the check of host and origin.
func (d *Dashboard) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.policy.Check(r); err != nil {
			origin.Forbid(w, err)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		d.mux.ServeHTTP(w, r)
	})
}

func (d *Dashboard) routes(files *assets) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ws", d.socket)
	mux.Handle("GET /api/history", d.requireToken(d.history))
	mux.Handle("GET /api/agents/{id}", d.requireToken(d.agent))
	mux.Handle("GET /api/agents/{id}/output", d.requireToken(d.output))
	mux.HandleFunc("GET /api/health", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok", "name": d.o.Name, "version": d.o.Version})
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		answerError(w, http.StatusNotFound, &problem{"NOT_FOUND", "there is nothing at " + r.URL.Path, ""})
	})
	mux.Handle("/", files)
	return mux
}

// needToken is the next step for a page without the token.
const needToken = "open the page with #token=… at the end of its address; the server prints the address with the token"

// requireToken rejects requests without the token if reading needs it.
func (d *Dashboard) requireToken(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := auth.Bearer(r.Header); d.needsToken() && !(ok && d.isTokenValid(token)) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			answerError(w, http.StatusUnauthorized, &problem{"UNAUTHORIZED", "the token is missing or wrong", needToken})
			return
		}
		h(w, r)
	})
}

// problem is an error in the form for pages.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

func answerError(w http.ResponseWriter, status int, p *problem) {
	answer(w, status, map[string]*problem{"error": p})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"INTERNAL_ERROR","message":"the answer cannot be encoded"}}`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
