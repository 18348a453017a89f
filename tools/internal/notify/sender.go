package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/retryafter"
	"github.com/dougu-go/dougu/internal/truncate"
)

// maxAnswer is the part of a response that is read, in bytes.
const maxAnswer = 8 << 10

// sender builds and sends the request for each kind of target.
type sender struct {
	name   string
	client *http.Client
	close  func()
}

func newSender(o Options) sender {
	transport, done := o.Transport, func() {}
	if transport == nil {
		own := &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		}
		transport, done = own, own.CloseIdleConnections
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return sender{o.Name, client, done}
}

// prepare returns the delivery of a message to a target.
func (s sender) prepare(t Target, m Message) (delivery, error) {
	var body any
	switch t.kind {
	case desktop:
		return show(s.name, m), nil
	case slack:
		body = slackMessage(m)
	case discord:
		body = discordMessage(m)
	case webhook:
		body = Payload{Source: s.name, Title: m.Title, Text: m.Text, Level: m.Level, Link: m.Link, Fields: fields(m), At: m.At.UTC()}
	default:
		return nil, errors.New("the target is empty: create it with ParseTarget, Desktop, Slack, Discord or Webhook")
	}
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("writing the message: %w", err)
	}
	id := "msg_" + rand.Text()
	return func(ctx context.Context) error { return s.post(ctx, t, id, content) }, nil
}

// post makes one request. It returns a *retryableError if another attempt can succeed.
func (s sender) post(ctx context.Context, t Target, id string, content []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.to.url, bytes.NewReader(content))
	if err != nil {
		return errors.New("the address of the target is not a valid URL")
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", s.name)
	if t.kind == webhook {
		sign(request.Header, id, time.Now(), content, t.to.secret)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return &retryableError{err: fmt.Errorf("the target cannot be reached: %s", t.to.redactError(err))}
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return checkResponse(response, answer)
}

// sign sets the headers of the Standard Webhooks specification. Without a secret it sets no
// signature.
func sign(h http.Header, id string, now time.Time, content, secret []byte) {
	at := strconv.FormatInt(now.Unix(), 10)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", at)
	if len(secret) == 0 {
		return
	}
	sum := hmac.New(sha256.New, secret)
	fmt.Fprintf(sum, "%s.%s.%s", id, at, content)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
}

// redactError returns the text of a request error without any part of the address.
func (a *address) redactError(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := err.Error()
	u, err := url.Parse(a.url)
	if err != nil {
		return "the address is not a valid URL"
	}
	for _, part := range append([]string{a.url, u.Host, u.Hostname(), u.RawQuery, u.Fragment}, strings.Split(u.Path, "/")...) {
		if len(part) > 2 {
			text = strings.ReplaceAll(text, part, "…")
		}
	}
	return truncate.Line(text, 200)
}

// checkResponse returns the error of a response status: nil for 2xx, a *retryableError for temporary failures.
func checkResponse(r *http.Response, answer []byte) error {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	err := fmt.Errorf("the target returned %d %s%s", r.StatusCode, http.StatusText(r.StatusCode), errorReason(answer))
	switch {
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusTooEarly, r.StatusCode >= 500:
		return &retryableError{err, parseRetryDelay(r.Header, answer)}
	case r.StatusCode >= 300 && r.StatusCode < 400:
		return fmt.Errorf("%w: redirects are not followed; configure the final address", err)
	case r.StatusCode == http.StatusNotFound, r.StatusCode == http.StatusGone, r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: the webhook may have been removed; create a new one and configure its address", err)
	}
	return err
}

// code matches an error code of Slack, for example "invalid_payload".
var code = regexp.MustCompile(`^[a-z_]{1,40}$`)

// errorReason returns the error code of a response. Other text is dropped, because it could contain the
// address.
func errorReason(answer []byte) string {
	var of struct {
		Code int `json:"code"` // error code of Discord
	}
	if text := bytes.TrimSpace(answer); code.Match(text) {
		return " (" + string(text) + ")"
	}
	if json.Unmarshal(answer, &of) == nil && of.Code != 0 {
		return fmt.Sprintf(" (code %d)", of.Code)
	}
	return ""
}

// parseRetryDelay returns the delay that a target requests, or 0.
func parseRetryDelay(h http.Header, answer []byte) time.Duration {
	var of struct {
		RetryAfter float64 `json:"retry_after"` // in seconds, sent by Discord
	}
	if json.Unmarshal(answer, &of) == nil && of.RetryAfter > 0 {
		return retryafter.Seconds(of.RetryAfter)
	}
	after, _ := retryafter.After(h)
	return after
}
