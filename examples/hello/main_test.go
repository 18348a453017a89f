package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An environment variable makes the test binary the program.
func TestMain(m *testing.M) {
	if os.Getenv("DOUGU_TEST_HELLO") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestHello(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DOUGU_TEST_HELLO=1")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"World"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"text":"Hello, World"`)) {
		t.Errorf("answered %s, %v", out, err)
	}
}

func TestGreet(t *testing.T) {
	if got, err := greet(t.Context(), GreetArgs{Name: "Ada"}); got != "Hello, Ada" || err != nil {
		t.Errorf("greet: %q, %v", got, err)
	}
}
