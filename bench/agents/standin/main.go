// Command standin is a fake agent with the command line of the Cursor CLI. For a prompt with "[steady for=8s words=20 tools=2]" it
// prints 20 pieces of text and 2 tool calls per second for 8 seconds, each with its time. For other prompts it plays a recording,
// as fakeagent does.
package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/replay"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "-p" {
		os.Exit(replay.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
	s, ok := parse(string(prompt))
	if !ok {
		os.Exit(replay.Main(os.Args[1:], bytes.NewReader(prompt), os.Stdout, os.Stderr, os.Environ()))
	}
	if err := s.play(os.Stdout); err != nil {
		os.Exit(1) // the output is closed
	}
}

// steady describes steady output: words and tool calls per second, and the duration.
type steady struct {
	lasts        time.Duration
	words, tools int
}

var order = regexp.MustCompile(`\[steady for=(\S+) words=(\d+) tools=(\d+)\]`)

func parse(prompt string) (s steady, ok bool) {
	m := order.FindStringSubmatch(prompt)
	if m == nil {
		return s, false
	}
	lasts, err := time.ParseDuration(m[1])
	words, _ := strconv.Atoi(m[2])
	tools, _ := strconv.Atoi(m[3])
	return steady{lasts, words, tools}, err == nil && words > 0
}

// sentence is the number of pieces of text in a message.
const sentence = 20

func (s steady) play(w io.Writer) error {
	line := func(format string, args ...any) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	}
	if err := line(`{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"s-1","model":"Stand-in @%d ","permissionMode":"default"}`, time.Now().UnixNano()); err != nil {
		return err
	}
	begun, pause := time.Now(), time.Second/time.Duration(s.words)
	time.Sleep(rand.N(pause))
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var said strings.Builder
	calls := 0
	for n := 1; time.Since(begun) < s.lasts; n++ {
		bit := fmt.Sprintf("@%d ", time.Now().UnixNano())
		said.WriteString(bit)
		err := line(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]},"session_id":"s-1","timestamp_ms":%d}`, bit, time.Now().UnixMilli())
		if err == nil && n%sentence == 0 {
			err = line(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]},"session_id":"s-1","model_call_id":"m-0","timestamp_ms":%d}`, said.String(), time.Now().UnixMilli())
			said.Reset()
		}
		for ; err == nil && calls < n*s.tools/s.words; calls++ {
			err = call(line, calls)
		}
		if err != nil {
			return err
		}
		<-tick.C
	}
	last := fmt.Sprintf("@%d ", time.Now().UnixNano())
	if err := line(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]},"session_id":"s-1"}`, last); err != nil {
		return err
	}
	return line(`{"type":"result","subtype":"success","duration_ms":1,"is_error":false,"result":"%s","session_id":"s-1","request_id":"r-1","usage":{"inputTokens":1,"outputTokens":1}}`, last)
}

// call prints a tool call from its beginning to its end.
func call(line func(string, ...any) error, n int) error {
	const format = `{"type":"tool_call","subtype":"%s","call_id":"toolu_%d","model_call_id":"m-1","session_id":"s-1","timestamp_ms":%d,"tool_call":{"readToolCall":{"args":{"path":"/w/@%d "}%s}}}`
	now := time.Now()
	if err := line(format, "started", n, now.UnixMilli(), now.UnixNano(), ""); err != nil {
		return err
	}
	now = time.Now()
	return line(format, "completed", n, now.UnixMilli(), now.UnixNano(), `,"result":{"success":{"content":"text","isEmpty":false,"totalLines":1,"path":"/w/a"}}`)
}
