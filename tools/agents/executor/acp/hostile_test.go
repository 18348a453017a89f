package acp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
)

func TestDecode_ForgedMessages(t *testing.T) {
	script := "> initialize\n" +
		`< {"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"","path":"$DIR/x"}}` + "\n> \"id\":1 & -32602\n" +
		strings.SplitAfterN(hello, "\n", 2)[1] +
		"< no message at all\n" +
		`< [{"jsonrpc":"2.0","id":9,"result":{}}]` + "\n" +
		`< {"jsonrpc":"1.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n" +
		`< {"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}` + "\n" + // a response without a request
		`< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-2"}}` + "\n" + // a second response to one request
		`< {"jsonrpc":"2.0","id":"3","result":{"stopReason":"end_turn"}}` + "\n" +
		`< {"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":{"sessionId":"s-2","path":"$DIR/x"}}` + "\n> \"id\":4 & there is no session\n" +
		`< {"jsonrpc":"2.0","id":5,"method":"fs/read_text_file","params":[1]}` + "\n> \"id\":5 & -32602\n" +
		`< {"jsonrpc":"2.0","id":{"a":[1.50]},"method":"x/y","params":{"sessionId":"s-1"}}` + "\n" + `> "id":{"a":[1.50]} & -32601` + "\n" +
		`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-2","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Not mine."}}}}` + "\n" +
		`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","title":"No id"}}}` + "\n" +
		`< {"jsonrpc":"2.0","method":"session/update","params":7}` + bye
	exit, events := run(t, newExecutor(t, script, nil), executor.Spec{Trust: true})
	if !exit.Finished || exit.Failed || exit.Code != 0 {
		t.Errorf("the exit is %+v", exit)
	}
	for _, e := range events {
		switch e.Kind {
		case executor.Init, executor.Prompted, executor.Line, executor.Unknown, executor.Finished:
		default:
			t.Errorf("it told %+v", e)
		}
	}
}

func TestRun_MessageTooLong(t *testing.T) {
	x := newExecutor(t, hello+"! huge 300000\n! end\n", func(o *acp.Options) { o.Process.MaxLine = 100_000; o.Process.Grace = 50 * time.Millisecond })
	exit, _ := run(t, x, executor.Spec{})
	if exit.Finished || !exit.Failed || !strings.Contains(exit.Message, "the limit is 100000") {
		t.Errorf("the exit is %+v", exit)
	}
}

func TestRun_LongMessage(t *testing.T) {
	text := strings.Repeat("long ", 100_000)
	script := hello + `< {"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s-1","path":"$DIR/long.txt","content":"` + text + `"}}` + "\n" + `> "result"` + "\n" +
		reads("$DIR/long.txt", "") + "> " + text + bye
	if exit, _ := run(t, newExecutor(t, script, nil), executor.Spec{Trust: true}); exit.Failed {
		t.Errorf("it is not written as it was given: %s", exit.Message[:min(len(exit.Message), 200)])
	}
}

func TestRun_Cancel(t *testing.T) {
	for _, test := range []struct {
		name, script string
		finished     bool
	}{
		{"and ends its turn", "> session/cancel & s-1\n" +
			`< {"jsonrpc":"2.0","id":6,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c","kind":"edit"},` + options + `}}` + "\n> \"id\":6 & \"outcome\":\"cancelled\"\n" +
			writes("$DIR/x", "y") + "> -32600\n" +
			`< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}` + "\n! end\n", true},
		{"and does not", "! hang\n", false},
		{"and leaves something behind", "! fork\n! hang\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newExecutor(t, hello+`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}}}`+"\n"+test.script, func(o *acp.Options) {
				if !test.finished {
					o.Process.Grace = 50 * time.Millisecond
				}
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			exit, err := x.Run(ctx, executor.Spec{AgentID: "a", Dir: t.TempDir(), Prompt: "Do it.", Trust: true}, func(e executor.Event) {
				if e.Kind == executor.Thinking {
					cancel(errors.New("enough"))
				}
			})
			if err != nil || !exit.Failed || exit.Finished != test.finished || !test.finished && !strings.Contains(exit.Message, "enough") || test.finished && exit.Message != "it was cancelled" {
				t.Errorf("the exit is %+v, %v", exit, err)
			}
		})
	}
}

func TestRun_NoResponse(t *testing.T) {
	x := newExecutor(t, "> initialize\n! hang\n", func(o *acp.Options) {
		o.Process.Begin, o.Process.Grace = 300*time.Millisecond, 50*time.Millisecond
	})
	exit, _ := run(t, x, executor.Spec{})
	if exit.Finished || !strings.Contains(exit.Message, "did not begin a session") {
		t.Errorf("the exit is %+v", exit)
	}
}

func TestRun_ProgramExits(t *testing.T) {
	exit, _ := run(t, newExecutor(t, hello+"no such line\n", nil), executor.Spec{})
	if exit.Finished || !exit.Failed || exit.Code != 3 || !strings.Contains(exit.Message, "no such line") {
		t.Errorf("the exit is %+v", exit)
	}
}
