package agentclients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// document is the document with the tables of the recordings, which stand between two texts.
const (
	document   = "../../../docs/clients.md"
	tableBegin = "The tables follow from these texts; `go test ./internal/test/agentclients -update` writes them.\n"
	tableEnd   = "A cell has the bytes"
)

// recorded is a recording that was read from its file.
type recorded struct {
	program, version string
	facts            map[string]string       // by the name before the colon, outside of cases
	cases            map[string]recordedCase // by the name of the case
}

type recordedCase struct{ size, form, rest string }

// readRecording reads a file of testdata.
func readRecording(t *testing.T, name string) recorded {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	r := recorded{program: name, facts: map[string]string{}, cases: map[string]recordedCase{}}
	for _, section := range strings.Split(string(data), "\n== ") {
		head, body, _ := strings.Cut(section, "\n")
		name, call, _ := strings.Cut(head, ": ")
		if summary, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(call, "cursorcli ") || strings.HasPrefix(call, "workfiles ") || strings.HasPrefix(call, "probe ") {
			size, form, _ := strings.Cut(summary, " bytes, ")
			r.cases[name] = recordedCase{size, form, rest}
			continue
		}
		for line := range strings.Lines(section) {
			if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
				r.facts[key] = value
			}
		}
		if head == "instructions" || head == "search for tools" {
			r.facts[head], _, _ = strings.Cut(body, "\n")
		}
	}
	if first, _, ok := strings.Cut(string(data), "\n"); ok {
		r.version = first[strings.LastIndex(first, " ")+1:]
	}
	return r
}

// readInterruption returns the cell for an interruption of a program: the key if it varies, the message or signal that the server receives, and
// the state of the command that it runs.
func readInterruption(t *testing.T, program, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", program+".interrupt.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), "\n== "+name+": ")
	if !found {
		return "–"
	}
	var key, received, state string
	if n, err := fmt.Sscanf(section, "%s\nserver receives: %s\ncommand: %s", &key, &received, &state); n != 3 {
		t.Fatalf("%s, %s: %v", program, name, err)
	}
	cell := received + ", the command " + map[string]string{"ends": "ends", "goes": "goes on"}[state]
	if name == "interrupted call" {
		cell = key + ": " + cell
	}
	return cell
}

// client returns the facts of the handshake.
func (r recorded) client(t *testing.T) (revision, name, capabilities string) {
	t.Helper()
	type implementation struct{ Name string }
	var old struct {
		ProtocolVersion string
		Capabilities    map[string]json.RawMessage
		ClientInfo      implementation
	}
	var modern struct {
		Meta struct {
			ProtocolVersion string                     `json:"io.modelcontextprotocol/protocolVersion"`
			ClientInfo      implementation             `json:"io.modelcontextprotocol/clientInfo"`
			Capabilities    map[string]json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	if params := r.facts["server/discover"]; params != "" {
		if err := json.Unmarshal([]byte(params), &modern); err != nil {
			t.Fatal(err)
		}
		old.ProtocolVersion, old.Capabilities, old.ClientInfo = modern.Meta.ProtocolVersion, modern.Meta.Capabilities, modern.Meta.ClientInfo
	} else if err := json.Unmarshal([]byte(r.facts["initialize"]), &old); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, capability := range []string{"roots", "elicitation", "sampling"} {
		if old.Capabilities[capability] != nil {
			names = append(names, capability)
		}
	}
	return old.ProtocolVersion, old.ClientInfo.Name, orDash(strings.Join(names, ", "))
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// tables returns the tables of the document.
func tables(t *testing.T) string {
	t.Helper()
	var all []recorded
	for _, p := range agentPrograms {
		all = append(all, readRecording(t, p.name))
	}
	var b strings.Builder
	row := func(head string, cell func(recorded) string) {
		fmt.Fprintf(&b, "| %s |", head)
		for _, r := range all {
			fmt.Fprintf(&b, " %s |", cell(r))
		}
		b.WriteString("\n")
	}
	header := func(head string) {
		row(head, func(r recorded) string { return r.program + " " + r.version })
		b.WriteString("|---|" + strings.Repeat("---|", len(all)) + "\n")
	}
	header("connection")
	row("name in `clientInfo`", func(r recorded) string { _, name, _ := r.client(t); return "`" + name + "`" })
	row("revision", func(r recorded) string { revision, _, _ := r.client(t); return revision })
	row("capabilities", func(r recorded) string { _, _, capabilities := r.client(t); return capabilities })
	for _, server := range []struct{ head, name string }{{"cursorcli as `install` enters it", "cursorcli"}, {"cursorcli with `-profile cursorcli`", "workfiles"}} {
		row("definitions of "+server.head, func(r recorded) string {
			size := r.facts[server.name]
			if r.facts["search for tools"] != "" {
				size += ", on demand"
			}
			return size
		})
	}
	row(fmt.Sprintf("description of %d bytes", descriptionSize), func(r recorded) string {
		n, _, _ := strings.Cut(r.facts["description"], " of ")
		return n
	})
	row(fmt.Sprintf("instructions of %d bytes", instructionsSize), func(r recorded) string {
		n, _, _ := strings.Cut(r.facts["instructions"], " of ")
		return n
	})
	row("asks for progress", func(r recorded) string {
		if strings.Contains(r.facts["_meta of calls"], "progressToken") {
			return "yes"
		}
		return "no"
	})
	row("progress extends the time limit", func(r recorded) string {
		if strings.Contains(r.cases["progress"].rest, "The work is done.") {
			return "yes"
		}
		return "no"
	})
	row("tells the server that a call ran out of time", func(r recorded) string {
		if strings.Contains(r.facts["cancelled"], "wait") {
			return "yes"
		}
		return "no"
	})
	for _, interruption := range []struct{ head, name string }{{"key during a call", "interrupted call"}, {"Ctrl-C in a run without an interface", "interrupted run without an interface"}} {
		row(interruption.head, func(r recorded) string { return readInterruption(t, r.program, interruption.name) })
	}
	row("question", func(r recorded) string {
		rest := r.cases["question"].rest
		for _, action := range []string{"accept", "decline", "cancel"} {
			if strings.Contains(rest, "The user chose "+action) {
				return action
			}
		}
		return "not asked"
	})
	row(fmt.Sprintf("text of %d bytes: the first, and the last", longSize), func(r recorded) string {
		head, tail := 0, 0
		for line := range strings.Lines(r.cases["long text"].rest) {
			var h, l int
			if n, _ := fmt.Sscanf(line, "of 200000 bytes the first %d and the last %d", &h, &l); n == 2 {
				head, tail = max(head, h), max(tail, l)
			}
		}
		return fmt.Sprintf("%d, %d", head, tail)
	})
	b.WriteString("\n")
	header("bytes and form of a result")
	for _, tc := range toolCases {
		row(tc.name, func(r recorded) string { c := r.cases[tc.name]; return c.size + ", " + c.form })
	}
	return b.String()
}

// TestTables_FollowRecordings compares the tables in the document with the recordings.
func TestTables_FollowRecordings(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s lacks the comments around the tables", document)
	}
	want := before + tableBegin + "\n" + tables(t) + "\n" + tableEnd + after
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s differ from the recordings; run go test ./internal/test/agentclients -update", document)
	}
	if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
