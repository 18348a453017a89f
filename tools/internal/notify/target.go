package notify

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Target is one recipient of messages. Its printed form contains no secrets.
type Target struct {
	kind string
	to   *address // a pointer, so that printing an enclosing value does not show it
}

// address is the URL of a webhook. All of it is secret.
type address struct {
	url    string
	secret []byte // signing key; empty: no signature
}

// The kinds of targets, as named in settings.
const (
	desktop = "desktop"
	slack   = "slack"
	discord = "discord"
	webhook = "webhook"
)

// Desktop returns the desktop of the user. notify-send, osascript or PowerShell shows the message.
func Desktop() Target { return Target{kind: desktop} }

// Slack returns an incoming webhook of Slack or of a compatible service.
func Slack(address string) (Target, error) { return remote(slack, address) }

// Discord returns a webhook of Discord.
func Discord(address string) (Target, error) { return remote(discord, address) }

// Webhook returns an address that receives each message as JSON, see Payload. With a secret,
// requests are signed by the Standard Webhooks specification 1.0: the header webhook-signature is
// "v1," and the Base64 form of the HMAC-SHA256 of "webhook-id.webhook-timestamp.body". A secret
// with the prefix "whsec_" is decoded from Base64; any other secret is used unchanged.
func Webhook(address, secret string) (Target, error) {
	t, err := remote(webhook, address)
	if err != nil || secret == "" {
		return t, err
	}
	t.to.secret = []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if t.to.secret, err = base64.StdEncoding.DecodeString(encoded); err != nil || len(t.to.secret) == 0 {
			return Target{}, errors.New(`the secret of the webhook begins with "whsec_", but the rest is not Base64`)
		}
	}
	return t, nil
}

// remote checks the address of a target. Its errors do not contain the address.
func remote(kind, text string) (Target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Target{}, fmt.Errorf("the address of the %s target is invalid: use an absolute URL that begins with https:// or http://", kind)
	}
	u.Fragment, u.RawFragment = "", ""
	return Target{kind, &address{url: u.String()}}, nil
}

// ParseTarget parses a target in a setting: "desktop", "slack=https://hooks.slack.com/…",
// "discord=https://discord.com/api/webhooks/…" or "webhook=https://…". A "#" and a signing secret
// can follow the address of a webhook. Errors do not contain the address.
func ParseTarget(text string) (Target, error) {
	kind, address, given := strings.Cut(strings.TrimSpace(text), "=")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); {
	case kind == desktop && !given:
		return Desktop(), nil
	case kind == slack && given:
		return Slack(strings.TrimSpace(address))
	case kind == discord && given:
		return Discord(strings.TrimSpace(address))
	case kind == webhook && given:
		address, secret, _ := strings.Cut(strings.TrimSpace(address), "#")
		return Webhook(address, secret)
	}
	return Target{}, errors.New("unknown notification target: use desktop, slack=<URL>, discord=<URL> or webhook=<URL>")
}

// String returns the kind of the target, without its address.
func (t Target) String() string { return t.kind }

// GoString is the same as String.
func (t Target) GoString() string { return t.kind }

// LogValue implements slog.LogValuer and returns the kind.
func (t Target) LogValue() slog.Value { return slog.StringValue(t.kind) }
