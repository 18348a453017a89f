// Package lsptest is a language server for tests. A [Script] defines its answers and faults. A test binary becomes the server:
//
//	func TestMain(m *testing.M) {
//		if lsptest.Serve() {
//			return
//		}
//		…
package lsptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Script defines the behaviour of the server.
type Script struct {
	// Capabilities are the capabilities of the server; nil means all.
	Capabilities json.RawMessage
	// Answers are its results by method; others are null. $ROOT is the URI of the folder, $DIR its path without a
	// leading slash, $VERSION the version of the document that was told of last, and $REACHES the result of Reach.
	Answers map[string]string
	// Errors are the messages of errors that it answers, by method.
	Errors map[string]string
	// Sends are messages that it sends when it is told or asked a method, before it answers.
	Sends map[string][]string
	// Read and Write are the paths of files that it tries to read and to write.
	Read, Write []string
	// Poison is a text with which the server dies when a document contains it.
	Poison string
	// Does replaces the answers of methods by one of the faults below.
	Does map[string]string
}

// Faults of a server, instead of an answer.
const (
	Hang    = "hang"    // it reads on and sends nothing more
	Sleep   = "sleep"   // it does not even read
	Die     = "die"     // it says why on standard error, and ends
	Garbage = "garbage" // it prints an invalid message
	Flood   = "flood"   // it sends messages without end
	Huge    = "huge"    // it sends a message of 50 MB
	Promise = "promise" // it announces a message that never comes
	Binary  = "binary"  // it sends a message that is no JSON
	Half    = "half"    // it sends half of an answer, and ends
	Eat     = "eat"     // it takes 120 MB of memory, and sleeps
	Breed   = "breed"   // it starts a child process that takes 120 MB of memory, and sleeps
	Chatter = "chatter" // it sends progress notifications without end
)

const variable = "DOUGU_LSPTEST_SCRIPT"

// Reach tries to read some files and to write others, and names the files with which that succeeds.
func Reach(read, write []string) string {
	reached := []string{}
	for _, path := range read {
		if _, err := os.ReadFile(path); err == nil {
			reached = append(reached, "read "+filepath.Base(path))
		}
	}
	for _, path := range write {
		if err := os.WriteFile(path, []byte("written\n"), 0o600); err == nil {
			reached = append(reached, "wrote "+filepath.Base(path))
		}
	}
	return strings.Join(reached, ", ")
}

// Env is the environment that makes a test binary the server.
func (s Script) Env() []string { return append(os.Environ(), s.variable()) }

func (s Script) variable() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a test that is wrong
	}
	return variable + "=" + string(text)
}

// Program writes a program for Unix that is the server in any environment, by running a test binary.
func (s Script) Program(file, binary string) error {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	return os.WriteFile(file, []byte("#!/bin/sh\nexec env "+quote(s.variable())+" "+quote(binary)+"\n"), 0o755)
}

// Serve is the server, if the environment says so.
func Serve() bool {
	text := os.Getenv(variable)
	if text == "" {
		return false
	}
	if text == Eat {
		new(server).do(Eat)
	}
	s := &server{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), version: "0"}
	if err := json.Unmarshal([]byte(text), &s.script); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for s.next() {
	}
	return true
}

type server struct {
	script  Script
	in      *bufio.Reader
	out     *bufio.Writer
	root    string
	version string
}

const everything = `{"textDocumentSync": 2, "definitionProvider": true, "hoverProvider": true, "callHierarchyProvider": true, "typeHierarchyProvider": true, "referencesProvider": true, "renameProvider": true, "documentSymbolProvider": true,
	"workspaceSymbolProvider": true, "documentFormattingProvider": true, "documentRangeFormattingProvider": true, "codeActionProvider": {"resolveProvider": true},
	"diagnosticProvider": {"workspaceDiagnostics": true}, "executeCommandProvider": {"commands": ["mend"]}}`

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RootURI      string `json:"rootUri"`
		TextDocument struct {
			Version json.Number `json:"version"`
			Text    string      `json:"text"`
		} `json:"textDocument"`
	} `json:"params"`
}

