package terminal

import "fmt"

// offering reports whether the server offers a tool of the set. nil offers all tools.
type offering func(tool string) bool

// has reports whether the server offers a tool.
func (o offering) has(tool string) bool { return o == nil || o(tool) }

// advice returns text if the server offers the tools that it names, and other otherwise.
func (o offering) advice(text, other string, tools ...string) string {
	for _, tool := range tools {
		if !o.has(tool) {
			return other
		}
	}
	return text
}

// followAdvice returns the advice for a process that continues.
func (o offering) followAdvice() string {
	more, end := o.has("read_process_output"), o.has("kill_process")
	switch {
	case more && end:
		return "read_process_output waits for more, kill_process ends it"
	case more:
		return "read_process_output waits for more"
	case end:
		return "no tool shows more of it, kill_process ends it; let long commands write to a file"
	}
	return "no tool shows more of it; let long commands write to a file, and look there"
}

// outputAdvice returns the advice for output that an answer omits.
func (o offering) outputAdvice(id string) string {
	return o.advice("read_process_output has the whole output of process "+id,
		"the whole output is not kept for you: let the command write to a file, or say less", "read_process_output")
}

// omitted returns the note on omitted output of a stream and the call that reads it.
func (o offering) omitted(n int64, id, stream string, offset int) string {
	note := fmt.Sprintf("[… %d bytes left out", n)
	return note + o.advice(fmt.Sprintf(": read_process_output with processId=%s, stream=%s, offset=%d]", id, stream, offset), "]", "read_process_output")
}
