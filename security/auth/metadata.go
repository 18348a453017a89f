package auth

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// wellKnown is the path of the metadata (RFC 9728 §3).
const wellKnown = "/.well-known/oauth-protected-resource"

// metadata is the JSON document of RFC 9728 §2.
type metadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported,omitempty"`
	Methods              []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name,omitempty"`
	Documentation        string   `json:"resource_documentation,omitempty"`
	ProofAlgorithms      []string `json:"dpop_signing_alg_values_supported,omitempty"`
	ProofsRequired       bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

// Metadata returns a handler for the Protected Resource Metadata, which names the authorization
// servers (RFC 9728; 2026-07-28, basic/authorization, "Authorization Server Location"). It allows
// requests of web pages from any origin. Wrap serves the metadata as well, at two well-known paths.
func (r *Resource) Metadata() http.Handler {
	if err := r.Err(); err != nil {
		return r.serveError(err)
	}
	said := metadata{
		Resource: r.URL, AuthorizationServers: r.AuthorizationServers, Scopes: r.scopeNames(r.Scopes), Methods: []string{"header"},
		Name: r.Name, Documentation: r.Documentation, ProofsRequired: r.RequireDPoP,
	}
	if r.DPoP != nil {
		said.ProofAlgorithms = dpop.Algorithms()
	}
	body, err := json.Marshal(said)
	if err != nil {
		return r.serveError(err) // strings always encode
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch req.Method {
		case http.MethodGet, http.MethodHead:
			h.Set("Content-Type", "application/json")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "public, max-age=300")
			_, _ = w.Write(body) // a write error means that the client has disconnected
		case http.MethodOptions: // older clients send a revision header, which makes browsers send a preflight request
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", "3600")
			w.WriteHeader(http.StatusNoContent)
		default:
			h.Set("Allow", "GET, HEAD, OPTIONS")
			http.Error(w, "The metadata of a resource is read with GET", http.StatusMethodNotAllowed)
		}
	})
}

// Mount registers the metadata at its two well-known paths: with the path of the URL, and without
// it as the fallback.
func (r *Resource) Mount(mux *http.ServeMux) {
	served, known := r.Metadata(), r.metadataMatcher()
	exact := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !known(req.URL.Path) {
			http.NotFound(w, req)
			return
		}
		served.ServeHTTP(w, req)
	})
	mux.Handle(wellKnown, exact)
	mux.Handle(wellKnown+"/", exact)
}

// metadataMatcher returns a function that reports whether a path is one of the metadata's paths.
func (r *Resource) metadataMatcher() func(path string) bool {
	own := wellKnown
	if u, err := url.Parse(r.URL); err == nil && u.Path != "/" {
		own += u.Path
	}
	return func(path string) bool { return path == wellKnown || path == own }
}

// metadataURL returns the URL of the metadata for challenges. It omits a single slash after the
// host (RFC 9728 §3.1).
func (r *Resource) metadataURL() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	path := u.EscapedPath()
	if path == "/" {
		path = ""
	}
	return u.Scheme + "://" + u.Host + wellKnown + path
}

// serveError returns a handler that fails each request with status 500. It logs the error once.
func (r *Resource) serveError(err error) http.Handler {
	r.log().Error("the authorization of the server is misconfigured; all requests fail", "error", err)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "The authorization of this server is misconfigured; its log says how", http.StatusInternalServerError)
	})
}
