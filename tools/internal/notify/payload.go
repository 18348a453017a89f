package notify

import (
	"strings"
	"time"
	"unicode"
)

// Payload is the JSON body that a webhook target receives.
type Payload struct {
	// Source is Options.Name.
	Source string `json:"source"`
	// Title, Text, Level and Link are copied from the Message.
	Title string `json:"title"`
	Text  string `json:"text"`
	Level Level  `json:"level"`
	Link  string `json:"link,omitempty"`
	// Fields are the details of the Message.
	Fields []PayloadField `json:"fields,omitempty"`
	// At is the time of the event, in UTC.
	At time.Time `json:"at"`
}

// PayloadField is a named detail.
type PayloadField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func fields(m Message) (all []PayloadField) {
	for _, f := range m.Fields {
		all = append(all, PayloadField(f))
	}
	return all
}

// Limits of Slack, in characters.
const (
	slackHeader = 150
	slackText   = 3000
	slackField  = 2000
	slackFields = 10
)

type (
	slackBody struct {
		Text   string       `json:"text"` // for clients without blocks
		Blocks []slackBlock `json:"blocks"`
	}
	slackBlock struct {
		Type   string            `json:"type"`
		Text   *slackTextObject  `json:"text,omitempty"`
		Fields []slackTextObject `json:"fields,omitempty"`
	}
	slackTextObject struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Emoji *bool  `json:"emoji,omitempty"`
	}
)

// slackMessage returns the body for Slack. All text is plain text, without mentions and formatting;
// only the link is active.
func slackMessage(m Message) slackBody {
	no := false
	words := func(text string, most int) slackTextObject {
		return slackTextObject{"plain_text", truncateEscaped(text, most, slackEscape), &no}
	}
	title := words(m.Level.sign()+" "+m.Title, slackHeader)
	body := slackBody{Text: title.Text, Blocks: []slackBlock{{Type: "header", Text: &title}}}
	if m.Text != "" {
		text := words(m.Text, slackText)
		body.Blocks = append(body.Blocks, slackBlock{Type: "section", Text: &text})
	}
	var details []slackTextObject
	for _, f := range m.Fields[:min(len(m.Fields), slackFields)] {
		details = append(details, words(f.Name+": "+f.Value, slackField))
	}
	if len(details) > 0 {
		body.Blocks = append(body.Blocks, slackBlock{Type: "section", Fields: details})
	}
	if m.Link != "" {
		address := "<" + strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C").Replace(m.Link) + ">"
		body.Blocks = append(body.Blocks, slackBlock{Type: "section", Text: &slackTextObject{Type: "mrkdwn", Text: address}})
	}
	return body
}

// slackEscape escapes the characters that start mentions and links.
func slackEscape(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return string(r)
}

// Limits of Discord, in UTF-16 code units. discordAll limits the sum of all texts.
const (
	discordTitle = 256
	discordText  = 3500 // of 4096, to leave room for fields
	discordName  = 256
	discordValue = 1024
	discordAll   = 6000
)

type (
	discordBody struct {
		Embeds          []discordEmbed  `json:"embeds"`
		AllowedMentions discordMentions `json:"allowed_mentions"`
	}
	discordMentions struct {
		Parse []string `json:"parse"`
	}
	discordEmbed struct {
		Title       string         `json:"title"`
		Description string         `json:"description,omitempty"`
		URL         string         `json:"url,omitempty"`
		Color       int            `json:"color"`
		Fields      []discordField `json:"fields,omitempty"`
		Timestamp   string         `json:"timestamp"`
	}
	discordField struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Inline bool   `json:"inline"`
	}
)

// discordMessage returns the body for Discord: one embed, with mentions disabled.
func discordMessage(m Message) discordBody {
	e := discordEmbed{
		Title: truncateEscaped(m.Level.sign()+" "+m.Title, discordTitle, discordEscape), Description: truncateEscaped(m.Text, discordText, discordEscape), URL: m.Link,
		Color: map[Level]int{Success: 0x2ecc71, Warning: 0xf39c12, Failure: 0xe74c3c}[m.Level], Timestamp: m.At.UTC().Format(time.RFC3339),
	}
	if e.Color == 0 {
		e.Color = 0x3498db
	}
	room := discordAll - utf16Len(e.Title) - utf16Len(e.Description)
	for _, f := range m.Fields {
		field := discordField{truncateEscaped(f.Name, discordName, discordEscape), truncateEscaped(f.Value, discordValue, discordEscape), true}
		if room -= utf16Len(field.Name) + utf16Len(field.Value); room < 0 {
			break
		}
		e.Fields = append(e.Fields, field)
	}
	return discordBody{[]discordEmbed{e}, discordMentions{[]string{}}}
}

// discordEscape escapes formatting characters and breaks mentions.
func discordEscape(r rune) string {
	switch {
	case r == '@':
		return "@\u200b"
	case r <= unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune(`.,;:!?'"/%&=$`, r):
		return `\` + string(r)
	}
	return string(r)
}
