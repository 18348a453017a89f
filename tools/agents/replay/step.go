package replay

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed recordings/*.jsonl
var recordings embed.FS

// step is a line of a recording: a line to print, or an action. An action sets exactly one of the
// members that begin with @.
type step struct {
	line []byte // printed after its placeholders are filled

	Wait   *int     `json:"@wait"`   // milliseconds
	Until  string   `json:"@until"`  // a file to wait for
	Think  *string  `json:"@think"`  // a thought, in pieces
	Say    *string  `json:"@say"`    // a message, in pieces and completely
	Read   string   `json:"@read"`   // a file
	Create string   `json:"@create"` // a file, with Text
	Edit   string   `json:"@edit"`   // a file, in which Old becomes New
	Delete string   `json:"@delete"` // a file
	Shell  string   `json:"@shell"`  // a command, which is not executed: it ends with Code and prints Text
	Grep   string   `json:"@grep"`   // a pattern
	Todo   []string `json:"@todo"`   // things to do
	Report *report  `json:"@report"` // a call of report_result
	Done   *string  `json:"@done"`   // the end, with the last message
	Fail   *string  `json:"@fail"`   // the end as a failure

	Stderr  *string `json:"@stderr"`
	Print   *string `json:"@print"`   // a line that is no event
	Bytes   *string `json:"@bytes"`   // hexadecimal digits of bytes to print
	Huge    int     `json:"@huge"`    // size of a line with the result of an edit, in bytes
	Endless string  `json:"@endless"` // text to print without end
	Stray   string  `json:"@stray"`   // starts a process that outlives this one: "child", or "session" for one in a session of its own
	Ignore  string  `json:"@ignore"`  // "TERM": the signal is ignored
	Stay    bool    `json:"@stay"`    // never ends
	Exit    *int    `json:"@exit"`

	Text  string `json:"text"`
	Old   string `json:"old"`
	New   string `json:"new"`
	Code  int    `json:"code"`
	Takes int    `json:"takes"` // duration of the tool call in milliseconds
}

// report is the report of an agent.
type report struct {
	Status  string   `json:"status"`
	Summary string   `json:"summary"`
	Edited  []string `json:"editedFiles,omitempty"`
	Created []string `json:"createdFiles,omitempty"`
	Error   string   `json:"errorMessage,omitempty"`
	// Call calls the server of the settings. Otherwise the call is rejected, like one of a server
	// without approval.
	Call bool `json:"call,omitempty"`
}

// Names returns the names of the recordings.
func Names() []string {
	files, _ := fs.Glob(recordings, "recordings/*.jsonl") // the pattern is right
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".jsonl"))
	}
	return names
}

// steps reads a recording. Lines that begin with // are comments.
func steps(name string) ([]step, error) {
	data, err := recordings.ReadFile("recordings/" + name + ".jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no recording %q; there are %s", name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	var all []step
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		s := step{line: slices.Clone(line)}
		if bytes.HasPrefix(line, []byte(`{"@`)) {
			s.line = nil
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&s); err != nil {
				return nil, fmt.Errorf("recording %s, line %d: %w", name, n, err)
			}
		}
		all = append(all, s)
	}
	return all, lines.Err()
}

// recordingTag matches the selection of a recording in a prompt.
var recordingTag = regexp.MustCompile(`\[fake:([A-Za-z0-9_-]+)((?:\s+[A-Za-z]+=[^\s\]]+)*)\]`)

// chooseRecording returns the recording for a prompt, with its parameters.
func chooseRecording(prompt string, env map[string]string) (name string, parameters map[string]string) {
	parameters = make(map[string]string)
	name = env["FAKEAGENT"]
	if found := recordingTag.FindStringSubmatch(prompt); found != nil {
		name = found[1]
		for _, word := range strings.Fields(found[2]) {
			key, value, _ := strings.Cut(word, "=")
			parameters[key] = value
		}
	}
	switch {
	case name == "demo":
		var demos []string
		for _, n := range Names() {
			if strings.HasPrefix(n, "demo-") && !slices.Contains([]string{"demo-fail", "demo-stall", "demo-timeout"}, n) {
				demos = append(demos, n)
			}
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(prompt))
		return demos[h.Sum32()%uint32(len(demos))], parameters
	case name != "":
		return name, parameters
	case strings.Contains(prompt, "respond with exactly: OK"):
		return "ok", parameters
	}
	return "normal", parameters
}
