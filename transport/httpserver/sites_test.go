package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/httpserver/storetest"
)

// sites are several handlers that share their sessions.
type sites struct {
	*testing.T
	store *storetest.Memory
	at    []*site
	names []string // of the handlers, for the store
}

// several runs a test against n handlers that share one store, in a bubble.
func several(t *testing.T, n int, opts httpserver.Options, f func(t *testing.T, s *sites)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		all := &sites{T: t, store: new(storetest.Memory)}
		for range n {
			all.add(opts)
		}
		f(t, all)
		for _, s := range all.at {
			s.client.CloseIdleConnections()
			if err := s.h.Shutdown(context.Background()); err != nil {
				t.Errorf("shutting down: %v", err)
			}
			s.network.close()
		}
	})
}

func (all *sites) add(opts httpserver.Options) {
	s := &site{T: all.T, fixture: newFixture(all.T)}
	opts.Log = noLog
	if opts.Shared == nil {
		opts.Shared = all.store
	}
	s.h = httpserver.NewHandler(s.fixture, &opts)
	s.network = serveOnPipes(s.h)
	s.client = s.network.newClient()
	all.at = append(all.at, s)
	for _, name := range all.store.Names() {
		if !slices.Contains(all.names, name) {
			all.names = append(all.names, name)
		}
	}
}

// lose makes a handler disappear for the others, while it goes on.
func (all *sites) lose(i int) { all.store.Lose(all.names[i]) }

// opened is the response to a request that goes on.
type opened struct {
	*bufio.Reader
	leave context.CancelFunc
}

// begin sends a request whose response is read bit by bit.
func (s *site) begin(method, body string, header ...string) *opened {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	resp := s.send(ctx, method, body, header...)
	s.Cleanup(func() { cancel(); resp.Body.Close() })
	return &opened{bufio.NewReader(resp.Body), cancel}
}

// rest returns the remaining part of the response.
func (o *opened) rest(t *testing.T) string {
	t.Helper()
	all, err := io.ReadAll(o)
	if err != nil {
		t.Errorf("the response has not ended well: %v", err)
	}
	return string(all)
}

// broken returns the rest of a stalled response that the server may have ended.
func (o *opened) broken() string {
	all, _ := io.ReadAll(o)
	return string(all)
}

// rotate sends every request to the next handler, as a load balancer does.
type rotate struct {
	to   []http.RoundTripper
	next atomic.Int64
}

func (r *rotate) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.to[int(r.next.Add(1))%len(r.to)].RoundTrip(req)
}

func (all *sites) balanced() *http.Client {
	r := new(rotate)
	for _, s := range all.at {
		r.to = append(r.to, s.client.Transport)
	}
	return &http.Client{Transport: r}
}

// outage is a store that cannot be reached for a while.
type outage struct {
	httpserver.Shared
	down atomic.Bool
}

var errOutage = errors.New("out of reach")

func (o *outage) LoadSession(ctx context.Context, id string) ([]byte, uint64, error) {
	if o.down.Load() {
		return nil, 0, errOutage
	}
	return o.Shared.LoadSession(ctx, id)
}

func (o *outage) CreateSession(ctx context.Context, id string, record []byte) (uint64, error) {
	if o.down.Load() {
		return 0, errOutage
	}
	return o.Shared.CreateSession(ctx, id, record)
}

func (o *outage) Append(ctx context.Context, stream httpserver.EventStream, event httpserver.KeptEvent) error {
	if o.down.Load() {
		return errOutage
	}
	return o.Shared.Append(ctx, stream, event)
}

func (o *outage) After(ctx context.Context, stream httpserver.EventStream, seq int64) ([]httpserver.KeptEvent, error) {
	if o.down.Load() {
		return nil, errOutage
	}
	return o.Shared.After(ctx, stream, seq)
}

func (o *outage) Ask(ctx context.Context, name string, message []byte) ([]byte, error) {
	if o.down.Load() {
		return nil, errOutage
	}
	return o.Shared.Ask(ctx, name, message)
}
