package agentclients

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
)

// recordConnection records the handshake with the probe, the methods that the program used, and its notifications about calls.
func (r *run) recordConnection(b *strings.Builder, messages []clientMessage) {
	methods := map[string]bool{}
	calls := map[string]string{} // tool by id
	var meta []string
	// A program that ends may cancel calls that have ended. A cancellation counts if it concerns the last call, and a call follows.
	var cancelled, answers []string
	discovered, last, cancellation := false, "", ""
	for _, m := range messages {
		if m.Method == "" {
			answers = append(answers, r.normalize(string(m.Result)+string(m.Error)))
			continue
		}
		methods[m.Method] = true
		switch m.Method {
		case "initialize", "server/discover":
			if !discovered {
				fmt.Fprintf(b, "\n== connection\n%s: %s\n", m.Method, r.normalize(string(m.Params)))
			}
			discovered = true
		case "tools/call":
			var p struct {
				Name string
				Meta map[string]json.RawMessage `json:"_meta"`
			}
			_ = json.Unmarshal(m.Params, &p)
			if cancellation != "" {
				cancelled = append(cancelled, cancellation)
			}
			last, cancellation = string(m.ID), ""
			calls[last] = p.Name
			meta = slices.Sorted(maps.Keys(p.Meta))
		case "notifications/cancelled":
			var p struct {
				RequestID json.RawMessage
				Reason    string
			}
			_ = json.Unmarshal(m.Params, &p)
			if string(p.RequestID) == last {
				cancellation = fmt.Sprintf("%s (%s)", calls[last], r.normalize(p.Reason))
			}
		}
	}
	fmt.Fprintf(b, "methods: %s\n", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
	fmt.Fprintf(b, "_meta of calls: %s\n", strings.Join(meta, ", "))
	fmt.Fprintf(b, "cancelled: %s\n", strings.Join(cancelled, ", "))
	for _, answer := range answers {
		fmt.Fprintf(b, "answer: %s\n", answer)
	}
}

// recordTools records the definitions of the servers' tools in a request. found are the answers to searches for tools.
func (r *run) recordTools(b *strings.Builder, request *agentmodel.Request, found []agentmodel.Block) {
	for _, block := range found {
		addFunctions(request, block.Text)
	}
	fmt.Fprintf(b, "\n== tools\n")
	var own, ownBytes int
	var lines []string
	bytes, count := map[string]int{}, map[string]int{}
	for _, tool := range request.Tools {
		server := ""
		for name := range r.commands {
			if strings.Contains(tool.Namespace+"/"+tool.Name, name) {
				server = name
			}
		}
		if server == "" {
			own, ownBytes = own+1, ownBytes+len(tool.Definition)
			continue
		}
		name := tool.Name
		if tool.Namespace != "" {
			name = tool.Namespace + "/" + name
		}
		count[server], bytes[server] = count[server]+1, bytes[server]+len(tool.Definition)
		lines = append(lines, fmt.Sprintf("  %s %d\n", name, len(tool.Definition)))
	}
	for _, server := range slices.Sorted(maps.Keys(r.commands)) {
		fmt.Fprintf(b, "%s: %d tools, %d bytes\n", server, count[server], bytes[server])
	}
	fmt.Fprintf(b, "program: %d tools\n", own)
	slices.Sort(lines) // Codex orders the results of a search by rank, and equal ranks at random.
	b.WriteString(strings.Join(lines, ""))
	if tool := request.Find("probe", "describe"); tool != nil {
		fmt.Fprintf(b, "description: %d of %d bytes\n", prefixIn(tool.Description, ruler("describe", descriptionSize)), descriptionSize)
	}
	if tool := request.Find("workfiles", "list_directory"); tool != nil {
		fmt.Fprintf(b, "list_directory: %s\n", r.normalize(string(tool.Definition)))
	}
}

// addFunctions adds the tools in the answer to a search by Qwen Code, which is a text with one definition a line.
func addFunctions(request *agentmodel.Request, text string) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "<function>")
		var tool agentmodel.Tool
		definition := strings.TrimSuffix(line, "</function>")
		if ok && json.Unmarshal([]byte(definition), &tool) == nil {
			tool.Definition = json.RawMessage(definition)
			request.Tools = append(request.Tools, tool)
		}
	}
}

