package notify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/notify"
)

var news = notify.Message{
	Title: "impl-code has *failed*", Text: "<!channel> @everyone: 2 > 1 & [a](https://evil.example)\nexit code 1", Level: notify.Failure, Link: "http://127.0.0.1:9696/#a=1&b=<2|3>",
	Fields: []notify.Field{{"Role", "コード実装者"}, {"Duration", "45 s"}, {"Empty", ""}}, At: time.Date(2026, 2, 13, 12, 0, 0, 0, time.UTC),
}

// one sends a message and returns the single request of the target.
func one(t *testing.T, kind, suffix string, m notify.Message) request {
	t.Helper()
	s := serve(t)
	if log := sendAll(t, notify.Options{Name: "kuromajutsu", Targets: []notify.Target{target(t, kind+"="+s.URL+"/hook?x=1"+suffix)}}, m); log != "" {
		t.Errorf("the log says %s", log)
	}
	got := s.got()
	if len(got) != 1 || got[0].path != "/hook?x=1" || got[0].header.Get("User-Agent") != "kuromajutsu" || !strings.HasPrefix(got[0].header.Get("Content-Type"), "application/json") {
		t.Fatalf("there came %+v", got)
	}
	return got[0]
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	must(t, json.Unmarshal([]byte(text), &v))
	data, err := json.Marshal(v)
	must(t, err)
	return string(data)
}

func TestPayload_Formats(t *testing.T) {
	for kind, want := range map[string]string{
		"slack": `{"text": "❌ impl-code has *failed*", "blocks": [
			{"type": "header", "text": {"type": "plain_text", "text": "❌ impl-code has *failed*", "emoji": false}},
			{"type": "section", "text": {"type": "plain_text", "text": "&lt;!channel&gt; @everyone: 2 &gt; 1 &amp; [a](https://evil.example)\nexit code 1", "emoji": false}},
			{"type": "section", "fields": [{"type": "plain_text", "text": "Role: コード実装者", "emoji": false}, {"type": "plain_text", "text": "Duration: 45 s", "emoji": false}]},
			{"type": "section", "text": {"type": "mrkdwn", "text": "<http://127.0.0.1:9696/#a=1&amp;b=%3C2%7C3%3E>"}}]}`,
		"discord": `{"allowed_mentions": {"parse": []}, "embeds": [{
			"title": "❌ impl\\-code has \\*failed\\*",
			"description": "\\<!channel\\> @\u200beveryone: 2 \\> 1 & \\[a\\]\\(https://evil.example\\)\nexit code 1",
			"url": "http://127.0.0.1:9696/#a=1&b=%3C2%7C3%3E", "color": 15158332, "timestamp": "2026-02-13T12:00:00Z",
			"fields": [{"name": "Role", "value": "コード実装者", "inline": true}, {"name": "Duration", "value": "45 s", "inline": true}]}]}`,
		"webhook": `{"source": "kuromajutsu", "title": "impl-code has *failed*", "text": "<!channel> @everyone: 2 > 1 & [a](https://evil.example)\nexit code 1", "level": "error",
			"link": "http://127.0.0.1:9696/#a=1&b=%3C2%7C3%3E", "at": "2026-02-13T12:00:00Z", "fields": [{"name": "Role", "value": "コード実装者"}, {"name": "Duration", "value": "45 s"}]}`,
	} {
		t.Run(kind, func(t *testing.T) {
			if got, want := compact(t, one(t, kind, "", news).body), compact(t, want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestPayload_TitleOnly(t *testing.T) {
	for kind, want := range map[string]string{
		"slack":   `{"text": "ℹ️ info", "blocks": [{"type": "header", "text": {"type": "plain_text", "text": "ℹ️ info", "emoji": false}}]}`,
		"discord": `{"allowed_mentions": {"parse": []}, "embeds": [{"title": "ℹ️ info", "color": 3447003, "timestamp": "2026-02-13T12:00:00Z"}]}`,
		"webhook": `{"source": "kuromajutsu", "title": "info", "text": "", "level": "info", "at": "2026-02-13T12:00:00Z"}`,
	} {
		m := notify.Message{Title: " \x00\n", Level: "unheard of", Link: "javascript:alert(1)", At: news.At}
		if got, want := compact(t, one(t, kind, "", m).body), compact(t, want); got != want {
			t.Errorf("%s: got  %s\nwant %s", kind, got, want)
		}
	}
}

// A webhook with a secret is signed by the Standard Webhooks specification.
func TestWebhook_Signature(t *testing.T) {
	for suffix, secret := range map[string]string{"#plain secret": "plain secret", "#whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw": "\x31\xf2\x90\xf6\xbf\x06\x29\x8a\xab\x4f\x08\xd4\x3c\x3f\x08\x2c\xf6\x48\xa3\x62\xda\x2d\xa4\xb0", "": ""} {
		r := one(t, "webhook", suffix, news)
		id, at := r.header.Get("webhook-id"), r.header.Get("webhook-timestamp")
		sum := hmac.New(sha256.New, []byte(secret))
		sum.Write([]byte(id + "." + at + "." + r.body))
		want := "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
		if secret == "" {
			want = ""
		}
		if got := r.header.Get("webhook-signature"); got != want || !strings.HasPrefix(id, "msg_") || len(at) != 10 {
			t.Errorf("%q: %s signs %s at %s, want %s", suffix, got, id, at, want)
		}
	}
}

// For random messages, bodies keep the limits of the targets and contain no mentions.
func TestPayload_Limits(t *testing.T) {
	letters := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("<>&@*_`~|[]()\\#-あ🧙\n\x00\u202e")), rapid.Rune()))
	long := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(letters.Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 30, 500}).Draw(t, "times"))
	})
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Message{Title: long.Draw(t, "title"), Text: long.Draw(t, "text"), Link: letters.Draw(t, "link"), At: news.At}
		for range rapid.IntRange(0, 30).Draw(t, "fields") {
			m.Fields = append(m.Fields, notify.Field{Name: letters.Draw(t, "name"), Value: long.Draw(t, "value")})
		}
		checkSlack(t, notify.SlackJSON(m))
		checkDiscord(t, notify.DiscordJSON(m))
	})
}

