package notify

import (
	"encoding/json"
	"time"
)

// SlackJSON and DiscordJSON return the request body for a message.
func SlackJSON(m Message) []byte   { return written(slackMessage(m.normalize(time.Time{}))) }
func DiscordJSON(m Message) []byte { return written(discordMessage(m.normalize(time.Time{}))) }

func written(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// Display returns the command that shows a message on an operating system.
func Display(system string, m Message) (program string, args, env []string) {
	return display(system, "kuromajutsu", m.normalize(time.Time{}))
}
