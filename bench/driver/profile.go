package driver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// Kinds of profiles.
const (
	cpuProfile  = "profile"
	heapProfile = "heap"
)

// profile requests a profile from a server with a probe and writes it to Options.Profiles, if that is set.
func (o Options) profile(ctx context.Context, p *process, kind, workload, server string) error {
	if o.Profiles == "" {
		return nil
	}
	at := p.probe.JoinPath("debug/pprof", kind)
	at.RawQuery = "gc=1"
	if kind == cpuProfile {
		at.RawQuery = "seconds=5"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("profile the server: %w", err)
	}
	defer response.Body.Close()
	file, err := os.Create(filepath.Join(o.Profiles, fmt.Sprintf("%s-%s-%s.pb.gz", workload, server, kind)))
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, response.Body); err != nil {
		file.Close()
		return fmt.Errorf("profile the server: %w", err)
	}
	return file.Close()
}

// profileCalls makes calls during a profile.
func (o Options) profileCalls(ctx context.Context, w Workload, e entrant) error {
	if o.Profiles == "" || !e.way.listens {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, MeasurementTimeout)
	defer cancel()
	p, err := startListening(ctx, e.binary, o.Tools, true, e.way.args...)
	if err != nil {
		return err
	}
	defer p.stop()
	c, err := e.way.dial(ctx, p, o.InFlight)
	if err != nil {
		return p.explain(err)
	}
	defer c.close()
	var both errgroup.Group
	profiled := make(chan struct{})
	both.Go(func() error {
		defer close(profiled)
		return o.profile(ctx, p, cpuProfile, w.Name, e.name)
	})
	both.Go(func() error {
		x := exchange{request: e.request, first: firstID, calls: w.Calls(o.Calls), inFlight: o.InFlight, every: 1}
		for {
			if _, err := c.carry(ctx, x); err != nil {
				return err
			}
			select {
			case <-profiled:
				return nil
			default:
			}
		}
	})
	return both.Wait()
}
