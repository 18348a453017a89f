package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// decode reads all lines with the decoder.
func decode(text []byte) (events int, err error) {
	d := cursor.NewDecoder()
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		d.Decode(line, func(e executor.Event) {
			if e.Kind != executor.Unknown {
				events++
			}
		})
		text = rest
	}
	return events, nil
}

// execute runs an agent that prints the text, and measures the executor's own processor time.
func execute(text []byte) (events int, err error) {
	dir, err := os.MkdirTemp("", "bench-agents-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	output, program := filepath.Join(dir, "output"), filepath.Join(dir, "agent")
	script := "#!/bin/sh\nexec cat '" + output + "'\n"
	if err := errors.Join(os.WriteFile(output, text, 0o600), os.WriteFile(program, []byte(script), 0o700)); err != nil {
		return 0, err
	}
	x, err := cursor.New(cursor.Options{Program: program})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	_, err = x.Run(background, executor.Spec{AgentID: "bench", Prompt: "print", Dir: dir}, func(e executor.Event) {
		if e.Kind != executor.Unknown && e.Kind != executor.Output {
			events++
		}
	})
	return events, err
}

// event is the struct for encoding/json.
type event struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	CallID  string `json:"call_id"`
	Text    string `json:"text"`
	Stamp   *int64 `json:"timestamp_ms"`
	ModelID string `json:"model_call_id"`
	Message struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"message"`
	Tool map[string]struct {
		Args   json.RawMessage `json:"args"`
		Result struct {
			Success *struct {
				Path   string  `json:"path"`
				Diff   string  `json:"diffString"`
				Before *string `json:"beforeFullFileContent"`
			} `json:"success"`
		} `json:"result"`
	} `json:"tool_call"`
}

// standard decodes all lines with encoding/json.
func standard(text []byte) (events int, err error) {
	lines := bufio.NewReaderSize(bytes.NewReader(text), 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return events, err
		}
		if e.Type != "" && !strings.Contains(e.Type, " ") {
			events++
		}
	}
}
