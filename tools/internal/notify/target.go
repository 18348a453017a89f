package notify

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Target is somebody to tell. Printed it shows no secrets.
type Target struct {
	kind string
	to   *address // is a pointer so that no printing of what is around it shows it
}

// address is where a webhook is. All of it is secret.
type address struct {
	url    string
	secret []byte // to sign with
}

// The kinds of targets, as settings call them.
const (
	desktop = "desktop"
	slack   = "slack"
	discord = "discord"
	webhook = "webhook"
)

// Desktop is the user's own screen: notify-send, osascript or PowerShell shows the message.
func Desktop() Target { return Target{kind: desktop} }

// Slack is an incoming webhook of Slack, or of what understands the same.
func Slack(address string) (Target, error) { return remote(slack, address) }

// Discord is a webhook of Discord.
func Discord(address string) (Target, error) { return remote(discord, address) }

// Webhook is an address to which each message is posted as JSON, as Payload describes it. With a secret the request is signed
// as the Standard Webhooks specification 1.0 says: the header webhook-signature is "v1," and, in Base64, the HMAC-SHA256 of
// webhook-id, webhook-timestamp and the body with dots between them. A secret that begins with "whsec_" is Base64, any other is
// taken as it is.
func Webhook(address, secret string) (Target, error) {
	t, err := remote(webhook, address)
	if err != nil || secret == "" {
		return t, err
	}
	t.to.secret = []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if t.to.secret, err = base64.StdEncoding.DecodeString(encoded); err != nil || len(t.to.secret) == 0 {
			return Target{}, errors.New(`the secret of the webhook begins with "whsec_", but what follows is not Base64`)
		}
	}
	return t, nil
}

// remote checks the address of a target. Its errors do not show it.
func remote(kind, text string) (Target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Target{}, fmt.Errorf("the address of the %s target is none: it has to be an absolute URL that begins with https:// or http://", kind)
	}
	u.Fragment, u.RawFragment = "", ""
	return Target{kind, &address{url: u.String()}}, nil
}

// ParseTarget reads a target from a setting: "desktop", "slack=https://hooks.slack.com/…", "discord=https://discord.com/api/webhooks/…" or
// "webhook=https://…", after whose address a "#" and a secret to sign with can follow. Its errors do not show the address.
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
	return Target{}, errors.New("the target of notifications is not known: name desktop, slack=<URL>, discord=<URL> or webhook=<URL>")
}

// String is the kind of the target, and nothing of its address.
func (t Target) String() string { return t.kind }

// GoString is as String.
func (t Target) GoString() string { return t.kind }

// LogValue implements slog.LogValuer.
func (t Target) LogValue() slog.Value { return slog.StringValue(t.kind) }