// next handles the next message.
func (s *server) next() bool {
	m, ok := s.read()
	if !ok || m.Method == "exit" {
		return false
	}
	if m.Params.RootURI != "" {
		s.root = m.Params.RootURI
	}
	if v := m.Params.TextDocument.Version; v != "" {
		s.version = v.String()
	}
	if s.script.Poison != "" && strings.Contains(m.Params.TextDocument.Text, s.script.Poison) {
		s.do(Die)
	}
	if deed := s.script.Does[m.Method]; deed != "" {
		s.do(deed)
		return true
	}
	for _, text := range s.script.Sends[m.Method] {
		s.write(text)
	}
	switch {
	case m.ID == nil || m.Method == "":
	case s.script.Errors[m.Method] != "":
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32803,"message":%q}}`, m.ID, s.script.Errors[m.Method]))
	default:
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, s.answer(m.Method)))
	}
	return true
}

func (s *server) answer(method string) string {
	if answer, ok := s.script.Answers[method]; ok {
		return answer
	}
	if method != "initialize" {
		return "null"
	}
	capabilities := s.script.Capabilities
	if len(capabilities) == 0 || string(capabilities) == "null" {
		capabilities = json.RawMessage(everything)
	}
	return fmt.Sprintf(`{"capabilities":%s}`, capabilities)
}

func (s *server) read() (m message, ok bool) {
	length := 0
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return m, false
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, found := strings.CutPrefix(line, "Content-Length: "); found {
			length, _ = strconv.Atoi(value)
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return m, false
	}
	return m, json.Unmarshal(body, &m) == nil
}

func (s *server) write(text string) {
	if strings.Contains(text, "$REACHES") {
		text = strings.ReplaceAll(text, "$REACHES", Reach(s.script.Read, s.script.Write))
	}
	text = strings.NewReplacer("$ROOT", s.root, "$DIR", strings.TrimPrefix(s.root, "file:///"), `"$VERSION"`, s.version).Replace(text)
	fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
	s.out.Flush()
}

func (s *server) do(deed string) {
	switch deed {
	case Hang:
		_, _ = io.Copy(io.Discard, s.in)
	case Sleep:
		for {
			time.Sleep(time.Hour)
		}
	case Die:
		fmt.Fprintln(os.Stderr, "out of cheese")
		os.Exit(3)
	case Garbage:
		fmt.Fprintf(os.Stdout, "Hello, I am a language server\n%s\n", strings.Repeat("and I talk ", 1000))
	case Binary:
		s.write("\x00\x01\x02")
	case Promise:
		fmt.Fprint(os.Stdout, "Content-Length: 10000000\r\n\r\n{")
	case Huge:
		fmt.Fprint(os.Stdout, "Content-Length: 50000000\r\n\r\n")
		_, _ = io.Copy(os.Stdout, io.LimitReader(repeat('x'), 50_000_000))
	case Half:
		fmt.Fprint(os.Stdout, "Content-Length: 1000\r\n\r\n{\"jsonrpc\":\"2.0\"")
		os.Exit(0)
	case Eat:
		memory := bytes.Repeat([]byte("x"), 120<<20)
		for len(memory) > 0 {
			time.Sleep(time.Hour)
		}
	case Breed:
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), variable+"="+Eat)
		if err := child.Run(); err != nil {
			os.Exit(4)
		}
	case Flood, Chatter:
		text := `{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":4,"message":"on and on"}}`
		if deed == Chatter {
			text = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"report","message":"on and on","percentage":1}}}`
		}
		one := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(text), text)
		for many := bytes.Repeat(one, 100); ; {
			if _, err := os.Stdout.Write(many); err != nil {
				return
			}
		}
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}
