package notify_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/tools/internal/notify"
)

func Example() {
	channel := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(string(body))
	}))
	defer channel.Close()

	team, err := notify.ParseTarget("discord=" + channel.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := notify.New(notify.Options{Targets: []notify.Target{team}})
	n.Send(notify.Message{Title: "The review is done", Level: notify.Success, At: news.At})
	_ = n.Close(context.Background())
	// Output:
	// {"embeds":[{"title":"✅ The review is done","color":3066993,"timestamp":"2026-02-13T12:00:00Z"}],"allowed_mentions":{"parse":[]}}
}