func length(text string) int { return len(utf16.Encode([]rune(text))) }

func checkSlack(t *rapid.T, data []byte) {
	var body struct {
		Text   string
		Blocks []struct {
			Text   struct{ Type, Text string }
			Fields []struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(data, &body); err != nil || body.Text == "" || length(body.Blocks[0].Text.Text) > 150 || len(body.Blocks) > 4 {
		t.Fatalf("%v: %s", err, data)
	}
	check := func(text string, most int) {
		if length(text) > most || strings.ContainsAny(text, "<>\x00\u202e") || strings.Contains(strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(text), "&") {
			t.Fatalf("%d are too many, or something is not escaped: %q", length(text), text)
		}
	}
	for _, b := range body.Blocks {
		if b.Text.Type == "plain_text" {
			check(b.Text.Text, 3000)
		}
		if len(b.Fields) > 10 {
			t.Fatalf("there are %d fields", len(b.Fields))
		}
		for _, f := range b.Fields {
			check(f.Text, 2000)
		}
	}
}

func checkDiscord(t *rapid.T, data []byte) {
	var body struct {
		Embeds []struct {
			Title, Description string
			Fields             []struct{ Name, Value string }
		}
	}
	if err := json.Unmarshal(data, &body); err != nil || len(body.Embeds) != 1 {
		t.Fatalf("%v: %s", err, data)
	}
	e, all := body.Embeds[0], 0
	check := func(text string, most int) {
		all += length(text)
		if length(text) > most || strings.Contains(strings.ReplaceAll(text, "@\u200b", ""), "@") {
			t.Fatalf("%d are too many, or somebody is mentioned: %q", length(text), text)
		}
		for rest := text; rest != ""; rest = rest[1:] {
			if rest[0] == '\\' && len(rest) > 1 {
				rest = rest[1:] // the escaped character
			} else if strings.IndexByte("\\*_`~|<>[]()#-", rest[0]) >= 0 {
				t.Fatalf("not plain: %q", text)
			}
		}
	}
	check(e.Title, 256)
	check(e.Description, 4096)
	for _, f := range e.Fields {
		if f.Name == "" || f.Value == "" {
			t.Fatal("a field is empty")
		}
		check(f.Name, 256)
		check(f.Value, 1024)
	}
	if all > 6000 || len(e.Fields) > 25 {
		t.Fatalf("%d characters and %d fields are too many", all, len(e.Fields))
	}
}
