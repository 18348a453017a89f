package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/internal/group"
)

// settings allow many clients from one host, with limits for as many. Other settings are the defaults.
const settings = `server: {port: 0}
connection: {maxConnections: %d}
transport: {stdio: false, websocket: true, http: true}
logging: {level: error}
plugins: {enabled: [filesystem]}
index: {path: %q}
security: {rateLimiting: {maxRequestsPerMinute: %d, maxRequestsPerHour: %d}}
`

// server is a running cqm.
type server struct {
	cmd             *exec.Cmd
	http, webSocket string
	base            string
	client          *http.Client
	reading         group.Group

	mu   sync.Mutex
	said []string
}

// start starts the server and waits until it listens and all files are indexed.
func (s *soak) start(ctx context.Context, tree *corpus) (_ *server, err error) {
	file := filepath.Join(s.dir, "cqm.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, settings, s.clients+1, filepath.ToSlash(filepath.Join(s.dir, "index")), 120*(s.clients+1), 3600*(s.clients+1)), 0o600); err != nil {
		return nil, err
	}
	sv := &server{client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: driver.MeasurementTimeout}}
	sv.cmd = exec.CommandContext(ctx, s.program, "mcp-server", "-project", tree.dir, "-config", file)
	sv.cmd.Cancel = func() error { return sv.cmd.Process.Signal(os.Interrupt) }
	sv.cmd.WaitDelay = 10 * time.Second
	stderr, err := sv.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := sv.cmd.Start(); err != nil {
		return nil, err
	}
	known := make(chan struct{})
	sv.reading.Go(func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if sv.hear(lines.Text()) {
				close(known)
			}
		}
	})
	select {
	case <-known:
	case <-time.After(driver.MeasurementTimeout):
		return nil, errors.Join(fmt.Errorf("the server does not say where it is: %s", sv.tail()), sv.end())
	}
	if err := sv.indexed(ctx); err != nil {
		return nil, errors.Join(err, sv.end())
	}
	return sv, nil
}

// hear processes a line of standard error, and reports whether all addresses are known.
func (sv *server) hear(line string) bool {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.said = append(sv.said[max(0, len(sv.said)-20):], line)
	url, ok := strings.CutPrefix(line, "cqm serves ")
	switch {
	case !ok:
		return false
	case strings.HasPrefix(url, "http://"):
		sv.http, sv.base = url, strings.TrimSuffix(url, "/mcp")
	case strings.HasPrefix(url, "ws://"):
		sv.webSocket = url
	}
	return sv.http != "" && sv.webSocket != ""
}

// tail returns the last output of the server.
func (sv *server) tail() string {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	return strings.Join(sv.said, "\n")
}

// end ends the server.
func (sv *server) end() error {
	_ = sv.cmd.Process.Signal(os.Interrupt)
	timer := time.AfterFunc(driver.MeasurementTimeout, func() { _ = sv.cmd.Process.Kill() })
	defer timer.Stop()
	sv.reading.Wait()
	if err := sv.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ended: %w: %s", err, sv.tail())
	}
	return nil
}

// state holds metrics of the server.
type state struct {
	resident                float64 // bytes
	worked                  float64 // processor time in seconds
	goroutines, descriptors int
	files, pending          int
	ready                   bool
}

// readState requests the metrics of the server.
func (sv *server) readState(ctx context.Context) (s state, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, sv.base+"/metrics", nil)
	if err != nil {
		return s, err
	}
	response, err := sv.client.Do(req)
	if err != nil {
		return s, err
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		return s, err
	}
	for line := range strings.Lines(body.String()) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_resident_memory_bytes":
			s.resident = value
		case "process_cpu_seconds_total":
			s.worked = value
		case "go_goroutines":
			s.goroutines = int(value)
		case "process_open_fds":
			s.descriptors = int(value)
		case `cqm_index_files{index="filesystem"}`:
			s.files = int(value)
		case `cqm_index_pending_files{index="filesystem"}`:
			s.pending = int(value)
		case `cqm_index_state{index="filesystem",state="ready"}`:
			s.ready = value == 1
		}
	}
	if s.goroutines == 0 {
		return s, fmt.Errorf("the metrics are %d, %.300s", response.StatusCode, body.String())
	}
	return s, nil
}

// until requests the metrics until a condition is met.
func (sv *server) until(ctx context.Context, most time.Duration, met func(state) bool) (s state, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := sv.readState(ctx)
		if ctx.Err() != nil {
			return s, false, nil
		}
		if s = now; err != nil || met(s) {
			return s, err == nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, false, nil
		}
	}
}

// indexed waits until all files are indexed.
func (sv *server) indexed(ctx context.Context) error {
	s, ok, err := sv.until(ctx, 10*time.Minute, func(s state) bool { return s.ready && s.files > 0 && s.pending == 0 })
	if err == nil && !ok {
		err = fmt.Errorf("the index is not ready: %+v; %s", s, sv.tail())
	}
	return err
}

// rests waits until the server without clients has finished its background work, and returns its state.
func (sv *server) rests(ctx context.Context) (state, error) {
	last := -1
	s, _, err := sv.until(ctx, 5*time.Second, func(s state) bool {
		same := s.goroutines == last
		last = s.goroutines
		return same
	})
	return s, err
}

// settles waits up to a minute until the server has no more than in the state rest.
func (sv *server) settles(ctx context.Context, rest state) (state, error) {
	s, _, err := sv.until(ctx, time.Minute, func(s state) bool {
		return s.goroutines <= rest.goroutines+spare && s.descriptors <= rest.descriptors+spare
	})
	return s, err
}
