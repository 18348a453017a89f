package httpserver

import (
	"errors"
	"net/http"
)

// head is the status of a response, and headers beside those of its content.
type head struct {
	status int
	header http.Header
}

// headOf is the head of the response to a request that has failed with an error,
// or not. An error may say that HTTP has a status for it, and headers that belong to
// that, with a method HTTPStatus: that a better access token is needed, for
// example (2026-07-28, basic/authorization, "Scope Challenge Handling"). A response
// that has begun has a head already.
func headOf(failure error) head {
	if failure == nil {
		return head{status: http.StatusOK}
	}
	var said interface {
		error
		HTTPStatus() (int, http.Header)
	}
	if errors.As(failure, &said) {
		status, header := said.HTTPStatus()
		if status >= 400 && status < 600 { // a JSON-RPC error is no other answer
			return head{status, header}
		}
	}
	return head{status: http.StatusOK}
}

// add adds the headers to those of a response.
func (a head) add(to http.Header) {
	for name, values := range a.header {
		for _, value := range values {
			to.Add(name, value)
		}
	}
}
