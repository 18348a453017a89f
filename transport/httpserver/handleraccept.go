package httpserver

import (
	"net/http"
	"strings"
)

// accepted says in which forms a client takes an answer.
type accepted struct{ json, stream bool }

// bothAccepted is the Accept header that the specification prescribes.
const bothAccepted = "application/json, text/event-stream"

// acceptedBy reads the Accept header. A client without one takes anything.
func acceptedBy(h http.Header) accepted {
	values := h["Accept"]
	if len(values) == 0 || len(values) == 1 && (values[0] == bothAccepted || values[0] == "" || values[0] == "*/*") {
		return accepted{json: true, stream: true}
	}
	var a accepted
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			media, params, _ := strings.Cut(part, ";")
			if isZero(params) {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "*/*":
				return accepted{json: true, stream: true}
			case "application/json", "application/*":
				a.json = true
			case "text/event-stream", "text/*":
				a.stream = true
			}
		}
	}
	return a
}

// isZero reports whether the parameters of a media range have a weight of zero,
// by which a client says that it does not want it.
func isZero(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return strings.HasPrefix(value, "0") && strings.Trim(value, "0.") == ""
		}
	}
	return false
}
