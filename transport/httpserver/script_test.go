package httpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// A script is a transcript of requests and responses of clients with connections
// of their own. Each client has a name of one letter:
//
//	a> POST
//	a> Mcp-Session-Id: $session1
//	a> {"jsonrpc":"2.0","id":1,"method":"ping"}
//	a< 200 application/json
//	a< {"jsonrpc":"2.0","id":1,"result":{}}
//
// A request begins with its method; further lines are headers and the body. It
// has the headers that the specification prescribes unless they are given, or
// taken away as in "Accept: -". Then time stands still until the server waits
// for more: the lines that follow must be what has come by then. "(end)" is the
// end of a stream, "(broken)" of a response that is not complete. "a! close"
// closes a connection, "!! 5s" lets time pass, "!! shutdown" shuts the handler
// down. Anything else is a comment. "Modern: tools/call greet" stands for the
// three headers that such a request of 2026-07-28 has, $meta for its _meta, and
// $session1 for the first session id that the server has given.
//
// DOUGU_UPDATE=1 rewrites the scripts to what the server does.
func runScripts(t *testing.T, pattern string, handler func(t *testing.T) shutdowner) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no script matches %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(raw), "\r\n", "\n")
			var got string
			synctest.Test(t, func(t *testing.T) { got = playScript(t, want, handler(t)) })
			if got == want {
				return
			}
			if os.Getenv("DOUGU_UPDATE") == "1" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
			for i := range max(len(w), len(g)) {
				if i >= len(w) || i >= len(g) || w[i] != g[i] {
					t.Fatalf("%s:%d: the server did something else; look at it with DOUGU_UPDATE=1\nwant %s\n got %s", file, i+1, strings.Join(w[i:min(i+3, len(w))], "\n     "), strings.Join(g[min(i, len(g)):min(i+3, len(g))], "\n     "))
				}
			}
		})
	}
}

type shutdowner interface {
	http.Handler
	Shutdown(context.Context) error
}

// script plays one script.
type script struct {
	t        *testing.T
	network  *pipes
	clients  map[string]*scriptClient
	sessions []string
}

func playScript(t *testing.T, text string, h shutdowner) string {
	s := &script{t: t, network: serveOnPipes(h), clients: make(map[string]*scriptClient)}
	var played strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if len(line) > 1 && line[1] == '<' {
			continue // replaced by what really comes
		}
		played.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, "!! shutdown"):
			if err := h.Shutdown(t.Context()); err != nil {
				t.Errorf("shutting down: %v", err)
			}
		case strings.HasPrefix(line, "!! "):
			d, err := time.ParseDuration(line[3:])
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case len(line) > 2 && line[1:] == "! close":
			s.clients[line[:1]].close()
		case len(line) > 2 && line[1] == '>':
			request := []string{line[2:]}
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], line[:2]) && !methodPattern.MatchString(lines[i+1]); i++ {
				request = append(request, lines[i+1][2:])
				played.WriteString(lines[i+1] + "\n")
			}
			s.send(line[:1], request)
		default:
			continue
		}
		synctest.Wait()
		played.WriteString(s.news())
	}
	for _, c := range s.clients {
		c.close()
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Errorf("shutting down: %v", err)
	}
	s.network.close()
	return played.String()
}

const metaMember = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// send sends one request.
func (s *script) send(name string, lines []string) {
	c := s.clients[name]
	if c == nil {
		c = &scriptClient{conn: s.network.connect(s.t)}
		s.clients[name] = c
		go c.receive()
	}
	method, path, _ := strings.Cut(strings.TrimSpace(s.reveal(lines[0])), " ")
	header := make(http.Header)
	var body string
	for _, line := range lines[1:] {
		line = s.reveal(strings.TrimPrefix(line, " "))
		if key, value, ok := strings.Cut(line, ": "); ok && body == "" && !strings.ContainsAny(key, `{["`) {
			addHeader(header, key, value)
			continue
		}
		body += line
	}
	setUnlessGiven(header, "Host", "localhost")
	if method == http.MethodPost {
		setUnlessGiven(header, "Content-Type", "application/json")
		setUnlessGiven(header, "Accept", "application/json, text/event-stream")
		setUnlessGiven(header, "Content-Length", fmt.Sprint(len(body)))
	} else {
		setUnlessGiven(header, "Accept", "text/event-stream")
	}
	if path == "" {
		path = "/"
	}
	var wire strings.Builder
	fmt.Fprintf(&wire, "%s %s HTTP/1.1\r\n", method, path)
	for key, values := range header {
		for _, value := range values {
			if value != "-" {
				fmt.Fprintf(&wire, "%s: %s\r\n", key, value)
			}
		}
	}
	wire.WriteString("\r\n" + body)
	if _, err := io.WriteString(c.conn, wire.String()); err != nil {
		c.add("(not sent)")
	}
}

