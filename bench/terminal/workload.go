package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// workload is a command that runs both ways.
type workload struct {
	name  string
	args  map[string]any // arguments of execute_command
	words []string       // the same command line
	says  string         // expected output
}

func workloads() []workload {
	const lines = "seq 1 1000"
	var numbers strings.Builder
	for i := 1; i <= 1000; i++ {
		fmt.Fprintln(&numbers, i)
	}
	return []workload{
		{name: "true", args: map[string]any{"command": "true", "args": []string{}}, words: []string{"true"}},
		{name: "sh -c true", args: map[string]any{"command": "true"}, words: []string{"sh", "-c", "true"}},
		{name: "sh -c '" + lines + "'", args: map[string]any{"command": lines}, words: []string{"sh", "-c", lines}, says: numbers.String()},
	}
}

// directly runs the command and returns its time.
func (w workload) directly(ctx context.Context, dir string) (time.Duration, error) {
	begun := time.Now()
	cmd := exec.CommandContext(ctx, w.words[0], w.words[1:]...)
	cmd.Dir = dir
	if w.says == "" {
		err := cmd.Run() // without pipes
		return time.Since(begun), err
	}
	out, err := cmd.Output()
	took := time.Since(begun)
	if err == nil && !bytes.Equal(out, []byte(w.says)) {
		err = fmt.Errorf("it wrote %.100q", out)
	}
	return took, err
}

// through runs the command through a server and checks the result.
func (w workload) through(s *driver.Session) (time.Duration, error) {
	answer, took, err := s.Ask("tools/call", map[string]any{"name": "execute_command", "arguments": w.args})
	if err != nil {
		return 0, err
	}
	says, err := json.Marshal(w.says)
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(answer, []byte(`"exitCode":0`)) || !bytes.Contains(answer, append([]byte(`"stdout":`), says...)) {
		return 0, fmt.Errorf("a wrong answer: %.300s", answer)
	}
	return took, nil
}
