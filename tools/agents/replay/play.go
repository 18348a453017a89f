package replay

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// player replays one recording. A recording is a list of steps (step.go).
type player struct {
	call
	env        map[string]string
	parameters map[string]string                 // values of further placeholders, from the prompt
	pace       func(time.Duration) time.Duration // converts a delay by the factor FAKEAGENT_SPEED
	out, err   io.Writer
	cwd        string
	started    time.Time
	serial     int      // number of tool calls so far
	said       []string // messages so far
	writeErr   error    // of standard output
}

// object is a JSON object.
type object = map[string]any

// play replays the selected recording and returns the exit code.
func play(c call, env map[string]string, stdout, stderr io.Writer) int {
	name, parameters := chooseRecording(c.prompt, env)
	all, err := steps(name)
	if err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		return 1
	}
	cwd, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		return 1
	}
	p := &player{call: c, env: env, parameters: parameters, pace: scaleOf(env), out: stdout, err: stderr, cwd: cwd, started: time.Now()}
	for _, s := range all {
		if code, over := p.step(s); over {
			return code
		}
		if p.writeErr != nil { // the reader has closed the pipe
			return 1
		}
	}
	return 0
}

// step replays a step and reports whether the program ends with it.
func (p *player) step(s step) (code int, over bool) {
	switch {
	case s.line != nil: // a recorded event
		p.raw(p.fill(s.line))
	case s.Wait != nil:
		time.Sleep(p.pace(time.Duration(*s.Wait) * time.Millisecond))
	case s.Until != "":
		p.awaitFile(string(p.fill([]byte(s.Until))))
	case s.Think != nil:
		p.think(*s.Think)
	case s.Say != nil:
		p.printMessage(*s.Say, true)
	case s.Done != nil:
		p.done(*s.Done)
	case s.Fail != nil:
		p.print(object{"type": "result", "subtype": "error", "duration_ms": p.took(), "is_error": true, "result": *s.Fail, "session_id": p.session, "request_id": uuid()})
	case s.Exit != nil:
		return *s.Exit, true
	case s.tool():
		p.tool(s)
	default:
		p.playFault(s)
	}
	return 0, false
}

// fill replaces the placeholders of a line.
func (p *player) fill(line []byte) []byte {
	if !bytes.Contains(line, []byte("{{")) {
		return line
	}
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // has no error for a string
		return string(b[1 : len(b)-1])
	}
	pairs := []string{
		"{{session}}", p.session, "{{cwd}}", quoted(p.cwd), "{{model}}", quoted(displayName(p.model)), "{{prompt}}", quoted(p.prompt),
		"{{ms}}", strconv.FormatInt(time.Now().UnixMilli(), 10),
	}
	for name, value := range p.parameters {
		pairs = append(pairs, "{{"+name+"}}", quoted(value))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(line)))
}

// raw prints a line.
func (p *player) raw(line []byte) {
	if p.writeErr == nil {
		_, p.writeErr = p.out.Write(append(line[:len(line):len(line)], '\n'))
	}
}

// print prints an event.
func (p *player) print(event object) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(event); err != nil {
		p.writeErr = cmp.Or(p.writeErr, err)
		return
	}
	p.raw(bytes.TrimRight(b.Bytes(), "\n"))
}

// stamped returns an event with the session and the time.
func (p *player) stamped(event object) object {
	event["session_id"], event["timestamp_ms"] = p.session, time.Now().UnixMilli()
	return event
}

// awaitFile waits until a file exists.
func (p *player) awaitFile(name string) {
	for {
		if _, err := os.Stat(p.path(name)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *player) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.cwd, name)
}

// splitText splits a text into pieces of a few characters, like a model.
func splitText(text string) []string {
	const most = 12
	var all []string
	start, n := 0, 0
	for i, r := range text {
		if n++; n >= most || strings.ContainsRune("。、.,!?\n ", r) && n > 3 {
			end := i + utf8.RuneLen(r)
			all = append(all, text[start:end])
			start, n = end, 0
		}
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// chunkDelay is the delay between two pieces of text.
const chunkDelay = 60 * time.Millisecond

// think prints a thought in pieces.
func (p *player) think(text string) {
	for _, bit := range splitText(text) {
		p.print(p.stamped(object{"type": "thinking", "subtype": "delta", "text": bit}))
		time.Sleep(p.pace(chunkDelay))
	}
	p.print(p.stamped(object{"type": "thinking", "subtype": "completed"}))
}

func assistant(text string) object {
	return object{"type": "assistant", "message": object{"role": "assistant", "content": []object{{"type": "text", "text": text}}}}
}

// printMessage prints a message: in pieces if partial output is on, and then completely. more reports that
// the agent goes on after the message; only then does the event have a time and a model_call_id.
func (p *player) printMessage(text string, more bool) {
	if p.partial {
		for _, bit := range splitText(text) {
			p.print(p.stamped(assistant(bit)))
			time.Sleep(p.pace(chunkDelay))
		}
	}
	p.said = append(p.said, text)
	event := assistant(text)
	if more {
		event = p.stamped(event)
		event["model_call_id"] = uuid() + "-0"
	}
	event["session_id"] = p.session
	p.print(event)
}

// done prints the last message and the result event.
func (p *player) done(text string) {
	if text != "" {
		p.printMessage(text, false)
	}
	all := strings.Join(p.said, "")
	p.print(object{
		"type": "result", "subtype": "success", "duration_ms": p.took(), "duration_api_ms": p.took(), "is_error": false, "result": all,
		"session_id": p.session, "request_id": uuid(),
		"usage": object{"inputTokens": 900 + len(p.prompt)/3, "outputTokens": 40 + len(all)/3 + 60*p.serial, "cacheReadTokens": 2400 * p.serial, "cacheWriteTokens": 300 * p.serial},
	})
}

func (p *player) took() int64 { return time.Since(p.started).Milliseconds() }

// playFault replays a fault of an agent.
func (p *player) playFault(s step) {
	switch {
	case s.Stderr != nil:
		fmt.Fprintln(p.err, string(p.fill([]byte(*s.Stderr))))
	case s.Print != nil:
		p.raw(p.fill([]byte(*s.Print)))
	case s.Bytes != nil:
		data, err := hex.DecodeString(strings.ReplaceAll(*s.Bytes, " ", ""))
		if err == nil {
			_, err = p.out.Write(data)
		}
		p.writeErr = cmp.Or(p.writeErr, err)
	case s.Huge > 0:
		p.huge(s.Huge)
	case s.Endless != "":
		for line := []byte(strings.Repeat(s.Endless, 1000)); p.writeErr == nil; {
			_, p.writeErr = p.out.Write(line)
		}
	case s.Stray != "": // a child process that outlives this program
		startStray(s.Stray)
	case s.Ignore != "": // SIGTERM has no effect from now on
		ignoreSignals()
	case s.Stay: // the program never ends by itself
		for {
			time.Sleep(time.Hour)
		}
	}
}
