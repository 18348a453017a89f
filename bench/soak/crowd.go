package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// crowd is the set of clients.
type crowd struct {
	soak    *soak
	clients []*mcp.Client
	told    tally
}

// crowd connects the clients.
func (s *soak) crowd(ctx context.Context, sv *server) (*crowd, error) {
	c := &crowd{soak: s}
	for i := range s.clients {
		var tr protocol.Transport = websocket.Client{URL: sv.webSocket}
		if i%2 == 1 {
			tr = &httpclient.Client{URL: sv.http}
		}
		var revision protocol.Revision
		if i/2%2 == 1 {
			revision = "2025-11-25"
		}
		// Clients without a session are distinguished by their names.
		client, err := mcp.Connect(ctx, tr, mcp.Implementation{Name: fmt.Sprintf("soak-%d", i), Version: "1"}, &mcp.ClientOptions{Revision: revision, Timeout: driver.MeasurementTimeout, CacheEntries: -1})
		if err != nil {
			c.leave()
			return nil, fmt.Errorf("connecting client %d: %w; %s", i, err, sv.tail())
		}
		c.clients = append(c.clients, client)
	}
	return c, nil
}

// leave disconnects all clients.
func (c *crowd) leave() {
	var leaving group.Group
	for _, client := range c.clients {
		leaving.Go(func() { _ = client.Close() })
	}
	leaving.Wait()
}

// use lets all clients make requests while files change. look is called at intervals.
func (c *crowd) use(ctx context.Context, look func(at time.Duration) error, tree *corpus) {
	ctx, cancel := context.WithTimeout(ctx, c.soak.duration)
	defer cancel()
	var running group.Group
	running.OnPanic = func(v any, _ []byte) { c.told.add("panic", 0, fmt.Errorf("panic: %v", v)) }
	began := time.Now()
	for i, client := range c.clients {
		running.Go(func() { c.ask(ctx, &running, client, tree, i, began) })
	}
	running.Go(func() {
		every(ctx, c.soak.change, func() {
			if err := tree.changeOne(); err != nil {
				c.told.add("change", 0, err)
			}
		})
	})
	running.Go(func() {
		every(ctx, time.Second, func() {
			if err := look(time.Since(began)); err != nil && ctx.Err() == nil {
				c.told.add("metrics", 0, err)
			}
		})
	})
	running.Wait()
}

func every(ctx context.Context, d time.Duration, do func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// ask makes the requests of one client, each at its planned time, without waiting for responses.
func (c *crowd) ask(ctx context.Context, running *group.Group, client *mcp.Client, tree *corpus, n int, began time.Time) {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	apart := time.Duration(float64(time.Second) / c.soak.rate)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for due := began.Add(time.Duration(r.Int64N(int64(apart)))); ; due = due.Add(apart) {
		timer.Reset(time.Until(due))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		tool, args := request(r, tree)
		running.Go(func() {
			// Pending requests are completed after the end.
			_, err := mcp.Call[string](context.WithoutCancel(ctx), client, tool, args)
			c.told.add(tool, time.Since(due), err)
		})
	}
}

// request returns a request as an agent makes it.
func request(r *rand.Rand, tree *corpus) (tool string, args map[string]any) {
	switch n := r.IntN(100); {
	case n < 60:
		return "searchDocuments", map[string]any{"query": tree.words(r), "limit": 1 + r.IntN(20)}
	case n < 75:
		return "findSimilarCode", map[string]any{"code": tree.codes[r.IntN(len(tree.codes))], "language": "go"}
	case n < 80:
		return "getProjectContext", map[string]any{"includeFiles": r.IntN(2) == 0}
	}
	return "get_index_status", map[string]any{}
}

// finds searches for the last change until the server finds it, for at most a minute.
func (c *crowd) finds(ctx context.Context, tree *corpus) error {
	name := changed(tree.changes)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		text, err := mcp.Call[string](ctx, c.clients[0], "searchDocuments", map[string]any{"query": name, "limit": 5})
		if err == nil && strings.Contains(text, "func "+name+"()") {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not found: %w; the answer is %.200s", name, errors.Join(err, ctx.Err()), text)
		case <-tick.C:
		}
	}
}
