package main

import (
	"context"
	"fmt"
	"time"
)

// soon is the time within which 95 of 100 orders of agents must be answered.
const soon = 20 * time.Millisecond

// orders measures the response time of run_agent, with different numbers of agents that print and call tools. Each ordered agent
// ends before the next order.
func (b *bench) orders(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n## run_agent, until the answer\n\n| agents that run | calls | median | 95th percentile | greatest | a ping, 95th percentile | asked for | |\n|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, n := range []int{0, min(10, b.crew), b.crew} {
		took, pings, err := b.ordered(ctx, n)
		if err != nil {
			return fmt.Errorf("with %d agents: %w", n, err)
		}
		bar := fmt.Sprintf("run_agent with %d agents", n)
		fmt.Fprintf(b.stdout, "| %d | %s | %s | < %s | %s |\n", n, took.cells(), ms(pings.at(0.95)), ms(soon), b.verdict(bar, took.at(0.95) < soon))
	}
	return nil
}

// ordered orders agents one by one while others run. A ping before each measures the delay of any call.
func (b *bench) ordered(ctx context.Context, others int) (took, pings delays, err error) {
	s, err := b.open(ctx, others+1, 20*time.Millisecond)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	busy, err := s.orders(others, "[steady for=10m words=20 tools=2]")
	if err != nil {
		return nil, nil, err
	}
	p, err := dial(ctx, s.page)
	if err != nil {
		return nil, nil, err
	}
	defer p.close()
	if err := p.running(ctx, others); err != nil {
		return nil, nil, err
	}
	for range b.calls {
		_, ping, err := s.Ask("ping", struct{}{})
		if err != nil {
			return nil, nil, err
		}
		pings = append(pings, ping)
		id, t, err := s.order("[fake:ok]")
		if err != nil {
			return nil, nil, err
		}
		took = append(took, t)
		if err := s.await([]string{id}); err != nil {
			return nil, nil, err
		}
	}
	return took, pings, s.cancel(busy)
}
