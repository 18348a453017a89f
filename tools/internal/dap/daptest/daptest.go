// Package daptest is a debug adapter for tests. A [Script] defines its answers and faults. The debugged program is simulated: a
// file whose lines are executed in order. A test binary becomes the adapter:
//
//	func TestMain(m *testing.M) {
//		if daptest.Serve() {
//			return
//		}
//		…
package daptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

// Script defines the behaviour of the adapter.
type Script struct {
	// Listen has it announce an address with Announcement, rather than speak over its standard streams.
	Listen bool
	// Address is announced instead of where it listens.
	Address string
	// Lines is how many lines the program has; 0 is 10. It ends behind the last, with the exit code Exit.
	Lines, Exit int
	// Endless keeps a program running that has nowhere to stop.
	Endless bool
	// Early has it say that it is initialized before it is asked to launch.
	Early bool
	// Late has it answer launch only when the configuration is done.
	Late bool
	// Capabilities are the capabilities of the adapter; nil means those that it implements.
	Capabilities json.RawMessage `json:",omitempty"`
	// Answers are the bodies of its answers by command, instead of its own.
	Answers map[string]string
	// Errors are the messages of errors that it answers, by command.
	Errors map[string]string
	// Sends are messages that it sends before it answers a command.
	Sends map[string][]string
	// Does replaces the answers of commands by one of the faults below.
	Does map[string]string
	// Run is a command for the shell that is started with the program, and outlives it if it can.
	Run string
	// Swollen has it answer 3,000 long variables whatever it is asked for.
	Swollen bool
	// Deaf makes the adapter ignore signals.
	Deaf bool
}

// Faults of an adapter, instead of an answer.
const (
	Hang    = "hang"    // it reads on and sends nothing more
	Sleep   = "sleep"   // it does not even read
	Die     = "die"     // it says why on standard error, and ends
	Quit    = "quit"    // it ends without a word
	Garbage = "garbage" // it prints an invalid message
	Flood   = "flood"   // it sends events without end
	Huge    = "huge"    // it sends a message of 50 MB
	Promise = "promise" // it announces a message that never comes
	Binary  = "binary"  // it sends a message that is no JSON
	Strange = "strange" // it sends a message of no known type
	Ignore  = "ignore"  // it does not answer this, and goes on
	Ask     = "ask"     // it asks without end, and never reads
)

// Announcement is the text before the adapter's address.
const Announcement = "listening at "

const variable = "DOUGU_DAPTEST_SCRIPT"

// Env is the variable that makes a test binary the adapter.
func (s Script) Env() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a test that is wrong
	}
	return variable + "=" + string(text)
}

// Serve is the adapter, if the environment says so.
func Serve() bool {
	text := os.Getenv(variable)
	if text == "" {
		return false
	}
	a := &adapter{line: 1, points: make(map[int]bool)}
	if err := json.Unmarshal([]byte(text), &a.script); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if a.script.Lines == 0 {
		a.script.Lines = 10
	}
	if a.script.Deaf {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
	}
	in, out := io.Reader(os.Stdin), io.Writer(os.Stdout)
	if a.script.Listen {
		conn := a.listen()
		defer conn.Close()
		in, out = conn, conn
	}
	a.in, a.out = frame.NewReader(in, 64<<20), bufio.NewWriter(out)
	for a.next() {
	}
	return true
}

// listen announces an address and waits for a connection.
func (a *adapter) listen() net.Conn {
	if a.script.Does["listen"] != "" {
		a.do(a.script.Does["listen"])
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	address := a.script.Address
	if address == "" {
		address = l.Addr().String()
	}
	fmt.Println("hello")
	fmt.Println("now " + Announcement + address)
	conn, err := l.Accept()
	if err != nil {
		os.Exit(2)
	}
	return conn
}

type adapter struct {
	script Script
	in     *frame.Reader
	out    *bufio.Writer
	seq    int

	file   string // of the program
	line   int
	points map[int]bool
	stops  bool // at its entry
	launch int  // the request that is not answered yet
	moving bool
}

type request struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

// next answers one request, and reports whether there may be more.
func (a *adapter) next() bool {
	body, err := a.in.Read()
	if err != nil {
		return false
	}
	var r request
	if json.Unmarshal(body, &r) != nil || r.Type != "request" {
		return true // an answer of the client, say
	}
	for _, text := range a.script.Sends[r.Command] {
		a.send([]byte(text))
	}
	if deed := a.script.Does[r.Command]; deed != "" {
		if deed == Ignore {
			return true
		}
		a.do(deed)
	}
	switch text, refused := a.script.Errors[r.Command]; {
	case refused:
		a.answer(r, false, text, nil)
	case a.script.Answers[r.Command] != "":
		a.answer(r, true, "", json.RawMessage(a.script.Answers[r.Command]))
	default:
		return a.obey(r)
	}
	return true
}

// do executes a fault.
func (a *adapter) do(deed string) {
	switch deed {
	case Hang:
		for {
			if _, err := a.in.Read(); err != nil {
				select {} // nor does it end
			}
		}
	case Sleep:
		time.Sleep(time.Hour)
	case Die:
		fmt.Fprintln(os.Stderr, "the adapter has a fault")
		os.Exit(7)
	case Quit:
		os.Exit(0)
	case Garbage:
		fmt.Fprint(a.out, "Hello, I am no message.\r\n\r\n")
		a.out.Flush()
	case Flood:
		for {
			a.event("output", map[string]any{"category": "stdout", "output": strings.Repeat("flood ", 100) + "\n"})
		}
	case Huge:
		fmt.Fprintf(a.out, "Content-Length: %d\r\n\r\n", 50<<20)
		for range 50 {
			fmt.Fprint(a.out, strings.Repeat("x", 1<<20))
		}
		a.out.Flush()
	case Promise:
		fmt.Fprint(a.out, "Content-Length: 1000\r\n\r\n{")
		a.out.Flush()
		time.Sleep(time.Hour)
	case Binary:
		a.send([]byte("\x00\xff\x01"))
	case Strange:
		a.send([]byte(`{"seq":1,"type":"greeting"}`))
	case Ask:
		for {
			a.send([]byte(`{"seq":1,"type":"request","command":"runInTerminal","arguments":{}}`))
		}
	}
}

func (a *adapter) send(body []byte) {
	_, _ = a.out.Write(frame.Of(body))
	_ = a.out.Flush()
}

func (a *adapter) message(m map[string]any) {
	a.seq++
	m["seq"] = a.seq
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	a.send(body)
}

func (a *adapter) answer(r request, success bool, text string, body any) {
	m := map[string]any{"type": "response", "request_seq": r.Seq, "command": r.Command, "success": success, "body": body}
	if text != "" {
		m["message"] = text
	}
	a.message(m)
}

func (a *adapter) event(name string, body any) {
	a.message(map[string]any{"type": "event", "event": name, "body": body})
}

// started starts the processes that outlive the program.
func (a *adapter) started() {
	if a.script.Run == "" {
		return
	}
	cmd := exec.Command("sh", "-c", a.script.Run)
	if a.script.Listen {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	a.event("output", map[string]any{"category": "stdout", "output": "pid " + strconv.Itoa(cmd.Process.Pid) + "\n"})
}