// recordInstructions records the length of the probe's instructions in a request, and their place.
func (r *run) recordInstructions(b *strings.Builder, request *agentmodel.Request) {
	fmt.Fprintf(b, "\n== instructions\n")
	whole := ruler("instruct", instructionsSize)
	var body any
	if err := json.Unmarshal(request.Body, &body); err != nil {
		r.t.Fatal(err)
	}
	longest, place := 0, ""
	visitStrings("", body, func(path, text string) {
		if n := prefixIn(text, whole); n > longest {
			longest, place = n, path
		}
	})
	if longest == 0 {
		b.WriteString("none\n")
		return
	}
	fmt.Fprintf(b, "%d of %d bytes in %s\n", longest, instructionsSize, place)
}

// visitStrings calls visit for each string of a JSON value, in order of the names.
func visitStrings(path string, value any, visit func(path, text string)) {
	switch v := value.(type) {
	case string:
		visit(path, v)
	case []any:
		for i, element := range v {
			visitStrings(fmt.Sprintf("%s[%d]", path, i), element, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			visitStrings(strings.TrimPrefix(path+"."+name, "."), v[name], visit)
		}
	}
}

// prefixIn returns the length of the longest prefix of whole that text contains, if it has a line at least. White space that
// the program adds or drops at line ends does not count.
func prefixIn(text, whole string) int {
	at := strings.Index(text, whole[:20])
	if at < 0 {
		return 0
	}
	text = text[at:]
	n, i := 0, 0
	for n < len(whole) && i < len(text) {
		switch {
		case text[i] == whole[n]:
			n, i = n+1, i+1
		case text[i] == ' ' || text[i] == '\n':
			i++
		default:
			return n
		}
	}
	return n
}

// suffixIn returns the length of the longest suffix of whole that ends at its last line in text.
func suffixIn(text, whole string) int {
	last := whole[len(whole)-20:]
	at := strings.LastIndex(text, last)
	if at < 0 {
		return 0
	}
	text = text[:at+len(last)]
	n := 0
	for n < len(whole) && n < len(text) && text[len(text)-1-n] == whole[len(whole)-1-n] {
		n++
	}
	return n
}

// unescape replaces the line ends in a text that is JSON.
func unescape(text string) string { return strings.ReplaceAll(text, `\n`, "\n") }

// recordSearch records the size and the first bytes of the answer to a search for tools, without the list of tools of Codex: its order
// differs between runs.
func (r *run) recordSearch(b *strings.Builder, blocks []agentmodel.Block) {
	fmt.Fprintf(b, "\n== search for tools\n")
	var text strings.Builder
	for _, block := range blocks {
		text.WriteString(r.normalize(block.Text) + "\n")
	}
	fmt.Fprintf(b, "%d bytes in %d blocks\n", text.Len(), len(blocks))
	first := text.String()[:min(250, text.Len())]
	const list = `"tools":[`
	if before, _, ok := strings.Cut(first, list); ok {
		first = before + list
	}
	writeText(b, first+"…")
}

// recordCase records the blocks that the model gets after a call.
func (r *run) recordCase(b *strings.Builder, tc toolCase, blocks []agentmodel.Block) {
	fmt.Fprintf(b, "\n== %s: %s %s\n", tc.name, tc.server, tc.tool)
	size := 0
	for i, block := range blocks {
		blocks[i].Text = r.normalize(block.Text)
		size += len(blocks[i].Text) + len(block.Data)
	}
	fmt.Fprintf(b, "%d bytes, %s\n", size, form(blocks))
	for _, block := range blocks {
		where := "result"
		if !block.Result {
			where = "message"
		}
		if block.Failed {
			where += ", failed"
		}
		switch {
		case block.Data != nil:
			fmt.Fprintf(b, "[%s: %s, %d bytes]\n", where, block.Type, len(block.Data))
		case block.Type != "":
			fmt.Fprintf(b, "[%s: block %s]\n", where, block.Type)
		default:
			fmt.Fprintf(b, "[%s: text, %d bytes]\n", where, len(block.Text))
		}
		if tc.tool == "long" {
			whole := ruler("long", longSize)
			text := unescape(block.Text)
			fmt.Fprintf(b, "of %d bytes the first %d and the last %d\n", longSize, prefixIn(text, whole), suffixIn(text, whole))
		}
		writeText(b, block.Text)
	}
}

// shownBytes is the length up to which a recording has a text in full.
const shownBytes = 1500

// writeText writes a text with a bar before each line. It leaves out the middle of a long text.
func writeText(b *strings.Builder, text string) {
	if len(text) > shownBytes {
		text = text[:shownBytes/2] + fmt.Sprintf("\n… %d bytes …\n", len(text)-shownBytes/2*2) + text[len(text)-shownBytes/2:]
	}
	if text == "" {
		return
	}
	for line := range strings.Lines(strings.ToValidUTF8(text, "�")) {
		b.WriteString(strings.TrimRight("| "+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

// form describes the parts of a result: text, JSON, and media.
func form(blocks []agentmodel.Block) string {
	var forms []string
	add := func(f string) {
		if !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	failed := false
	for _, block := range blocks {
		failed = failed || block.Failed
		text := block.Text
		switch {
		case block.Data != nil:
			add(block.Type)
			continue
		case !block.Result:
			add("message")
			continue
		}
		if strings.HasPrefix(text, `{"content":[`) {
			add("content as JSON")
			continue
		}
		before, after, found := cutJSON(text)
		if strings.TrimSpace(before) != "" {
			add("text")
		}
		if found {
			add("JSON")
		}
		if strings.TrimSpace(after) != "" {
			add("text")
		}
	}
	f := strings.Join(forms, " + ")
	if f == "" {
		f = "nothing"
	}
	if failed {
		f += " (error)"
	}
	return f
}

// header is the line that Codex puts before each result.
var header = regexp.MustCompile(`^Wall time: \S+ seconds\nOutput:\n?`)

// cutJSON returns the parts of a text around the first JSON object in it, or around an array of objects.
func cutJSON(text string) (before, after string, found bool) {
	text = header.ReplaceAllString(text, "")
	for i := range len(text) {
		if text[i] != '{' && !strings.HasPrefix(text[i:], "[{") {
			continue
		}
		d := json.NewDecoder(strings.NewReader(text[i:]))
		var value json.RawMessage
		if d.Decode(&value) == nil {
			return text[:i], text[i+int(d.InputOffset()):], true
		}
	}
	return text, "", false
}

// volatile are the parts of texts that differ between runs, with their replacements.
var volatile = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`), "TIME"},
	{regexp.MustCompile(`(Wall time: )[\d.]+`), "${1}N"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`blob-\d{13}-\w+|-(\d{13})-\w{6}\b`), "ID"},
	{regexp.MustCompile(`\d{13}-copilot-tool-output-[0-9a-f]+|\btool_[0-9A-Za-z]{26}\b|_\d{13}_\d+\b`), "ID"},
	{regexp.MustCompile(`projects/-[^/]+/`), "projects/ID/"},
	// Qwen Code takes the time-out of a call for a failed connection at times.
	{regexp.MustCompile(`MCP tool execution may have completed before the connection failed\. .*`), "Request timed out"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
}

// normalize replaces paths, identifiers and times.
func (r *run) normalize(text string) string {
	text = strings.NewReplacer(r.project, "PROJECT", r.home, "HOME", r.logs, "LOGS", r.tmp, "TMP").Replace(text)
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.replacement)
	}
	return text
}
