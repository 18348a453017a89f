package auth

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// wellKnown is where metadata is found (RFC 9728 §3).
const wellKnown = "/.well-known/oauth-protected-resource"

// metadata is what clients are told (RFC 9728 §2).
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

// Metadata serves the Protected Resource Metadata, from which clients learn which
// authorization servers to ask (RFC 9728; 2026-07-28, basic/authorization,
// "Authorization Server Location"), to pages of any site. Wrap serves it too, at
// its two well-known paths.
func (r *Resource) Metadata() http.Handler {
	if err := r.Err(); err != nil {
		return r.broken(err)
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
		return r.broken(err) // texts always encode
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch req.Method {
		case http.MethodGet, http.MethodHead:
			h.Set("Content-Type", "application/json")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "public, max-age=300")
			_, _ = w.Write(body) // a client that has left needs no answer
		case http.MethodOptions: // older clients say their revision, of which browsers ask first
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

// Mount serves the metadata at its well-known paths: with the path of the URL behind
// it, and without, where clients look for it next.
func (r *Resource) Mount(mux *http.ServeMux) {
	served, known := r.Metadata(), r.isMetadata()
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

// isMetadata reports of paths whether the metadata is there.
func (r *Resource) isMetadata() func(path string) bool {
	own := wellKnown
	if u, err := url.Parse(r.URL); err == nil && u.Path != "/" {
		own += u.Path
	}
	return func(path string) bool { return path == wellKnown || path == own }
}

// metadataURL is where the challenges of a server say that its metadata is: a slash
// that follows the host alone is left out (RFC 9728 §3.1).
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

// broken answers every request of a Resource with an error, which its operator
// finds in the log.
func (r *Resource) broken(err error) http.Handler {
	r.log().Error("the server's authorization is misconfigured; nobody is served", "error", err)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "The authorization of this server is misconfigured; its log says how", http.StatusInternalServerError)
	})
}
