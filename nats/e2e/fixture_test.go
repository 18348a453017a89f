package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/nats/internal/natstest"
)

const (
	// patience is how long anything may take on a machine that is busy.
	patience = time.Minute
	// The tokens of two principals.
	ada = "0123456789-the-token-of-ada"
	eve = "0123456789-the-token-of-eve"
)

// raceFlag builds programs with the race detector if the test has it.
var raceFlag = []string{fmt.Sprint("-race=", testrequire.Race)}

// program is the binary of examples/board.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "board")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "board.exe")
	args := append(append([]string{"build"}, raceFlag...), "-o", program, "../examples/board")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// instance is one process.
type instance struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	done chan struct{}

	mu  sync.Mutex
	log strings.Builder
}

var listening = regexp.MustCompile(`url=(http\S+)`)

func startInstance(t *testing.T, running *group.Group, name, natsURL string) *instance {
	t.Helper()
	i := &instance{t: t, done: make(chan struct{})}
	i.cmd = exec.Command(program, "-name", name, "-nats", natsURL, "-listen", "127.0.0.1:0", "-tokens", "ada="+ada+",eve="+eve)
	i.cmd.Env = append(os.Environ(), "BOARD_STATE_KEY="+strings.Repeat("0123456789abcdef", 4))
	stderr, err := i.cmd.StderrPipe()
	if err == nil {
		err = i.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	running.Go(func() {
		defer close(i.done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			i.mu.Lock()
			fmt.Fprintln(&i.log, lines.Text())
			i.mu.Unlock()
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
		_ = i.cmd.Wait() // it is killed
	})
	t.Cleanup(func() {
		i.kill()
		if t.Failed() {
			t.Logf("%s:\n%s", name, i.logged())
		}
	})
	select {
	case i.url = <-found:
	case <-i.done:
		t.Fatalf("%s has ended: %s", name, i.logged())
	case <-time.After(patience):
		t.Fatalf("%s does not listen: %s", name, i.logged())
	}
	return i
}

func (i *instance) kill() {
	_ = i.cmd.Process.Kill() // it may have ended
	<-i.done
}

func (i *instance) logged() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.log.String()
}

// cluster is several instances behind a proxy.
type cluster struct {
	*testing.T
	nats   *natstest.Server
	at     []*instance
	url    string // of the load balancer
	client *http.Client
}

func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{T: t, nats: natstest.Start(t)}
	running := new(group.Group)
	t.Cleanup(running.Wait)
	for i := range n {
		c.at = append(c.at, startInstance(t, running, fmt.Sprintf("instance%d", i), c.nats.URL()))
	}
	carrier := &http.Transport{}
	t.Cleanup(carrier.CloseIdleConnections)
	c.client = &http.Client{Transport: carrier}
	balancer := &balancer{carrier: carrier}
	for _, i := range c.at {
		to, err := url.Parse(i.url)
		if err != nil {
			t.Fatal(err)
		}
		balancer.to = append(balancer.to, to)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetXForwarded() },
		Transport:     balancer,
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:      nil,
	})
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	c.url = front.URL + "/mcp"
	return c
}

// balancer sends each request to the next instance that can be connected to.
type balancer struct {
	carrier http.RoundTripper
	to      []*url.URL
	next    atomic.Int64
}

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	for range b.to {
		to := b.to[int(b.next.Add(1))%len(b.to)]
		attempt := r.Clone(r.Context())
		attempt.URL, attempt.Host = to, to.Host
		attempt.Body, attempt.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		var resp *http.Response
		resp, err = b.carrier.RoundTrip(attempt)
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "dial" {
			return resp, err // a request that may have arrived is not repeated
		}
	}
	return nil, err
}

// response is the response of one request.
type response struct {
	*http.Response
	*bufio.Reader
	t     *testing.T
	leave context.CancelFunc
}

// send sends a request of ada to one instance. The header comes in pairs.
func (c *cluster) send(to int, method, body string, header ...string) *response {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	r, err := http.NewRequestWithContext(ctx, method, c.at[to].url, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+ada)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.client.Do(r)
	if err != nil {
		c.Fatalf("%s at %d: %v", method, to, err)
	}
	c.Cleanup(func() { cancel(); resp.Body.Close() })
	return &response{resp, bufio.NewReader(resp.Body), c.T, cancel}
}

// open opens a session.
func (c *cluster) open(to int) string {
	c.Helper()
	resp := c.send(to, http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	resp.rest()
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || id == "" {
		c.Fatalf("initialize: status %d", resp.StatusCode)
	}
	return id
}

// rest reads to the end.
func (r *response) rest() string {
	all, _ := io.ReadAll(r.Reader) // a connection may break
	return string(all)
}

// await reads events until one has data with a part of it.
func (r *response) await(part string) (id, data string) {
	r.t.Helper()
	var seen []string
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			r.t.Fatalf("no event with %q came, status %d: %v; only %q", part, r.StatusCode, err, seen)
		}
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "id: "); ok {
			id = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			if seen = append(seen, rest); strings.Contains(rest, part) {
				return id, rest
			}
		}
	}
}

func callBody(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%d}}}`, id, tool, arguments, id)
}

// begun counts how often a job was begun, anywhere.
func (c *cluster) begun(job string) (n int) {
	for _, i := range c.at {
		n += strings.Count(i.logged(), "work begins job="+job)
	}
	return n
}

// until tries something until it is true.
func until(t *testing.T, what string, try func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !try() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within %v", what, patience)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func distinct(all []string) int {
	slices.Sort(all)
	return len(slices.Compact(all))
}
