package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// setup describes the processes of a measurement.
type setup struct {
	http         bool // the client uses HTTP instead of standard input and output
	gateway      bool
	upstreamHTTP bool // the gateway uses HTTP to the server
	client       bool // the client's time counts
}

// round returns the processor time of all servers for one call, and of the client if it counts.
func (b *bench) round(ctx context.Context, s setup) (took time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args, tool := []string{"-be", "server"}, catalog.SmallName
	if s.gateway {
		args, tool = []string{"-be", "gateway"}, "up_"+catalog.SmallName
	}
	if s.upstreamHTTP {
		url, stop, err := listen(ctx, program, "-be", "server", "-http")
		if err != nil {
			return 0, err
		}
		defer stop()
		args = append(args, "-upstream", url)
	}
	var way protocol.Transport
	if s.http {
		url, stop, err := listen(ctx, program, append(args, "-http")...)
		if err != nil {
			return 0, err
		}
		defer stop()
		way = &httpclient.Client{URL: url}
	} else {
		way = transport.Command{Path: program, Args: args}
	}
	c, err := mcp.Connect(ctx, way, mcp.Implementation{Name: "bench", Version: "1"}, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := b.call(ctx, c, tool, b.calls/4+1); err != nil { // warm-up
		return 0, err
	}
	processes, err := descendants(os.Getpid())
	if err != nil {
		return 0, err
	}
	if s.client {
		processes = append(processes, os.Getpid())
	}
	before, err := cpuOf(processes)
	if err != nil {
		return 0, err
	}
	if err := b.call(ctx, c, tool, b.calls); err != nil {
		return 0, err
	}
	after, err := cpuOf(processes)
	return (after - before) / time.Duration(b.calls), err
}

// call makes concurrent calls and checks each result.
func (b *bench) call(ctx context.Context, c *mcp.Client, tool string, calls int) error {
	var wg sync.WaitGroup
	errs := make([]error, b.inFlight)
	for worker := range b.inFlight {
		wg.Go(func() {
			for i := worker; i < calls && errs[worker] == nil; i += b.inFlight {
				in := catalog.GreetArgs{Name: "Ada", Count: i, Tags: []string{"a", "b"}, Opt: catalog.GreetOptions{Deep: true, F: 1.5}}
				out, err := mcp.Call[catalog.Greeting](ctx, c, tool, in)
				if want := catalog.Greet(in); err == nil && (out.Greeting != want.Greeting || out.Total != want.Total) {
					err = fmt.Errorf("it answers %+v, not %+v", out, want)
				}
				errs[worker] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// listen starts a part that serves HTTP.
func listen(ctx context.Context, program string, args ...string) (url string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // the exit code is ignored
	}
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%q says no URL: %w", args, err)
	}
	return strings.TrimSpace(line), stop, nil
}
