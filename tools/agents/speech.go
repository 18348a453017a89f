package agents

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// say notes what the assistant says, and answers what of it is new as text.
func (t *track) say(e executor.Event) (added []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty = true
	if e.Kind == executor.Delta {
		t.saying = append(t.saying, e.Text[:min(len(e.Text), maxSaying-len(t.saying))]...)
		if t.said == 0 {
			t.tail = t.tail[:0]
		}
		t.said += len(e.Text)
		t.keepTail(e.Text)
		return []byte(e.Text)
	}
	// A whole message is mostly what was said in parts before.
	rest := e.Text
	switch {
	case t.said == 0:
	case len(e.Text) >= t.said && strings.HasPrefix(e.Text, string(t.saying)):
		rest = e.Text[t.said:]
	default:
		rest = "\n" + e.Text
	}
	t.saying, t.said, t.head = t.saying[:0], 0, truncate.Within(e.Text, maxSummary)
	t.tail = t.tail[:0]
	t.keepTail(e.Text)
	added = append([]byte(rest), '\n')
	if !bytes.HasSuffix(added, []byte("\n\n")) {
		added = append(added, '\n')
	}
	return added
}

// keepTail adds to the end of the last message, more of which is kept than records show.
func (t *track) keepTail(text string) {
	const most = 2 * maxMessage
	t.tail = append(t.tail, text[max(len(text)-most, 0):]...)
	if n := len(t.tail) - most; n > most {
		t.tail = append(t.tail[:0], t.tail[n:]...)
	}
}

// lastOf is the end of a text, of at most so many bytes, in whole characters.
func lastOf(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return mark + strings.ToValidUTF8(strings.TrimLeftFunc(text[len(text)-most+len(mark):], func(r rune) bool { return r == '\uFFFD' }), "")
}