func addHeader(h http.Header, key, value string) {
	if key != "Modern" {
		h.Add(key, value)
		return
	}
	method, name, named := strings.Cut(value, " ")
	h.Set("MCP-Protocol-Version", "2026-07-28")
	h.Set("Mcp-Method", method)
	if named {
		h.Set("Mcp-Name", name)
	}
}

func setUnlessGiven(h http.Header, key, value string) {
	if h.Get(key) == "" {
		h.Set(key, value)
	}
}

// reveal replaces placeholders.
func (s *script) reveal(text string) string {
	text = strings.ReplaceAll(text, "$meta", metaMember)
	for i := len(s.sessions); i > 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$session%d", i), s.sessions[i-1])
	}
	return text
}

var (
	methodPattern  = regexp.MustCompile(`^.> [A-Z]+( /.*)?$`)
	sessionPattern = regexp.MustCompile(`^(?:Mcp-Session-Id: |data: \?session=)(.*)$`)
	statePattern   = regexp.MustCompile(`"requestState":"[^"]*"`)
)

// news returns the output of all clients since the previous call.
func (s *script) news() string {
	var all strings.Builder
	for name := 'a'; name <= 'z'; name++ {
		c := s.clients[string(name)]
		if c == nil {
			continue
		}
		for line := range strings.Lines(c.take()) {
			if found := sessionPattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); found != nil {
				s.sessions = append(s.sessions, found[1])
			}
			for i, id := range s.sessions {
				line = strings.ReplaceAll(line, id, fmt.Sprintf("$session%d", i+1))
			}
			line = statePattern.ReplaceAllString(line, `"requestState":"…"`)
			all.WriteString(strings.TrimSuffix(string(name)+"< "+strings.TrimSuffix(line, "\n"), " ") + "\n")
		}
	}
	return all.String()
}

// scriptClient is one connection of a client.
type scriptClient struct {
	conn net.Conn
	mu   sync.Mutex
	got  strings.Builder
}

func (c *scriptClient) close() { _ = c.conn.Close() }

func (c *scriptClient) add(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got.WriteString(line + "\n")
}

func (c *scriptClient) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.got.Reset()
	return c.got.String()
}

// receive reads responses until the connection ends.
func (c *scriptClient) receive() {
	r := bufio.NewReader(c.conn)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return
		}
		c.add(strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Content-Type"))))
		for _, key := range []string{"Mcp-Session-Id", "Allow", "Retry-After", "Connection", "X-Accel-Buffering", "Cache-Control"} {
			if value := resp.Header.Get(key); value != "" && !(key == "Cache-Control" && value == "no-store") && !(key == "X-Accel-Buffering" && value == "no") {
				c.add(key + ": " + value)
			}
		}
		body := bufio.NewReader(resp.Body)
		for err == nil {
			var line string
			if line, err = body.ReadString('\n'); line != "" {
				c.add(strings.TrimSuffix(line, "\n"))
			}
		}
		switch {
		case err != io.EOF:
			c.add("(broken)")
			return
		case resp.Header.Get("Content-Type") == "text/event-stream":
			c.add("(end)")
		}
	}
}

// pipes is a network in memory with one server, on what looks like loopback.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	server *http.Server
	once   sync.Once
	done   chan struct{}
}

func serveOnPipes(h http.Handler) *pipes {
	p := &pipes{accept: make(chan net.Conn), closed: make(chan struct{}), done: make(chan struct{})}
	p.server = &http.Server{Handler: withTestPrincipal(h)}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(p)
	}()
	return p
}

// withTestPrincipal takes the principal of a request from a header.
func withTestPrincipal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal := r.Header.Get("X-Principal"); principal != "" {
			r = r.WithContext(protocol.WithPrincipal(r.Context(), principal))
		}
		h.ServeHTTP(w, r)
	})
}

// dial connects to the server. It fails after the server has ended, as on a
// real network: HTTP clients go on connecting for requests that were given up.
func (p *pipes) dial() (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.accept <- localConn{far}:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// connect connects for a test that writes its requests itself.
func (p *pipes) connect(t *testing.T) net.Conn {
	t.Helper()
	conn, err := p.dial()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func (p *pipes) close() {
	_ = p.server.Close()
	<-p.done
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return localAddr }

var localAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3000}

type localConn struct{ net.Conn }

func (localConn) LocalAddr() net.Addr  { return localAddr }
func (localConn) RemoteAddr() net.Addr { return localAddr }
