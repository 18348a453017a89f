package driver

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dougu-go/dougu/bench/probe"
)

// Names of the holds: things that clients can keep open at a server.
const (
	IdleSessions   = "idle-sessions"           // sessions of a legacy revision, over few HTTP connections
	IdleWebSockets = "idle-websockets"         // WebSocket connections, used once in revision 2026-07-28
	IdleConnected  = "idle-websocket-sessions" // WebSocket connections with a legacy session each
	Listens        = "listens"                 // subscriptions/listen streams, each over its own HTTP connection
	HalfOpen       = "half-open"               // connections with an incomplete HTTP request header
)

// hold is a measurement of open and idle things.
type hold struct {
	name    string
	share   int // it opens Options.Held / share
	servers []string
	args    []string
	open    func(ctx context.Context, u *url.URL, n int) (opened, error)
	passing bool // servers close it soon: it must be measured at once
	call    call // call of another client in the meantime
	dial    func(ctx context.Context, u *url.URL, connections int) (*posts, error)
}

// opened are the open things of a hold.
type opened interface {
	// refused checks them and returns how many the server has closed.
	refused(ctx context.Context) (int, error)
	close(ctx context.Context)
}

func holds(tools int) ([]hold, error) {
	workloads, err := Workloads(tools)
	if err != nil {
		return nil, err
	}
	called := func(workload string) call {
		i := slices.IndexFunc(workloads, func(w Workload) bool { return w.Name == workload })
		return workloads[i].calls[0]
	}
	older, newer := called(HTTPSession), called(HTTPStateless)
	return []hold{
		{IdleSessions, 1, []string{Floor, MCPGo, GoSDK, Dougu}, []string{"-sessions"}, openSessions(older), false, older, dialSession},
		{IdleWebSockets, 5, []string{Floor, Dougu}, nil, openSockets((*httpConn).discover), false, newer, dialPosts},
		{IdleConnected, 5, []string{Dougu}, nil, openSockets((*httpConn).openSession), false, newer, dialPosts},
		{Listens, 1, []string{Floor, MCPGo, GoSDK, Dougu}, nil, openListens, false, newer, dialPosts},
		{HalfOpen, 1, []string{Floor, Dougu}, nil, openHalf, true, newer, dialPosts},
	}, nil
}

// Holds returns the names of the holds.
func Holds() []string {
	return []string{IdleSessions, IdleWebSockets, IdleConnected, Listens, HalfOpen}
}

// hold measures a hold with every server that supports it.
func (o Options) hold(ctx context.Context, report *Report, servers []Binary, h hold) error {
	n := max(1, o.Held/h.share)
	if limit, err := openFiles(); err == nil && limit < n+n/100+100 {
		return fmt.Errorf("%s: %d connections need more open files than the limit of %d; raise it (ulimit -n) or hold fewer", h.name, n, limit)
	}
	for _, server := range servers {
		if !slices.Contains(h.servers, server.Name) {
			continue
		}
		o.Progress(1, h.name, server.Name)
		held, err := o.holdOne(ctx, server, h, n)
		if err != nil {
			return fmt.Errorf("server %s, %s: %w", server.Name, h.name, err)
		}
		report.Held = append(report.Held, held)
	}
	return nil
}

func (o Options) holdOne(ctx context.Context, server Binary, h hold, n int) (*Held, error) {
	ctx, cancel := context.WithTimeout(ctx, MeasurementTimeout)
	defer cancel()
	p, err := startListening(ctx, server, o.Tools, true, h.args...)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	held := &Held{Hold: h.name, Server: server.Name, Count: n}
	if err := h.measure(ctx, p, held, o); err != nil {
		return nil, p.explain(err)
	}
	return held, nil
}

func (h hold) measure(ctx context.Context, p *process, held *Held, o Options) error {
	// Costs that do not depend on the number arise before the first measurement.
	warm, err := h.open(ctx, p.endpoint, max(1, held.Count/100))
	if err != nil {
		return err
	}
	defer warm.close(ctx)
	if _, err := h.others(ctx, p.endpoint); err != nil {
		return err
	}
	if held.Before, err = p.settled(ctx, o.Calm, 0); err != nil {
		return err
	}
	all, err := h.open(ctx, p.endpoint, held.Count)
	if err != nil {
		return err
	}
	calm := o.Calm
	if h.passing {
		calm = 0
	}
	err = h.look(ctx, p, all, held, calm)
	if err == nil {
		err = o.profile(ctx, p, heapProfile, h.name, held.Server)
	}
	all.close(ctx)
	if err != nil {
		return err
	}
	held.After, err = p.settled(ctx, o.Calm, held.Before.Goroutines)
	return err
}

// look measures while all is open.
func (h hold) look(ctx context.Context, p *process, all opened, held *Held, calm time.Duration) (err error) {
	if held.Answer, err = h.others(ctx, p.endpoint); err != nil {
		return fmt.Errorf("another client: %w", err)
	}
	now, err := memory(p.cmd.Process.Pid)
	if err != nil {
		return err
	}
	held.Full = now.now
	if held.During, err = p.settled(ctx, calm, 0); err != nil {
		return err
	}
	held.Refused, err = all.refused(ctx)
	return err
}

// others makes some calls over new connections and returns the longest response time.
func (h hold) others(ctx context.Context, u *url.URL) (longest time.Duration, err error) {
	for range 16 {
		began := time.Now()
		if err := h.other(ctx, u); err != nil {
			return 0, err
		}
		longest = max(longest, time.Since(began))
	}
	return longest, nil
}

func (h hold) other(ctx context.Context, u *url.URL) error {
	c, err := h.dial(ctx, u, 1)
	if err != nil {
		return err
	}
	defer c.close()
	x := exchange{request: h.call.request, first: firstID, calls: 1, inFlight: 1, every: 1}
	_, err = warmUp(ctx, c, x, h.call.check)
	return err
}

// use returns the memory of the server after a garbage collection.
func (p *process) use(ctx context.Context) (Usage, error) {
	stats, err := probe.Ask(ctx, p.probe.String())
	if err != nil {
		return Usage{}, err
	}
	now, err := memory(p.cmd.Process.Pid)
	return Usage{stats, now.owned}, err
}

// settled is use after the server is idle: it has at most the given number of goroutines, or none has ended for the time calm. It
// waits for a limited time.
func (p *process) settled(ctx context.Context, calm time.Duration, goroutines int) (Usage, error) {
	const most = 30 * time.Second
	began := time.Now()
	least, since := math.MaxInt, began
	for {
		used, err := p.use(ctx)
		if err != nil {
			return used, err
		}
		if used.Goroutines < least {
			least, since = used.Goroutines, time.Now()
		}
		if used.Goroutines <= goroutines || time.Since(since) >= calm || time.Since(began) >= most {
			return used, nil
		}
		select {
		case <-time.After(min(calm, 200*time.Millisecond)):
		case <-ctx.Done():
			return Usage{}, ctx.Err()
		}
	}
}

// atATime is the number of concurrent workers that open things.
const atATime = 16

// sideBySide calls open for every number below n, several concurrently.
func sideBySide(ctx context.Context, n int, open func(ctx context.Context, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	for worker := range min(atATime, n) {
		all.Go(func() error {
			for i := worker; i < n && ctx.Err() == nil; i += atATime {
				if err := open(ctx, i); err != nil {
					return fmt.Errorf("open %d of %d: %w", i+1, n, err)
				}
			}
			return ctx.Err()
		})
	}
	return all.Wait()
}
