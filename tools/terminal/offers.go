package terminal

import "fmt"

// offering reports which tools of the set the server offers. nil offers all of them.
type offering func(tool string) bool

func (o offering) has(tool string) bool { return o == nil || o(tool) }

// advice returns text, which names tools, if the server offers these; otherwise other.
func (o offering) advice(text, other string, tools ...string) string {
	for _, tool := range tools {
		if !o.has(tool) {
			return other
		}
	}
	return text
}

// follow says how to get at a process that goes on.
func (o offering) follow() string {
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

// whole says where the output is that an answer has no room for.
func (o offering) whole(id string) string {
	return o.advice("read_process_output has the whole output of process "+id,
		"the whole output is not kept for you: let the command write to a file, or say less", "read_process_output")
}

// omitted notes how much of a stream is left out in an answer, and how to read it.
func (o offering) omitted(n int64, id, stream string, offset int) string {
	note := fmt.Sprintf("[… %d bytes left out", n)
	return note + o.advice(fmt.Sprintf(": read_process_output with processId=%s, stream=%s, offset=%d]", id, stream, offset), "]", "read_process_output")
}
