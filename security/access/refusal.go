package access

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// Codes of refusals.
const (
	codeNotAllowed  = "CLIENT_NOT_ALLOWED"
	codeConnections = "CONNECTION_LIMIT"
	codeRateLimited = "RATE_LIMITED"
	codePermission  = "PERMISSION_REQUIRED"
)

// Refusal is the error of a refused request, with a code, a next step and details.
type Refusal struct {
	// Code is CLIENT_NOT_ALLOWED, CONNECTION_LIMIT, RATE_LIMITED or
	// PERMISSION_REQUIRED.
	Code string
	// Message is the reason, and Next the next step for the client.
	Message, Next string
	// Client is the kind of the client, and Name its own name, truncated.
	Client, Name string
	// Principal, Transport, Address and Method describe the request. Tool is set if the refusal
	// depends on a tool.
	Principal, Transport, Address, Method, Tool string

	// RetryAfter is the time to wait, Limit the exceeded limit ("minute", "hour" or a tool name),
	// and Left the remaining requests. They are set for RATE_LIMITED only.
	RetryAfter time.Duration
	Limit      string
	Left       ratelimit.Quota
	// Permissions are the missing permissions; for PERMISSION_REQUIRED only.
	Permissions []string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// ErrorCode returns Code.
func (r *Refusal) ErrorCode() string { return r.Code }

// NextStep returns Next.
func (r *Refusal) NextStep() string { return r.Next }

// ErrorDetails returns the details for programs: retryAfterSeconds, limit and remaining (minute and
// hour, −1 without a limit), or permissions.
func (r *Refusal) ErrorDetails() map[string]any {
	switch r.Code {
	case codeRateLimited:
		return map[string]any{"retryAfterSeconds": r.seconds(), "limit": r.Limit, "remaining": r.Left}
	case codePermission:
		return map[string]any{"permissions": r.Permissions}
	}
	return nil
}

// seconds returns RetryAfter in seconds, rounded up.
func (r *Refusal) seconds() int64 { return int64(math.Ceil(r.RetryAfter.Seconds())) }

// protocolError converts a refusal to a protocol error, for requests without a tool result.
func (r *Refusal) protocolError() *protocol.Error {
	parts := map[string]any{"code": r.Code, "message": r.Message, "nextStep": r.Next}
	for key, value := range r.ErrorDetails() {
		parts[key] = value
	}
	e := protocol.Errorf(errorclass.Of(r.Code).RPC, "%s: %s. Next step: %s", r.Code, r.Message, r.Next)
	if data, err := json.Marshal(parts); err == nil {
		e.Data = data
	}
	return e
}

// newRefusal returns a refusal of a request.
func newRefusal(code string, req *protocol.Request, c client) *Refusal {
	return &Refusal{
		Code: code, Client: c.kind, Name: c.name, Method: truncateName(req.Method),
		Principal: req.Peer.Principal, Transport: req.Peer.Transport, Address: req.Peer.Address,
	}
}

func clientRefusal(req *protocol.Request, c client) *Refusal {
	r := newRefusal(codeNotAllowed, req, c)
	r.Message = fmt.Sprintf("the client %q is not one that may use this server", c.name)
	r.Next = "use another client, or ask the operator of the server to allow this one"
	return r
}

// connectionRefusal refuses a session of an owner with own open sessions. It does not reveal the
// number of other sessions.
func connectionRefusal(req *protocol.Request, c client, own int, idle time.Duration) *Refusal {
	r := newRefusal(codeConnections, req, c)
	r.Message = "as many clients use this server as may"
	if own > 0 {
		r.Message = fmt.Sprintf("%d of your clients use this server, and no more may now", own)
	}
	r.Next = fmt.Sprintf("end a client that you do not need, or try again later: a client that asks nothing for %v gives its place up", idle)
	return r
}

func rateRefusal(req *protocol.Request, c client, d ratelimit.Decision, by ratelimit.Demand[bucket]) *Refusal {
	r := newRefusal(codeRateLimited, req, c)
	r.RetryAfter, r.Limit, r.Left = d.RetryAfter, string(d.Window), d.Left
	most, time := by.Limits.PerMinute, "a minute"
	if d.Window == ratelimit.Hour {
		most, time = by.Limits.PerHour, "an hour"
	}
	switch {
	case by.Key.tool != "":
		r.Limit, r.Tool = by.Key.tool, by.Key.tool
		r.Message = fmt.Sprintf("%s may be called %d times in %s", r.Tool, most, time)
	default:
		r.Message = fmt.Sprintf("there may be %d requests in %s", most, time)
	}
	r.Message += ", and so many there were"
	r.Next = fmt.Sprintf("wait %d seconds, then call again", r.seconds())
	return r
}

func permissionRefusal(req *protocol.Request, tool string, missing []string) *Refusal {
	r := newRefusal(codePermission, req, client{})
	r.Tool, r.Permissions = tool, missing
	r.Message = fmt.Sprintf("%s needs the permission %s, which was not given to you", tool, strings.Join(missing, " and "))
	r.Next = "continue without it, or ask the user for an access token that has it"
	return r
}
