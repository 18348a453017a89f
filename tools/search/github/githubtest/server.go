package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is a fake of GitHub. It is safe for concurrent use.
type Server struct {
	start sync.Once
	http  *httptest.Server // nil until URL is called

	mu     sync.Mutex
	token  string
	repos  []*Repo
	asked  []Request
	faults map[string][]Fault
	rates  map[string]*rate
	serial int
}

// Request is a received request.
type Request struct {
	Method, Path  string
	Query         string // the parameter q of a search, otherwise the raw query
	Authorization string
	IfNoneMatch   string
	Status        int // status of the response; 0 without a response
}

// rate is the state of a rate limit.
type rate struct {
	limit, remaining int
	reset            time.Time
}

// New returns a Server without repositories. The caller closes it.
func New() *Server {
	return &Server{faults: make(map[string][]Fault), rates: make(map[string]*rate)}
}

// URL returns the base URL of the API. The first call starts to listen.
func (s *Server) URL() string {
	s.start.Do(func() { s.http = httptest.NewServer(s) })
	return s.http.URL + "/"
}

// Close closes connections and stops listening.
func (s *Server) Close() {
	s.start.Do(func() {})
	if s.http != nil {
		s.http.CloseClientConnections()
		s.http.Close()
	}
}

// Transport returns a RoundTripper that serves requests without a network, for tests with a fake clock.
func (s *Server) Transport() http.RoundTripper { return directTransport{s} }

// directTransport calls the handler of a server directly.
type directTransport struct{ server *Server }

func (d directTransport) RoundTrip(r *http.Request) (response *http.Response, err error) {
	answer := httptest.NewRecorder()
	defer func() {
		if recover() != nil {
			response, err = nil, io.ErrUnexpectedEOF
		}
	}()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	d.server.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	response = answer.Result()
	response.Request = r
	return response, nil
}

// RequireToken makes requests without this token fail with 401.
func (s *Server) RequireToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// SetLimit sets the remaining requests of a limit ("core" or "search") and the time of its reset. Each request reduces them by
// one.
func (s *Server) SetLimit(name string, remaining int, reset time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates[name] = &rate{limit: max(remaining, 30), remaining: remaining, reset: reset}
}

// Requests returns the received requests, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.asked...)
}

// Count returns the number of requests with this method and a path that begins with path.
func (s *Server) Count(method, path string) (n int) {
	for _, r := range s.Requests() {
		if r.Method == method && strings.HasPrefix(r.Path, path) {
			n++
		}
	}
	return n
}

// On sets the faults of the next requests with this method and path, for example "POST /repos/octo/demo/issues", in order. "*"
// matches all requests.
func (s *Server) On(request string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[request] = append(s.faults[request], faults...)
}

// fault removes and returns the next fault for a request.
func (s *Server) fault(r *http.Request) Fault {
	for _, key := range []string{r.Method + " " + r.URL.Path, "*"} {
		if waiting := s.faults[key]; len(waiting) > 0 {
			s.faults[key] = waiting[1:]
			return waiting[0]
		}
	}
	return nil
}

// ServeHTTP implements http.Handler, for tests without a network.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.RawQuery
	if strings.Contains(r.URL.Path, "/search/") {
		query = r.URL.Query().Get("q")
	}
	// The server detects a disconnected client only after the body was read.
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	at := len(s.asked)
	s.asked = append(s.asked, Request{Method: r.Method, Path: r.URL.Path, Query: query, Authorization: r.Header.Get("Authorization"), IfNoneMatch: r.Header.Get("If-None-Match")})
	fault := s.fault(r)
	s.mu.Unlock()
	noted := &statusRecorder{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		s.asked[at].Status = noted.status
		s.mu.Unlock()
	}()
	if fault != nil {
		fault(noted, r, http.HandlerFunc(s.serve))
		return
	}
	s.serve(noted, r)
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (n *statusRecorder) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

func (n *statusRecorder) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// serve handles a request without faults.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	h := w.Header()
	h.Set("X-Github-Media-Type", "github.v3; format=json")
	h.Set("X-Github-Request-Id", fmt.Sprintf("C0DE:%04X:1:2:3", s.serial))
	if !s.countRequest(w, r) {
		return
	}
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		writeError(w, http.StatusUnauthorized, "Bad credentials", "https://docs.github.com/rest")
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/api/v3") // prefix of GitHub Enterprise Server
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/search/issues":
		s.search(w, r)
	case len(parts) >= 3 && parts[0] == "repos":
		s.repository(w, r, parts[1]+"/"+parts[2], parts[3:])
	case len(parts) >= 2 && parts[0] == "repositories": // target of redirects for renamed repositories
		for _, repo := range s.repos {
			if strconv.Itoa(repo.id) == parts[1] {
				s.repository(w, r, repo.name, parts[2:])
				return
			}
		}
		notFound(w)
	default:
		notFound(w)
	}
}

// countRequest counts a request, and rejects it if its limit is reached.
func (s *Server) countRequest(w http.ResponseWriter, r *http.Request) bool {
	name := "core"
	if strings.Contains(r.URL.Path, "/search/") {
		name = "search"
	}
	l := s.rates[name]
	if l == nil || !time.Now().Before(l.reset) {
		l = &rate{limit: 5000, remaining: 5000, reset: time.Now().Add(time.Hour)}
		s.rates[name] = l
	}
	over := l.remaining == 0
	l.remaining = max(l.remaining-1, 0)
	h := w.Header()
	h.Set("X-Ratelimit-Resource", name)
	h.Set("X-Ratelimit-Limit", strconv.Itoa(l.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(l.remaining))
	h.Set("X-Ratelimit-Used", strconv.Itoa(l.limit-l.remaining))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(l.reset.Unix(), 10))
	if over {
		writeError(w, http.StatusForbidden, "API rate limit exceeded for user ID 1.", "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api")
	}
	return !over
}

// writeJSON writes a value with its ETag, or 304 if the client has the current version.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a bug of this package
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if r.Method == http.MethodGet && status == http.StatusOK {
		sum := sha256.Sum256(body)
		tag := `W/"` + hex.EncodeToString(sum[:]) + `"`
		h.Set("Etag", tag)
		h.Set("Cache-Control", "private, max-age=60, s-maxage=60")
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// writeError writes an error in the format of GitHub.
func writeError(w http.ResponseWriter, status int, message, page string, details ...map[string]string) {
	v := map[string]any{"message": message, "documentation_url": page, "status": strconv.Itoa(status)}
	if len(details) > 0 {
		v["errors"] = details
	}
	body, _ := json.Marshal(v)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func notFound(w http.ResponseWriter) {
	writeError(w, http.StatusNotFound, "Not Found", "https://docs.github.com/rest")
}

// paginate returns the requested page of a list, and sets the Link header.
func paginate[T any](w http.ResponseWriter, r *http.Request, all []T) []T {
	q := r.URL.Query()
	size, number := 30, 1
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil && n > 0 {
		size = min(n, 100)
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 0 {
		number = n
	}
	last := max((len(all)+size-1)/size, 1)
	to := func(n int, rel string) string {
		q.Set("page", strconv.Itoa(n))
		return fmt.Sprintf(`<http://%s%s?%s>; rel="%s"`, r.Host, r.URL.Path, q.Encode(), rel)
	}
	if number < last {
		w.Header().Set("Link", to(number+1, "next")+", "+to(last, "last"))
	} else if number > 1 {
		w.Header().Set("Link", to(number-1, "prev")+", "+to(1, "first"))
	}
	from := min((number-1)*size, len(all))
	return all[from:min(from+size, len(all))]
}
