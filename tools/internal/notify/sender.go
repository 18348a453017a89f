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

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 8 << 10

// sender knows how to tell each kind of target.
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

// prepare makes what tells a target of a message.
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
		return nil, errors.New("the target is none: make it with ParseTarget or a function of its kind")
	}
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("writing the message: %w", err)
	}
	id := "msg_" + rand.Text()
	return func(ctx context.Context) error { return s.post(ctx, t, id, content) }, nil
}

// post makes one request, and says whether another is worth it.
func (s sender) post(ctx context.Context, t Target, id string, content []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.to.url, bytes.NewReader(content))
	if err != nil {
		return errors.New("the address of the target cannot be used")
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", s.name)
	if t.kind == webhook {
		sign(request.Header, id, time.Now(), content, t.to.secret)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return &laterError{err: fmt.Errorf("the target cannot be reached: %s", t.to.hidden(err))}
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return judge(response, answer)
}

// sign sets the headers of the Standard Webhooks specification; without a secret there is no signature.
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

// hidden is what an error of a request says, without any part of the address.
func (a *address) hidden(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := err.Error()
	u, err := url.Parse(a.url)
	if err != nil {
		return "its address cannot be used"
	}
	for _, part := range append([]string{a.url, u.Host, u.Hostname(), u.RawQuery, u.Fragment}, strings.Split(u.Path, "/")...) {
		if len(part) > 2 {
			text = strings.ReplaceAll(text, part, "…")
		}
	}
	return truncate.Line(text, 200)
}

// judge says what an answer means.
func judge(r *http.Response, answer []byte) error {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	err := fmt.Errorf("the target answers %d %s%s", r.StatusCode, http.StatusText(r.StatusCode), reason(answer))
	switch {
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusTooEarly, r.StatusCode >= 500:
		return &laterError{err, pause(r.Header, answer)}
	case r.StatusCode >= 300 && r.StatusCode < 400:
		return fmt.Errorf("%w: redirections are not followed; name the address to which it leads", err)
	case r.StatusCode == http.StatusNotFound, r.StatusCode == http.StatusGone, r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: the webhook may have been removed; make a new one and name its address", err)
	}
	return err
}

// code is a word that says what is wrong, such as "invalid_payload": the answer of Slack.
var code = regexp.MustCompile(`^[a-z_]{1,40}$`)

// reason is what an answer says, if that cannot be a part of the address.
func reason(answer []byte) string {
	var of struct {
		Code int `json:"code"` // that of Discord
	}
	if text := bytes.TrimSpace(answer); code.Match(text) {
		return " (" + string(text) + ")"
	}
	if json.Unmarshal(answer, &of) == nil && of.Code != 0 {
		return fmt.Sprintf(" (code %d)", of.Code)
	}
	return ""
}

// pause is how long a target asks to be left alone; 0 if it does not say.
func pause(h http.Header, answer []byte) time.Duration {
	var of struct {
		RetryAfter float64 `json:"retry_after"` // in seconds, as Discord says it
	}
	if json.Unmarshal(answer, &of) == nil && of.RetryAfter > 0 {
		return retryafter.Seconds(of.RetryAfter)
	}
	after, _ := retryafter.After(h)
	return after
}
