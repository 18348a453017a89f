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

// Server is a GitHub. Its methods may be called from several goroutines at once.
type Server struct {
	start sync.Once
	http  *httptest.Server // nil until it is asked for

	mu     sync.Mutex
	token  string
	repos  []*Repo
	asked  []Request
	faults map[string][]Fault
	rates  map[string]*rate
	serial int
}

// Request is one that was made.
type Request struct {
	Method, Path  string
	Query         string // of a search: its q; else the query of the address
	Authorization string
	IfNoneMatch   string
	Status        int // 0 if it was not answered
}

// rate is what is left of a limit.
type rate struct {
	limit, remaining int
	reset            time.Time
}

// New makes a server, which is to be closed.
func New() *Server {
	return &Server{faults: make(map[string][]Fault), rates: make(map[string]*rate)}
}

// URL is the address of the interface, where the server listens from then on.
func (s *Server) URL() string {
	s.start.Do(func() { s.http = httptest.NewServer(s) })
	return s.http.URL + "/"
}

// Close ends the server.
func (s *Server) Close() {
	s.start.Do(func() {})
	if s.http != nil {
		s.http.CloseClientConnections()
		s.http.Close()
	}
}

// Transport carries requests to the server without any network, for tests of what
// time does.
func (s *Server) Transport() http.RoundTripper { return direct{s} }

type direct struct{ server *Server }

func (d direct) RoundTrip(r *http.Request) (response *http.Response, err error) {
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

// RequireToken has the server refuse requests with another token.
func (s *Server) RequireToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// SetLimit says how many requests of a limit ("core", "search") are left, and when
// it begins anew. Each request takes one off.
func (s *Server) SetLimit(name string, remaining int, reset time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates[name] = &rate{limit: max(remaining, 30), remaining: remaining, reset: reset}
}

// Requests are those that were made, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.asked...)
}

// Count is how many requests were made with a method and a path that begins so.
func (s *Server) Count(method, path string) (n int) {
	for _, r := range s.Requests() {
		if r.Method == method && strings.HasPrefix(r.Path, path) {
			n++
		}
	}
	return n
}

// On has the next requests of a method and a path, such as "POST
// /repos/octo/demo/issues", end in faults, one after the other. "*" stands for all.
func (s *Server) On(request string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[request] = append(s.faults[request], faults...)
}

// fault takes the next fault of a request.
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
	// A request that was read is one of which it is noticed that the client has left.
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	at := len(s.asked)
	s.asked = append(s.asked, Request{Method: r.Method, Path: r.URL.Path, Query: query, Authorization: r.Header.Get("Authorization"), IfNoneMatch: r.Header.Get("If-None-Match")})
	fault := s.fault(r)
	s.mu.Unlock()
	noted := &noting{ResponseWriter: w}
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

// noting notes the status of an answer.
type noting struct {
	http.ResponseWriter
	status int
}

func (n *noting) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// serve answers as GitHub does when all is well.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	h := w.Header()
	h.Set("X-Github-Media-Type", "github.v3; format=json")
	h.Set("X-Github-Request-Id", fmt.Sprintf("C0DE:%04X:1:2:3", s.serial))
	if !s.within(w, r) {
		return
	}
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		refuse(w, http.StatusUnauthorized, "Bad credentials", "https://docs.github.com/rest")
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/api/v3") // as on a server of one's own
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/search/issues":
		s.search(w, r)
	case len(parts) >= 3 && parts[0] == "repos":
		s.repository(w, r, parts[1]+"/"+parts[2], parts[3:])
	case len(parts) >= 2 && parts[0] == "repositories": // where those that were renamed lead
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

// within counts a request, and refuses it when the limit is reached.
func (s *Server) within(w http.ResponseWriter, r *http.Request) bool {
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
		refuse(w, http.StatusForbidden, "API rate limit exceeded for user ID 1.", "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api")
	}
	return !over
}

// answer writes a value with its ETag, or says that it has not changed.
func answer(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake of this package
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

// refuse answers an error.
func refuse(w http.ResponseWriter, status int, message, page string, details ...map[string]string) {
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
	refuse(w, http.StatusNotFound, "Not Found", "https://docs.github.com/rest")
}

// page cuts a list into the pages that the address asks for, and says which there
// are.
func page[T any](w http.ResponseWriter, r *http.Request, all []T) []T {
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
