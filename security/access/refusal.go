package access

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// The codes of refusals.
const (
	codeNotAllowed  = "CLIENT_NOT_ALLOWED"
	codeConnections = "CONNECTION_LIMIT"
	codeRateLimited = "RATE_LIMITED"
	codePermission  = "PERMISSION_REQUIRED"
)

// Refusal is why a request was not served. It is an error with a code, a next
// step and details.
type Refusal struct {
	// Code is CLIENT_NOT_ALLOWED, CONNECTION_LIMIT, RATE_LIMITED or
	// PERMISSION_REQUIRED.
	Code string
	// Message and Next say what was wrong and what to do about it.
	Message, Next string
	// Client is the kind of the client and Name what it calls itself, cut short.
	Client, Name string
	// Who asked, and for what. Tool is set where the refusal is because of it.
	Principal, Transport, Address, Method, Tool string

	// RetryAfter is when the request would be served, Limit which limit has refused
	// it ("minute", "hour", or the name of a tool), and Left the rest of the
	// others; of RATE_LIMITED alone.
	RetryAfter time.Duration
	Limit      string
	Left       ratelimit.Quota
	// Permissions are those that are missing; of PERMISSION_REQUIRED alone.
	Permissions []string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// ErrorCode returns the code.
func (r *Refusal) ErrorCode() string { return r.Code }

// NextStep returns the next step.
func (r *Refusal) NextStep() string { return r.Next }

// ErrorDetails returns what programs may want to know: retryAfterSeconds, limit
// and remaining (minute and hour, −1 without a limit), or permissions.
func (r *Refusal) ErrorDetails() map[string]any {
	switch r.Code {
	case codeRateLimited:
		return map[string]any{"retryAfterSeconds": r.seconds(), "limit": r.Limit, "remaining": r.Left}
	case codePermission:
		return map[string]any{"permissions": r.Permissions}
	}
	return nil
}

// seconds is how many of them to wait: whole ones, and enough.
func (r *Refusal) seconds() int64 { return int64(math.Ceil(r.RetryAfter.Seconds())) }

// protocol is the refusal of a request that has no result to say it in.
func (r *Refusal) protocol() *mcp.Error {
	parts := map[string]any{"code": r.Code, "message": r.Message, "nextStep": r.Next}
	for key, value := range r.ErrorDetails() {
		parts[key] = value
	}
	e := mcp.Errorf(errorclass.Of(r.Code).RPC, "%s: %s. Next step: %s", r.Code, r.Message, r.Next)
	if data, err := json.Marshal(parts); err == nil {
		e.Data = data
	}
	return e
}

// refusal is one of a request.
func refusal(code string, req *mcp.Request, c client) *Refusal {
	return &Refusal{
		Code: code, Client: c.kind, Name: c.name, Method: bounded(req.Method),
		Principal: req.Peer.Principal, Transport: req.Peer.Transport, Address: req.Peer.Address,
	}
}

func notAllowed(req *mcp.Request, c client) *Refusal {
	r := refusal(codeNotAllowed, req, c)
	r.Message = fmt.Sprintf("the client %q is not one that may use this server", c.name)
	r.Next = "use another client, or ask who runs the server to allow this one"
	return r
}

// tooMany refuses a session of an owner that has so many already. How many others there are is not told.
func tooMany(req *mcp.Request, c client, own int, idle time.Duration) *Refusal {
	r := refusal(codeConnections, req, c)
	r.Message = "as many clients use this server as may"
	if own > 0 {
		r.Message = fmt.Sprintf("%d of your clients use this server, and no more may now", own)
	}
	r.Next = fmt.Sprintf("end a client that you do not need, or try again later: a client that asks nothing for %v gives its place up", idle)
	return r
}

func tooOften(req *mcp.Request, c client, d ratelimit.Decision, by ratelimit.Demand[bucket]) *Refusal {
	r := refusal(codeRateLimited, req, c)
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

func lacking(req *mcp.Request, tool string, missing []string) *Refusal {
	r := refusal(codePermission, req, client{})
	r.Tool, r.Permissions = tool, missing
	r.Message = fmt.Sprintf("%s needs the permission %s, which was not given to you", tool, strings.Join(missing, " and "))
	r.Next = "go on without it, or ask the user for an access token that has it"
	return r
}
