package agentclients

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// Commands of the test binary. relayCommand starts a server whose input is logged, and teeCommand is the process that logs; their
// second argument is the file of the log.
const (
	relayCommand = "relay"
	teeCommand   = "tee"
)

// helpers returns the commands of the test binary with which it is a server, or a part of one. Each has arguments.
func helpers() map[string]func(args []string) error {
	return map[string]func([]string) error{probeCommand: serveProbe, relayCommand: relay, teeCommand: tee}
}

// relay becomes a server, so that the client's process is that server. The server's input comes from a process with tee. The arguments
// are the log of that process and the command line of the server.
func relay(args []string) error {
	log, command := args[0], args[1:]
	self, err := os.Executable()
	if err != nil {
		return err
	}
	input, output, err := os.Pipe()
	if err != nil {
		return err
	}
	tee := exec.Command(self, teeCommand, log)
	tee.Stdin, tee.Stdout, tee.Stderr = os.Stdin, output, os.Stderr
	if err := tee.Start(); err != nil {
		return err
	}
	if err := errors.Join(output.Close(), syscall.Dup3(int(input.Fd()), 0, 0)); err != nil {
		return err
	}
	return syscall.Exec(command[0], command, os.Environ())
}

// inputLog is the log of the input of a server: lines with a word and its details.
type inputLog struct {
	mu   sync.Mutex
	file *os.File
}

// add appends a line.
func (l *inputLog) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.file, format+"\n", args...)
}

// tee copies standard input to standard output. It logs the process of the server, calls, cancellations, signals, and the end of the
// input. The only argument is the file of the log.
func tee(args []string) error {
	f, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	l := &inputLog{file: f}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	l.add("server %d", os.Getppid())
	go func() {
		for s := range signals {
			l.add("signal %v", s)
		}
	}()
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		l.message(line)
		if errors.Is(err, io.EOF) {
			l.add("input closed")
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := os.Stdout.Write(line); err != nil {
			l.add("server ended")
			_, err := io.Copy(io.Discard, input)
			return err
		}
	}
}

// message logs a call or a cancellation.
func (l *inputLog) message(line []byte) {
	var m clientMessage
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch m.Method {
	case "tools/call":
		l.add("call %s", m.ID)
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage
			Reason    string
		}
		_ = json.Unmarshal(m.Params, &p)
		l.add("cancelled %s %s", p.RequestID, strings.TrimSpace(p.Reason))
	}
}
