package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Session is a client of any server over standard input and output. It sends one request at a time.
type Session struct {
	p      *process
	id     int
	answer []byte // last response

	instructions string
}

// OpenSession starts a server and opens a session. The server is killed when the context of the command ends.
func OpenSession(cmd *exec.Cmd) (*Session, error) {
	p, err := launch(cmd)
	if err != nil {
		return nil, err
	}
	s := &Session{p: p, id: firstID}
	if err := s.shakeHands(); err != nil {
		return nil, p.explain(fmt.Errorf("initialize: %w", err))
	}
	return s, nil
}

func (s *Session) shakeHands() error {
	r, err := initialize()
	if err != nil {
		return err
	}
	result, _, err := s.exchange(r)
	if err != nil {
		return err
	}
	if err := checkInitialize(result); err != nil {
		return err
	}
	var server struct{ Instructions string }
	if err := json.Unmarshal(result, &server); err != nil {
		return fmt.Errorf("reading the result of initialize: %w", err)
	}
	s.instructions = server.Instructions
	_, err = s.p.stdin.Write(append(initialized(), '\n'))
	return err
}

// Instructions returns the instructions of the server for a model.
func (s *Session) Instructions() string { return s.instructions }

// Ask makes a request and returns its result and the response time, without encoding and decoding.
func (s *Session) Ask(method string, params any) (json.RawMessage, time.Duration, error) {
	r, err := newRequest(method, params)
	if err != nil {
		return nil, 0, err
	}
	result, took, err := s.exchange(r)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", method, err)
	}
	return result, took, nil
}

// exchange sends a request and reads the response. Other messages of the server are ignored.
func (s *Session) exchange(r request) (json.RawMessage, time.Duration, error) {
	s.id++
	r.number(s.id)
	id := fmt.Appendf(nil, `"id":%d`, s.id)
	begun := time.Now()
	if _, err := s.p.stdin.Write(r.line); err != nil {
		return nil, 0, err
	}
	for found := false; !found; {
		_, err := s.p.stdout.batch(func(line []byte) {
			if !found && (bytes.Contains(line[:min(len(line), 64)], id) || bytes.Contains(line[max(0, len(line)-32):], id)) {
				s.answer, found = append(s.answer[:0], line...), true
			}
		})
		if err != nil {
			return nil, 0, fmt.Errorf("read the answer: %w", err)
		}
	}
	took := time.Since(begun)
	a, err := parseAnswer(s.answer)
	return a.Result, took, err
}

// Resident returns the current and the maximum memory of the server in bytes; 0 on systems that do not report it.
func (s *Session) Resident() (now, peak int64, err error) { return Resident(s.p.cmd.Process.Pid) }

// CPU returns the processor time of the server; 0 on systems that do not report it.
func (s *Session) CPU() (time.Duration, error) { return cpuTime(s.p.cmd.Process.Pid) }

// Close ends the server.
func (s *Session) Close() { s.p.stop() }

// Resident returns the current and the maximum memory of a running process in bytes; 0 on systems that do not report it.
func Resident(pid int) (now, peak int64, err error) {
	m, err := memory(pid)
	return m.now, m.peak, err
}

// CPUOf runs a command and returns the processor time (user and system) of it and its children, and its output.
func CPUOf(cmd *exec.Cmd) (time.Duration, []byte, error) {
	var stderr tail
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("%s: %w: %s", cmd.Path, err, stderr.String())
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), stdout.Bytes(), nil
}

// OwnCPU returns the processor time of this process; 0 on systems that do not report it.
func OwnCPU() time.Duration {
	cpu, err := cpuTime(os.Getpid())
	if err != nil {
		return 0
	}
	return cpu
}
