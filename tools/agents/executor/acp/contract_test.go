package acp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

// servant is the first argument of the test program when it acts as an ACP program that repeats its prompts; see serve.
const servant = "servant"

func TestContract(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T, program string) executor.Executor {
		return standin.New(t, acp.New, acp.Options{Program: program, Args: []string{servant}, Process: command.Options{Grace: 200 * time.Millisecond}})
	}
	executortest.Run(t, executortest.Harness{
		New:     func(t *testing.T) executor.Executor { return open(t, self) },
		Spec:    executor.Spec{Trust: true, Env: []string{"GORACE=atexit_sleep_ms=0"}},
		Answers: map[string]string{"Say one.": "Say one.", "Say two.": "Say two."},
		Failure: "fail", Endless: "hang", Hostile: "noise", Resumes: true, UnknownModel: "gpt-9",
		Missing: func(t *testing.T) executor.Executor { return open(t, filepath.Join(t.TempDir(), "agent")) },
	})
}

// serve answers the requests of a client. An agent repeats its prompt. The prompt "fail" makes the program exit, "hang"
// makes it sleep with a child process, and "noise" makes it print hostile output first.
func serve(in io.Reader, out io.Writer) {
	reply := func(id json.RawMessage, result string) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Prompt []struct{ Text string }
			}
		}
		if json.Unmarshal(line, &request) != nil {
			continue
		}
		switch request.Method {
		case "initialize":
			reply(request.ID, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
		case "session/new":
			reply(request.ID, `{"sessionId":"s-1"}`)
		case "session/load":
			reply(request.ID, "null")
		case "session/prompt":
			prompt := request.Params.Prompt[0].Text
			play := func(text string) {
				quoted, _ := json.Marshal(text)
				fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`+"\n", quoted)
			}
			switch prompt {
			case "fail":
				return
			case "hang":
				_ = exec.Command(os.Args[0], sleeper).Start()
				play("I begin.")
				time.Sleep(time.Minute)
			case "noise":
				_, _ = out.Write(executortest.Noise())
			}
			play(prompt)
			reply(request.ID, `{"stopReason":"end_turn"}`)
		}
	}
}
