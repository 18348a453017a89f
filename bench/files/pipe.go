package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
)

// pipe is a file server that is spoken to in bare lines, so that what a client
// does with an answer is not part of what is measured.
type pipe struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
	id    int
}

// open starts a server of files in a directory and opens a session with it.
func (b *bench) open(ctx context.Context, name, dir string) (*pipe, error) {
	p := &pipe{name: name, cmd: b.command(ctx, name, dir)}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(stdout, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = p.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err == nil {
		_, err = io.WriteString(p.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening a session with %s: %w", name, err), p.close())
	}
	return p, nil
}

// request is a request as a line.
func (p *pipe) request(method string, params any) ([]byte, error) {
	p.id++
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	return append(encoded, '\n'), err
}

// ask sends a request and returns the answer, valid until the next one.
func (p *pipe) ask(method string, params any) ([]byte, error) {
	line, err := p.request(method, params)
	if err != nil {
		return nil, err
	}
	return p.exchange(line)
}

// exchange sends a line and returns the line that answers it. What else the
// server says meanwhile, it says without an id.
func (p *pipe) exchange(line []byte) ([]byte, error) {
	if _, err := p.stdin.Write(line); err != nil {
		return nil, err
	}
	for {
		answer, err := p.out.ReadSlice('\n')
		if err != nil {
			return nil, fmt.Errorf("reading what %s answers: %w", p.name, err)
		}
		if bytes.Contains(answer[:min(len(answer), 64)], []byte(`"id":`)) || bytes.Contains(answer[max(0, len(answer)-32):], []byte(`"id":`+strconv.Itoa(p.id))) {
			return answer, nil
		}
	}
}

// close ends the server.
func (p *pipe) close() error {
	return errors.Join(p.stdin.Close(), ignoreEnd(p.cmd.Wait()))
}

// ignoreEnd leaves out that a server ended with another code than 0 when its
// input ended, which is no business of a benchmark.
func ignoreEnd(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}
