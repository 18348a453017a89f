package notify

import (
	"encoding/json"
	"time"
)

// SlackJSON and DiscordJSON are what is sent for a message.
func SlackJSON(m Message) []byte   { return written(slackMessage(m.tidied(time.Time{}))) }
func DiscordJSON(m Message) []byte { return written(discordMessage(m.tidied(time.Time{}))) }

func written(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// Display is the command that shows a message on a system.
func Display(system string, m Message) (program string, args, env []string) {
	return display(system, "kuromajutsu", m.tidied(time.Time{}))
}
